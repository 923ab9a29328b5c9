import { parseJson } from "../../../core/base/json.ts";

export { isRow, type Row } from "../../../core/base/json.ts";

/** The answer ended early, or is not what it should be. */
export class BrokenAnswer extends Error {}

/** Rucio writes Infinity where there is no limit; that is no JSON. Strings stay as they are. */
const BARE_WORDS = /"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/g;

/** Throws BrokenAnswer. */
export function parseAnswer(text: string): unknown {
  const parsed = parseJson(text);
  if (parsed.ok) return parsed.value;
  const again = /Infinity|NaN/.test(text)
    ? parseJson(text.replaceAll(BARE_WORDS, (word) => (word.startsWith('"') ? word : "null")))
    : parsed;
  if (again.ok) return again.value;
  throw new BrokenAnswer(`the answer is no whole JSON (${parsed.error})`);
}

/** Readers of whole answers: of JSON, and of one object a line. */
export const json =
  <T>(read: (value: unknown) => T) =>
  ({ text }: { readonly text: string }): T =>
    read(parseAnswer(text));
export const lines =
  <T>(read: (row: unknown) => T) =>
  ({ text }: { readonly text: string }): readonly T[] =>
    parseLines(text).map(read);

/**
 * The objects of an answer as they come, some at a time: either one object a line, or one array. What is held is one
 * chunk and an unfinished row, however long the answer is. An array that does not end, or half a row, is a BrokenAnswer.
 */
export async function* rowsOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<readonly unknown[]> {
  const decoder = new TextDecoder();
  let splitter: Splitter | null = null;
  let head = "";
  for await (const chunk of chunks) {
    let text = decoder.decode(chunk, { stream: true });
    if (!splitter) {
      head = (head + text).trimStart();
      if (head === "") continue;
      splitter = head.startsWith("[") ? new ArrayRows() : new LineRows();
      text = head;
    }
    const rows = splitter.add(text);
    if (rows.length > 0) yield rows;
  }
  const rest = splitter?.end(decoder.decode()) ?? [];
  if (rest.length > 0) yield rest;
}

interface Splitter {
  add(text: string): readonly unknown[];
  end(text: string): readonly unknown[];
}

/** Whole lines are joined to one array and parsed at once, which is several times faster than one by one. */
class LineRows implements Splitter {
  #rest = "";

  add(text: string): readonly unknown[] {
    const end = text.lastIndexOf("\n");
    if (end < 0) {
      this.#rest += text;
      return [];
    }
    const whole = this.#rest + text.slice(0, end);
    this.#rest = text.slice(end + 1);
    return parseLines(whole);
  }

  end(text: string): readonly unknown[] {
    return parseLines(this.#rest + text);
  }
}

const parseLines = (text: string): readonly unknown[] => {
  const trimmed = text.trim();
  if (trimmed === "") return [];
  const joined = parseJson(`[${trimmed.replaceAll("\n", ",")}]`);
  return (joined.ok ? joined.value : parseAnswer(`[${trimmed.replaceAll(/\s*\n\s*/g, ",")}]`)) as unknown[];
};

const [QUOTE, BACKSLASH, COMMA, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [34, 92, 44, 123, 125, 91, 93] as const;

/**
 * Elements of one array, parsed together. Where the last whole one ends is guessed by the last brace that follows a comma,
 * and the parser tells whether that was right; only if not are signs counted one by one, which is much slower.
 */
class ArrayRows implements Splitter {
  #rest = "";
  #isFirst = true;

  add(text: string): readonly unknown[] {
    this.#rest += text;
    return this.#take(likelyEnd(this.#rest)) ?? this.#take(countedEnd(this.#rest, this.#isFirst)) ?? [];
  }

  /** null: what stands before `end` is no whole elements. */
  #take(end: number): readonly unknown[] | null {
    if (end < 0) return null;
    const before = this.#rest.slice(0, end).replace(this.#isFirst ? /^\s*\[/ : /^\s*,/, "");
    const parsed = parseJson(`[${before}]`);
    if (!parsed.ok || (parsed.value as unknown[]).length === 0) return null;
    this.#rest = this.#rest.slice(end);
    this.#isFirst = false;
    return parsed.value as unknown[];
  }

  /** What is left must be the last elements with the bracket that ends them. */
  end(text: string): readonly unknown[] {
    const rest = (this.#rest + text).trim();
    if (!rest.endsWith("]")) throw new BrokenAnswer("the answer ends before its list does");
    return parseAnswer(this.#isFirst ? rest : `[${rest.replace(/^,/, "")}`) as unknown[];
  }
}

const isBlank = (sign: number): boolean => sign === 32 || sign === 10 || sign === 13 || sign === 9;

/** Just behind the last `}` that is followed by a comma and a `{`; -1: there is none. */
function likelyEnd(text: string): number {
  let at = text.lastIndexOf("{") - 1;
  while (at > 0 && isBlank(text.charCodeAt(at))) at -= 1;
  if (text.charCodeAt(at) !== COMMA) return -1;
  at -= 1;
  while (at > 0 && isBlank(text.charCodeAt(at))) at -= 1;
  return text.charCodeAt(at) === CLOSE ? at + 1 : -1;
}

/** Just behind the last element that is whole, by depth; -1: none is. */
function countedEnd(text: string, hasBracket: boolean): number {
  let depth = hasBracket ? 0 : 1;
  let lastEnd = -1;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charCodeAt(at);
    if (sign === QUOTE) at = endOfString(text, at);
    else if (sign === OPEN || sign === OPEN_LIST) depth += 1;
    else if (sign === CLOSE || sign === CLOSE_LIST) {
      depth -= 1;
      if (depth === 1) lastEnd = at + 1;
    }
  }
  return lastEnd;
}

function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    const sign = text.charCodeAt(at);
    if (sign === BACKSLASH) at += 1;
    else if (sign === QUOTE) return at;
  }
  return text.length;
}
