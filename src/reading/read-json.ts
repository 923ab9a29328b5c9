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

const MAX_DEPTH = 64;
/** More than any request needs, and few enough to be read before anybody notices. */
export const MAX_VALUES = 100_000;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const BLANK = /[ \t\r\n]*/y;
const WORDS = { true: true, false: false, null: null };

export function readJson(text: string): unknown {
  let at = 0;
  let values = 0;
  const fail = (message: string, where = at): never => {
    throw new JsonError(message, text, where);
  };
  const skip = (): void => {
    BLANK.lastIndex = at;
    BLANK.exec(text);
    at = BLANK.lastIndex;
  };
  const expect = (sign: string): void => {
    skip();
    if (text[at] !== sign) fail(`expected ${JSON.stringify(sign)}, found ${found()}`);
    at += 1;
  };
  const found = (): string => (at < text.length ? JSON.stringify(text[at]) : "the end of the text");

  const string = (): string => {
    skip();
    if (text[at] !== '"') fail(`expected text in double quotes, found ${found()}`);
    let end = at + 1;
    for (;;) {
      end = text.indexOf('"', end);
      if (end < 0) fail('a " without its partner');
      let slashes = 0;
      while (text[end - 1 - slashes] === "\\") slashes += 1;
      if (slashes % 2 === 0) break;
      end += 1;
    }
    const source = text.slice(at, end + 1);
    try {
      const value = JSON.parse(source) as string;
      at = end + 1;
      return value;
    } catch {
      return fail("text with a bad escape or a line break in it");
    }
  };

  const number = (): number | bigint => {
    NUMBER.lastIndex = at;
    const source = NUMBER.exec(text)?.[0] ?? fail(`unexpected ${found()}`);
    at += source.length;
    const value = Number(source);
    if (!Number.isFinite(value)) fail("a number too large to hold", at - source.length);
    return /^-?\d+$/.test(source) && !Number.isSafeInteger(value) ? BigInt(source.slice(0, 1000)) : value;
  };

  const members = (close: string, one: () => void): void => {
    at += 1;
    skip();
    for (let count = 0; text[at] !== close; count++) {
      if (count > 0) expect(",");
      one();
      skip();
    }
    at += 1;
  };

  const value = (depth: number): unknown => {
    if (depth > MAX_DEPTH) fail(`nested deeper than ${MAX_DEPTH}`);
    values += 1;
    if (values > MAX_VALUES) fail(`holds more than ${MAX_VALUES} values`);
    skip();
    if (text[at] === '"') return string();
    if (text[at] === "[") {
      const list: unknown[] = [];
      members("]", () => list.push(value(depth + 1)));
      return list;
    }
    if (text[at] === "{") {
      const row = new Map<string, unknown>();
      members("}", () => {
        skip();
        const start = at;
        const key = string();
        if (row.has(key)) fail(`the key ${JSON.stringify(key.slice(0, 60))} is given twice`, start);
        expect(":");
        row.set(key, value(depth + 1));
      });
      return Object.fromEntries(row);
    }
    for (const [word, meaning] of Object.entries(WORDS)) {
      if (!text.startsWith(word, at)) continue;
      at += word.length;
      return meaning;
    }
    return number();
  };

  const document = value(0);
  skip();
  if (at < text.length) fail(`something follows the document: ${found()}`);
  return document;
}
