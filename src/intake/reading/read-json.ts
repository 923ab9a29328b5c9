import { MAX_DEPTH, TOO_DEEP } from "./nesting.ts";

/**
 * JSON as JSON.parse reads it, with what that one cannot do: whole numbers beyond 2^53 keep their digits (as
 * bigint), a repeated key is an error instead of a silent choice, and errors have line and column.
 * `__proto__` becomes an ordinary own key, for the caller to refuse.
 */
export class JsonError extends Error {
  constructor(message: string, text: string, at: number) {
    const before = text.slice(0, at);
    super(`line ${before.split("\n").length}, column ${at - before.lastIndexOf("\n")}: ${message}`);
  }
}

/** 20,000 tasks of a WfFormat instance; read in about half a second, on the thread that answers everybody. */
export const MAX_VALUES = 500_000;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const BLANK = /[ \t\r\n]*/y;
const LITERALS = Object.entries({ true: true, false: false, null: null });

export function readJson(text: string): unknown {
  const reader = new JsonReader(text);
  const document = reader.value(0);
  reader.end();
  return document;
}

class JsonReader {
  readonly #text: string;
  #at = 0;
  #values = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth: number): unknown {
    if (depth > MAX_DEPTH) this.#fail(TOO_DEEP);
    this.#values += 1;
    if (this.#values > MAX_VALUES) this.#fail(`holds more than ${MAX_VALUES} values`);
    const sign = this.#next();
    if (sign === '"') return this.#string();
    if (sign === "[") {
      const list: unknown[] = [];
      this.#members("]", () => list.push(this.value(depth + 1)));
      return list;
    }
    if (sign === "{") return this.#row(depth);
    for (const [literal, meaning] of LITERALS) {
      if (!this.#text.startsWith(literal, this.#at)) continue;
      this.#at += literal.length;
      return meaning;
    }
    return this.#number();
  }

  end(): void {
    if (this.#next() !== undefined) this.#fail(`something follows the document: ${this.#found()}`);
  }

  #row(depth: number): unknown {
    const row = new Map<string, unknown>();
    this.#members("}", () => {
      if (this.#next() !== '"') this.#fail(`expected text in double quotes, found ${this.#found()}`);
      const start = this.#at;
      const key = this.#string();
      if (row.has(key)) this.#fail(`the key ${JSON.stringify(key.slice(0, 60))} is given twice`, start);
      this.#expect(":");
      row.set(key, this.value(depth + 1));
    });
    return Object.fromEntries(row);
  }

  #members(close: string, one: () => void): void {
    this.#at += 1;
    for (let count = 0; this.#next() !== close; count++) {
      if (count > 0) this.#expect(",");
      one();
    }
    this.#at += 1;
  }

  #string(): string {
    let end = this.#at + 1;
    for (;;) {
      end = this.#text.indexOf('"', end);
      if (end < 0) this.#fail('a " without its partner');
      let slashes = 0;
      while (this.#text[end - 1 - slashes] === "\\") slashes += 1;
      if (slashes % 2 === 0) break;
      end += 1;
    }
    try {
      const value = JSON.parse(this.#text.slice(this.#at, end + 1)) as string;
      this.#at = end + 1;
      return value;
    } catch {
      return this.#fail("text with a bad escape or a line break in it");
    }
  }

  #number(): number | bigint {
    NUMBER.lastIndex = this.#at;
    const source = NUMBER.exec(this.#text)?.[0] ?? this.#fail(`unexpected ${this.#found()}`);
    const start = this.#at;
    this.#at += source.length;
    const value = Number(source);
    if (!Number.isFinite(value)) this.#fail("a number too large to hold", start);
    return /^-?\d+$/.test(source) && !Number.isSafeInteger(value) ? BigInt(source.slice(0, 1000)) : value;
  }

  /** The next sign that is no blank; undefined: the text is over. */
  #next(): string | undefined {
    BLANK.lastIndex = this.#at;
    BLANK.exec(this.#text);
    this.#at = BLANK.lastIndex;
    return this.#text[this.#at];
  }

  #expect(sign: string): void {
    if (this.#next() !== sign) this.#fail(`expected ${JSON.stringify(sign)}, found ${this.#found()}`);
    this.#at += 1;
  }

  #found(): string {
    return this.#at < this.#text.length ? JSON.stringify(this.#text[this.#at]) : "the end of the text";
  }

  #fail(message: string, where = this.#at): never {
    throw new JsonError(message, this.#text, where);
  }
}
