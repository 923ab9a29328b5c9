import fc from "fast-check";
import { expect, test } from "vitest";
import { around, linesOf, pieces, placeOfByte, WINDOW, windowFrom } from "./window.ts";

/** A window as the server gives it. */
function windowOf(log: string, from: number, bytes = WINDOW) {
  const all = new TextEncoder().encode(log);
  const to = Math.min(all.length, from + bytes);
  const starts = [from];
  for (let at = from; at + 1 < to; at++) if (all[at] === 10) starts.push(at + 1);
  return { from, to, size_bytes: all.length, starts, text: new TextDecoder().decode(all.slice(from, to)) };
}

test("lines have numbers while the beginning of the log is there, and names always", () => {
  const log = "one\ntwo\nthree\n";
  expect(linesOf(windowOf(log, 0))).toEqual([
    { from: 0, number: 1, text: "one" },
    { from: 4, number: 2, text: "two" },
    { from: 8, number: 3, text: "three" },
  ]);
  expect(linesOf(windowOf(log, 2))).toEqual([
    { from: 4, number: null, text: "two" },
    { from: 8, number: null, text: "three" },
  ]);
});

test("going later from the beginning shows every line, whole; so does going earlier from the end", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 9000 }), { minLength: 1, maxLength: 60 }), (lengths) => {
      const log = lengths.map((length, index) => `${index}:${"x".repeat(length)}\n`).join("");
      const wanted = lengths.map((length, index) => `${index}:${"x".repeat(length)}`);
      const forwards = new Set<string>();
      for (let from: number | null = 0, steps = 0; from !== null; steps++) {
        const range = windowOf(log, from);
        for (const { text } of linesOf(range)) forwards.add(text);
        from = around(range).after;
        expect(steps).toBeLessThan(60);
      }
      expect(wanted.every((line) => forwards.has(line))).toBe(true);
      const backwards = new Set<string>();
      for (let from: number | null = Math.max(0, log.length - WINDOW), steps = 0; from !== null; steps++) {
        const range = windowOf(log, from);
        for (const { text } of linesOf(range)) backwards.add(text);
        from = around(range).before;
        expect(steps).toBeLessThan(60);
      }
      expect(wanted.every((line) => backwards.has(line))).toBe(true);
    }),
    { numRuns: 40 },
  );
});

test("a line that somebody points at is in the window, with what came before it", () => {
  expect(windowFrom({ from: null, at: null })).toBeNull();
  expect(windowFrom({ from: 7, at: 9000 })).toBe(7);
  expect(windowFrom({ from: null, at: 100 })).toBe(0);
  const log = "a line\n".repeat(20_000);
  const range = windowOf(log, windowFrom({ from: null, at: 70_000 })!);
  const lines = linesOf(range);
  expect(lines[placeOfByte(lines, 70_000)]).toMatchObject({ from: 70_000, text: "a line" });
});

test("what a terminal would colour is plain", () => {
  expect(linesOf(windowOf("\u001b[31mred\u001b[0m\tand\u0007 bell\r\n", 0))[0]!.text).toBe("red    and� bell");
});

test.each([
  ["seat refused, Refused", "refused", ["seat ", "refused", ", ", "Refused", ""]],
  ["nothing", "refused", ["nothing"]],
  ["any", "", ["any"]],
])("%s has %s in it", (text, wanted, expected) => {
  expect(pieces(text, wanted)).toEqual(expected);
});
