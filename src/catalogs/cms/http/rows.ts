import { parseJson } from "../../../base/json.ts";

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

const parseLines = (lines: string): readonly unknown[] => {
  const trimmed = lines.trim();
  return trimmed === "" ? [] : (parseAnswer(`[${trimmed.replaceAll(/\r?\n\s*/g, ",")}]`) as unknown[]);
};

const [QUOTE, BACKSLASH, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [34, 92, 123, 125, 91, 93] as const;

/** Elements of one array: cut where the depth says that one ends, and parsed together. */
class ArrayRows implements Splitter {
  #rest = "";
  #at = 0;
  #depth = 0;
  #isString = false;
  #isOver = false;

  add(text: string): readonly unknown[] {
    this.#rest += text;
    const lastEnd = this.#scan();
    if (lastEnd < 0) return [];
    const whole = this.#rest.slice(0, lastEnd);
    this.#rest = this.#rest.slice(lastEnd);
    this.#at -= lastEnd;
    return parseAnswer(`[${whole.replace(/^[\s,[]*/, "")}]`) as unknown[];
  }

  /** Where the last whole element ends; -1: none does. */
  #scan(): number {
    const text = this.#rest;
    let lastEnd = -1;
    for (; this.#at < text.length; this.#at += 1) {
      const sign = text.charCodeAt(this.#at);
      if (this.#isString) {
        if (sign === BACKSLASH) this.#at += 1;
        else if (sign === QUOTE) this.#isString = false;
      } else if (sign === QUOTE) this.#isString = true;
      else if (sign === OPEN || sign === OPEN_LIST) this.#depth += 1;
      else if (sign === CLOSE || sign === CLOSE_LIST) {
        this.#depth -= 1;
        if (this.#depth === 1) lastEnd = this.#at + 1;
        if (this.#depth === 0) this.#isOver = true;
      }
    }
    return lastEnd;
  }

  end(text: string): readonly unknown[] {
    const rows = this.add(text);
    const left = this.#rest.trim();
    if (!this.#isOver || !/^\[?\s*\]$/.test(left)) throw new BrokenAnswer("the answer ends before its list does");
    return rows;
  }
}
