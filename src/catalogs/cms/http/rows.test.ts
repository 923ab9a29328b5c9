import fc from "fast-check";
import { expect, test } from "vitest";
import { BrokenAnswer, parseAnswer, rowsOf } from "./rows.ts";

async function* inPieces(text: string, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  let from = 0;
  for (const size of sizes) {
    if (from >= bytes.length) return;
    yield bytes.subarray(from, from + size);
    from += size;
  }
  if (from < bytes.length) yield bytes.subarray(from);
}

async function all(text: string, sizes: readonly number[] = []): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const rows of rowsOf(inPieces(text, sizes))) found.push(...rows);
  return found;
}

const rows = fc.array(fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.array(fc.string()))), {
  maxLength: 8,
});
const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 60 });

test("law: rows are the same however they arrive, by line or as one list, cut in the middle of letters or not", async () => {
  await fc.assert(
    fc.asyncProperty(rows, sizes, async (wanted, cuts) => {
      const byLine = wanted.map((row) => `${JSON.stringify(row)}\n`).join("");
      expect(await all(byLine, cuts)).toEqual(wanted);
      expect(await all(JSON.stringify(wanted), cuts)).toEqual(wanted);
      expect(await all(JSON.stringify(wanted, null, 1), cuts)).toEqual(wanted);
    }),
  );
});

test("law: a list that is cut anywhere is never taken for whole", async () => {
  await fc.assert(
    fc.asyncProperty(rows, sizes, fc.double({ min: 0, max: 1, noNaN: true }), async (wanted, cuts, share) => {
      const text = JSON.stringify(wanted);
      const cut = text.slice(0, Math.max(1, Math.floor(share * text.length)));
      if (cut.length === text.length) return;
      await expect(all(cut, cuts)).rejects.toThrow(BrokenAnswer);
    }),
  );
});

test("half a line is no row, an empty answer has none", async () => {
  await expect(all('{"a":1}\n{"a"')).rejects.toThrow(BrokenAnswer);
  expect(await all("")).toEqual([]);
  expect(await all(" [ ] \n")).toEqual([]);
  await expect(all('[{"a":1}][{"error":{}}]')).rejects.toThrow(BrokenAnswer);
});

test("no limit is no number, and strings keep the word", () => {
  expect(parseAnswer('{"a":Infinity,"b":"Infinity \\" and","c":[-Infinity,NaN]}')).toEqual({
    a: null,
    b: 'Infinity " and',
    c: [null, null],
  });
});
