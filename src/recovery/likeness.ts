import { createHash } from "node:crypto";
import { patternProblem } from "../core/stderr-pattern.ts";

/**
 * Which failures are the same failure. Of the end of a log the lines that tell what went wrong are kept, and in them
 * everything that differs from job to job is replaced: times, paths, quoted texts, ids, hexadecimals, numbers. What is
 * left, with cause and exit code, is the key. The time it takes grows with the text, which is bounded.
 */
export interface Likeness {
  readonly key: string;
  /** At most three, normalised; none: the log says nothing. */
  readonly lines: readonly string[];
}

const LOOKED_AT = 65_536;
const LONGEST_LINE = 1000;
const LONGEST_SHOWN = 200;
const MOST_LINES = 3;

const QUOTED = String.raw`(?<![\w>])(?:'[^']*(?:'|$)|"[^"]*(?:"|$)|${"`"}[^${"`"}]*(?:${"`"}|$))`;
const MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*";
const CLOCK = String.raw`\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d+)?`;
const TIME = [
  String.raw`\d{4}[-/]\d{2}[-/]\d{2}(?:[t ]+${CLOCK})?(?:z|[+-]\d{2}:?\d{2})?`,
  String.raw`\b\d{1,2}[- ]${MONTH}[- ]\d{2,4}(?:[t ]+${CLOCK})?`,
  String.raw`\b${MONTH} +\d{1,2} +${CLOCK}(?: +\d{4})?`,
  CLOCK,
].join("|");
const ID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const PATH = String.raw`[^\s'"${"`"}<>()\[\]{},;|=]*[/\\][^\s'"${"`"}<>()\[\]{},;|=]*`;
const HEX = String.raw`0x[0-9a-f]+|\b(?=[a-f]*[0-9])[0-9a-f]{8,}\b`;
const NUMBER = String.raw`\d+(?:\.\d+)?(?:e[+-]?\d+)?`;

const PARTS = new RegExp(
  `(?<text>${QUOTED})|(?<time>${TIME})|(?<id>${ID})|(?<path>${PATH})|(?<hex>${HEX})|(?<n>${NUMBER})`,
  "giu",
);
// biome-ignore lint/suspicious/noControlCharactersInRegex: colors and cursor moves are no part of what is said
const CONTROLS = /\u001b\[[0-9;?]*[A-Za-z]|[\u0000-\u001f\u007f-\u009f]+/g;

/** One line without what differs from job to job. Normalising it again changes nothing. */
export function normaliseLine(line: string): string {
  const plain = line.slice(0, LONGEST_LINE).replaceAll(CONTROLS, " ");
  const replaced = plain.replaceAll(PARTS, (...found) => {
    const groups = found.at(-1) as Readonly<Record<string, string | undefined>>;
    return `<${Object.keys(groups).find((name) => groups[name] !== undefined)}>`;
  });
  return replaced.replaceAll(/\s+/g, " ").trim().slice(0, LONGEST_SHOWN).trimEnd();
}

/** Words of errors, in the languages jobs are written in. */
const TELLING =
  /error|exception|fatal|abort|fail|cannot|can't|could not|unable|no such|not found|not permitted|denied|refused|invalid|illegal|undefined|unexpected|missing|killed|segmentation|terminate|what\(\)|panic|assert|timed? ?out|no space|out of memory|bad_alloc|corrupt|stop\b/iu;

/** What the job's wrapper adds: code and step, which the ledger has. */
const OWN = "wms2: ";

/** What the log says went wrong: the last lines that tell of an error; if none does, simply the last. */
function tellingLines(log: string): readonly string[] {
  const last: string[] = [];
  const telling: string[] = [];
  for (const line of log.slice(-LOOKED_AT).split("\n").reverse()) {
    if (telling.length === MOST_LINES) break;
    if (line.startsWith(OWN)) continue;
    const normal = normaliseLine(line);
    if (!/\p{L}{2}/u.test(normal.replaceAll(/<\w+>/g, ""))) continue;
    if (last.length < MOST_LINES && !last.includes(normal)) last.push(normal);
    if (TELLING.test(normal) && !telling.includes(normal)) telling.push(normal);
  }
  return (telling.length > 0 ? telling : last).reverse();
}

export function likenessOf(
  log: string,
  { cause, exitCode }: { readonly cause: string | null; readonly exitCode: number },
): Likeness {
  const lines = tellingLines(log);
  const key = createHash("sha256")
    .update(JSON.stringify([cause, exitCode, lines]))
    .digest("hex")
    .slice(0, 10);
  return { key, lines };
}

/**
 * The lines as a pattern for a rule's `stderr`: what they say, letter by letter, with anything where something was
 * replaced. Of lines too long for a pattern only the last are taken. null: no line says enough to go by.
 */
export function patternOf(lines: readonly string[]): string | null {
  const shorter = lines.map((_, from) => lines.slice(from));
  const [beginning = ""] = lines.slice(-1).map((line) => line.slice(0, 100));
  for (const some of [...shorter, [beginning]]) {
    const pattern = some.map(linePattern).join("[\\s\\S]*");
    const says = some.join(" ").replaceAll(/<\w+>/g, "");
    if (LETTERS.test(says) && patternProblem(pattern) === null) return pattern;
  }
  return null;
}
/** Less would be found in any log. */
const LETTERS = /\p{L}.*\p{L}.*\p{L}.*\p{L}/u;

const linePattern = (line: string): string =>
  line
    .replace(/<\w{0,4}$/, "")
    .replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")
    .replaceAll(/<(?:text|time|id|path|hex|n)>/g, ".*")
    .replaceAll(" ", "\\s+")
    .replace(/(?:\\s\+|\.\*)+$/, "");
