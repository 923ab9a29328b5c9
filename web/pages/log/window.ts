import { plainText } from "../../../src/core/base/plain-text.ts";
import type { Answer } from "../../api/client.ts";

type Range = Pick<Answer<"attempts.log">, "from" | "to" | "size_bytes" | "starts" | "text">;

/** Of a log only a window is ever read; it moves. */
export const WINDOW = 65_536;
/** Above a line that somebody points at. */
const CONTEXT = 8192;

export interface Line {
  /** Its first byte: the name of the line in an address. */
  readonly from: number;
  /** null: it is not known how many come before. */
  readonly number: number | null;
  readonly text: string;
}

/** The lines of a window. What it cuts in two at its beginning is left out: the window before has all of it. */
export function linesOf({ from, starts, text }: Range): readonly Line[] {
  const texts = plainText(text).replaceAll("\t", "    ").split("\n");
  const lines = starts.map((start, index) => ({
    from: start,
    number: from === 0 ? index + 1 : null,
    text: texts[index] ?? "",
  }));
  return from > 0 && lines.length > 1 ? lines.slice(1) : lines;
}

/** Where the window begins that an address asks for; null: it is the end of the file. */
export function windowFrom({ from, at }: { from: number | null; at: number | null }): number | null {
  if (from !== null) return from;
  if (at === null) return null;
  return at < WINDOW / 2 ? 0 : at - CONTEXT;
}

/** The windows before and after this one; null: there is nothing. They overlap, so that no line is lost between them. */
export function around(range: Range): { readonly before: number | null; readonly after: number | null } {
  const first = linesOf(range)[0]?.from ?? range.from;
  const last = range.starts.at(-1) ?? range.to;
  return {
    before: range.from > 0 ? Math.max(0, first - WINDOW + 1024) : null,
    after: range.to < range.size_bytes ? Math.max(range.from + 1, last - 1) : null,
  };
}

/** The line that a byte is in. */
export const placeOfByte = (lines: readonly Line[], at: number): number =>
  lines.findLastIndex(({ from }) => from <= at);

/** A text in pieces, every second of which is what was looked for. */
export function pieces(text: string, wanted: string): readonly string[] {
  if (wanted === "") return [text];
  const found: string[] = [];
  const [lower, needle] = [text.toLowerCase(), wanted.toLowerCase()];
  if (lower.length !== text.length) return [text];
  let at = 0;
  for (let next = lower.indexOf(needle); next >= 0; next = lower.indexOf(needle, at)) {
    found.push(text.slice(at, next), text.slice(next, next + needle.length));
    at = next + needle.length;
  }
  return [...found, text.slice(at)];
}
