import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isFound, LOG_CHARACTERS, patternProblem } from "./stderr-pattern.ts";

/** Time of this process, so that a busy machine does not matter. */
function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const BAD = [
  "(a+)+$",
  "(a|aa)+$",
  "(a|a?)+$",
  "([a-zA-Z]+)*$",
  "(.*a){10}$",
  "(x+x+)+y",
  "^(([a-z])+.)+[A-Z]([a-z])+$",
  "(a?){40}a{40}",
  "(.*[a-m].*){10}q$",
  "(\\w*\\s*){20}Q$",
  "(?:.*,){11}P",
];
const TEXTS = ["a", "ab", "x", "é€", "a, ", "error: license server busy, try again\n"].map((part) =>
  part.repeat(Math.ceil(LOG_CHARACTERS / part.length)),
);

describe("time", () => {
  test.each(BAD)("%s takes less than 100 ms for any text", (pattern) => {
    expect(patternProblem(pattern)).toBeNull();
    for (const text of TEXTS) {
      for (const log of [text, `${text}!`]) expect(cpuMs(() => isFound(pattern, log))).toBeLessThan(100);
    }
  });

  test("so does whatever can be made of such pieces, or it is refused", { timeout: 60_000 }, () => {
    const piece = fc.constantFrom("a", ".", "[a-m]", "(a|b)", "x?", "\\w", "\\s", "b*", "é");
    const count = fc.constantFrom("", "*", "+", "?", "{2,30}", "{15}", "{0,100}");
    const inner = fc.array(fc.tuple(piece, count), { minLength: 1, maxLength: 4 });
    const pattern = fc.tuple(inner, count, inner).map(([a, times, b]) => {
      const text = (pieces: string[][]) => pieces.map((each) => each.join("")).join("");
      return `(${text(a)})${times}${text(b)}$`;
    });
    fc.assert(
      fc.property(pattern, fc.constantFrom(...TEXTS), (source, text) => {
        const ms = cpuMs(() => patternProblem(source) === null && isFound(source, `${text}!`));
        expect(ms, source).toBeLessThan(100);
      }),
      { numRuns: 150 },
    );
  });
});

test.each([
  ["(?<=x)y", "invalid"],
  ["(a)\\1", "invalid escape sequence"],
  ["(?!x)", "look-ahead, look-behind and back-references are not allowed"],
  ["[", "is no regular expression"],
  ["", "is empty"],
  ["(a{40}){40}", "is"],
  ["a".repeat(501), "at most 500"],
])("%s is refused with the reason", (pattern, words) => {
  expect(patternProblem(pattern)).toContain(words);
});

test("what people write is understood as they know it", () => {
  expect(isFound("license (server )?busy", "x\nlicense busy\n")).toBe(true);
  expect(isFound("^\\d{3}\\s\\w+$", "404 gone")).toBe(true);
  expect(isFound("(?<code>\\d+) \\u00e9", "12 é")).toBe(true);
  expect(isFound("Busy", "busy")).toBe(false);
});
