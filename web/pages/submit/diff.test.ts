import fc from "fast-check";
import { expect, test } from "vitest";
import { diffLines, folded } from "./diff.ts";

const texts = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 30 });

test("without what was added it is the text before, without what was removed the text after", () => {
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      const lines = diffLines(before, after);
      const without = (gone: string) => lines.filter(({ kind }) => kind !== gone).map(({ text }) => text);
      expect(without("added")).toEqual(before);
      expect(without("removed")).toEqual(after);
    }),
  );
});

test("nothing stays different that is the same", () => {
  fc.assert(fc.property(texts, (text) => diffLines(text, text).every(({ kind }) => kind === "same")));
  const signs = (before: string, after: string) =>
    diffLines(before.split(" "), after.split(" ")).map(({ kind, text }) => `${kind[0]}${text}`);
  expect(signs("a b c d", "a c x d")).toEqual(["sa", "rb", "sc", "ax", "sd"]);
});

test("very long ones are told as one change", () => {
  const [before, after] = ["x", "y"].map((word) => Array.from({ length: 3000 }, (_, at) => `${word}${at}`));
  expect(diffLines(before!, after!)).toHaveLength(6000);
});

test("what is far from a difference is only counted", () => {
  const before = Array.from({ length: 20 }, (_, at) => String(at));
  const after = before.with(10, "ten");
  const shown = folded(diffLines(before, after)).map((line) => (typeof line === "number" ? line : line.text));
  expect(shown).toEqual([8, "8", "9", "10", "ten", "11", "12", 7]);
});
