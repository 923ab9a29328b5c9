import { isFound, patternProblem } from "../../../core/stderr-pattern.ts";
import type { Spot } from "../../../intake/reading/values.ts";
import { matches } from "../job-names.ts";
import { type Columns, varies } from "./torc-texts.ts";

const PIECE = /\{[A-Za-z_]\w*(?::[^{}]*)?\}|\.\*|\.\+|\\[.\-_/ ]|[\w\-/ :,#@%=~]|\.|[\s\S]/g;
const PLAIN = /[\w\-/ :,#@%=~.]/;
const AS_GLOB: Readonly<Record<string, string>> = { ".*": "*", ".+": "?*", ".": "?" };

/**
 * A glob for the same names as a regular expression, which may match anywhere in a name; null: none says it. Parameters
 * stay in it, and count as the letters they are.
 */
export function globOf(pattern: string, columns: Columns): string | null {
  const isFromStart = pattern.startsWith("^");
  const isToEnd = pattern.endsWith("$") && !pattern.endsWith("\\$");
  const body = pattern.slice(isFromStart ? 1 : 0, isToEnd ? -1 : undefined);
  let glob = "";
  for (const [piece] of body.matchAll(PIECE)) {
    const isKnown = piece.startsWith("{") ? varies(piece, columns) : piece.length > 1 || PLAIN.test(piece);
    if (!isKnown) return null;
    glob += AS_GLOB[piece] ?? (piece.startsWith("\\") ? piece.slice(1) : piece);
  }
  return `${isFromStart ? "" : "*"}${glob}${isToEnd ? "" : "*"}`.replaceAll(/\*{2,}/g, "*");
}

/** One glob for just these of all names, where their beginning and end say it; else the names. */
export function globFor(found: readonly string[], all: readonly string[]): readonly string[] {
  if (found.length < 4) return found;
  const start = commonStart(found);
  const end = commonStart(found.map((name) => reversed(name.slice(start.length))));
  const glob = `${start}*${reversed(end)}`;
  return all.filter((name) => matches(glob, name)).length === found.length ? [glob] : found;
}

const reversed = (text: string): string => [...text].reverse().join("");

function commonStart([first = "", ...others]: readonly string[]): string {
  let { length } = first;
  for (const other of others) while (!other.startsWith(first.slice(0, length))) length -= 1;
  return first.slice(0, length);
}

/** Most names that are compared with patterns, in all. */
const MAX_COMPARED = 2_000_000;

/** Looks names up by patterns that may match anywhere in them. */
export class PatternSearch {
  #compared = 0;

  find(pattern: string, names: readonly string[], spot: Spot): readonly string[] {
    const why = patternProblem(pattern);
    if (why !== null) return spot.problem(why) ?? [];
    this.#compared += names.length;
    if (this.#compared > MAX_COMPARED)
      return spot.problem("makes too much to compare", "patterns of plain letters and .* cost nothing") ?? [];
    const found = names.filter((name) => isFound(pattern, name));
    if (found.length === 0) spot.problem(`${JSON.stringify(pattern)} matches nothing`);
    return found;
  }
}
