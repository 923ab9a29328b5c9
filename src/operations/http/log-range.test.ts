import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { attemptsAlike } from "./log-alike.ts";
import { grepLog, readLogRange } from "./log-range.ts";
import { readUnitGraph } from "./unit-graph.ts";

let submitDir: string;
const NODE = { unit: "mg_000000", node: "proc_000000", file: "err" } as const;
const write = (name: string, content: string | Uint8Array) => writeFile(join(submitDir, name), content);
/** What the attempt that the tests read wrote; an older one is there, too. */
const log = (content: string | Uint8Array) => write("mg_000000/proc_000000.12.err", content);

beforeAll(async () => {
  submitDir = await mkdtemp(join(tmpdir(), "wms2-logs-"));
  for (const folder of ["mg_000000", "mg_000001", "part_000"]) await mkdir(join(submitDir, folder));
  await write("mg_000000/proc_000000.7.err", "licence 7 refused\n");
});
afterAll(() => rm(submitDir, { recursive: true }));

describe("a range of a log", () => {
  test("is the end of the newest attempt unless somebody says otherwise", async () => {
    await log("one\ntwo\nthree\n");
    expect(await readLogRange(submitDir, { ...NODE, bytes: 6 })).toMatchObject({
      ...{ cluster: "12", clusters: ["7", "12"], sizeBytes: 14, from: 8, to: 14, text: "three\n", starts: [8] },
    });
    expect(await readLogRange(submitDir, { ...NODE, cluster: "7", from: 0, bytes: 99 })).toMatchObject({
      text: "licence 7 refused\n",
    });
  });

  test("ranges put together are the whole file, no character is cut, and each start is that of a line", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.constantFrom("a", "\n", "é", "漢", "🙂", "\r\n"), maxLength: 60 }),
        fc.integer({ min: 4, max: 20 }),
        async (text, bytes) => {
          const all = Buffer.from(text);
          await log(text);
          let [read, at] = ["", 0];
          while (at < all.length) {
            const range = (await readLogRange(submitDir, { ...NODE, from: at, bytes }))!;
            expect(range.from).toBe(at);
            expect(range.to).toBeGreaterThan(at);
            const lines = range.text.replace(/\n$/, "").split("\n");
            expect(range.starts).toHaveLength(lines.length);
            for (const start of range.starts.slice(1)) expect(all[start - 1]).toBe(10);
            read += range.text;
            at = range.to;
          }
          expect(read).toBe(text);
        },
      ),
      { numRuns: 60 },
    );
  });

  test("bytes that are no text do not move what comes after them", async () => {
    await log(Buffer.from([0xff, 0xfe, 10, 0xc3, 10, 65, 10]));
    expect(await readLogRange(submitDir, { ...NODE, from: 0, bytes: 99 })).toMatchObject({ starts: [0, 3, 5] });
  });

  test("there is none of a node that never ran, nor behind a link", async () => {
    await write("secret", "secret\n");
    await symlink(join(submitDir, "secret"), join(submitDir, "mg_000000/merge.1.err"));
    for (const node of ["landing", "merge", "../proc_000000"])
      expect(await readLogRange(submitDir, { ...NODE, node, bytes: 9 })).toBeNull();
  });
});

describe("the lines of a log with a text in them", () => {
  const wanted = { ...NODE, text: "refused", ignoreCase: false, afterLine: 0, limit: 100 };
  const found = async (more: Partial<typeof wanted> = {}) => {
    const { matches, nextLine } = (await grepLog(submitDir, { ...wanted, ...more }))!;
    return [matches.map(({ line, from, text }) => `${line}@${from} ${text}`), nextLine];
  };

  test("with their numbers and first bytes; as it is, or whatever the case", async () => {
    await log("é\r\nseat Refused\r\nseat refused\nend");
    expect(await found()).toEqual([["3@18 seat refused"], null]);
    expect(await found({ ignoreCase: true })).toEqual([["2@4 seat Refused", "3@18 seat refused"], null]);
    expect(await found({ text: ".*" })).toEqual([[], null]);
  });

  test("a page at a time, each line once", async () => {
    await log("refused\n".repeat(5));
    expect(await found({ limit: 2 })).toEqual([["1@0 refused", "2@8 refused"], 2]);
    expect(await found({ limit: 3, afterLine: 2 })).toEqual([["3@16 refused", "4@24 refused", "5@32 refused"], null]);
  });

  test("a question ends after so many bytes though nothing matches, the next goes on there, and who left ends it", async () => {
    await log(`${"granted\n".repeat(1000)}refused\n`);
    const some = await grepLog(submitDir, wanted, 4000);
    expect(some).toMatchObject({ matches: [], lines: 500, nextLine: 500 });
    const rest = await grepLog(submitDir, { ...wanted, afterLine: 500 }, 4000);
    expect(rest).toMatchObject({ matches: [], nextLine: 1000 });
    expect(await grepLog(submitDir, { ...wanted, afterLine: 1000 }, 4000)).toMatchObject({ matches: [{ line: 1001 }] });
    const gone = AbortSignal.abort(new Error("the caller left"));
    await expect(grepLog(submitDir, { ...wanted, signal: gone })).rejects.toThrow("the caller left");
  });

  test("what is found can be read at its first byte, as in any range", async () => {
    await log(`${"y".repeat(1_200_000)}\n${"ö\n".repeat(9)}it was refused here\n`);
    const { matches } = (await grepLog(submitDir, wanted))!;
    const range = await readLogRange(submitDir, { ...NODE, from: matches[0]!.from, bytes: 100 });
    expect(range!.text).toBe("it was refused here\n");
  });
});

describe("who else wrote a line", () => {
  test("numbers and paths may differ, words may not; a job of a graph is a unit of its own", async () => {
    await log("licence 12 refused\nlicence 99 refused\nat last\n");
    await write("mg_000001/proc_000001.30.err", "licence 30 granted\n");
    await write("mg_000001/proc_000001.30.out", "licence 30 refused\n");
    await write("part_000/job_000004.31.err", "nothing\nlicence 31 refused");
    const alike = await attemptsAlike(submitDir, { line: "licence 5 refused", file: "err" });
    expect(alike).toMatchObject({ line: "licence <n> refused", attempts: 3, notRead: 0 });
    expect(alike.items.map(({ unit, node, cluster, from }) => `${unit}/${node} ${cluster} ${from}`)).toEqual([
      "mg_000000/proc_000000 12 19",
      "mg_000000/proc_000000 7 0",
      "job_000004/job_000004 31 8",
    ]);
  });

  test("a line of numbers says nothing, and before the first round nobody wrote", async () => {
    expect(await attemptsAlike(submitDir, { line: "17 18", file: "err" })).toMatchObject({ attempts: 0 });
    expect(await attemptsAlike(null, { line: "licence", file: "err" })).toMatchObject({ attempts: 0, lookedAt: 0 });
  });
});

describe("the DAG of a unit", () => {
  test("nodes and edges as its file has them, however it is written", async () => {
    await write(
      "mg_000000/group.dag",
      `# PARENT not CHILD me\nJOB landing landing.sub\n  job proc_000000 proc.sub DIR .\nJOB proc_000001 proc.sub
JOB merge merge.sub\nFINAL cleanup cleanup.sub\nRETRY merge 3
PARENT landing CHILD proc_000000  proc_000001 \nparent proc_000000 proc_000001 child merge\n`,
    );
    expect(await readUnitGraph(submitDir, "mg_000000")).toEqual({
      nodes: ["landing", "proc_000000", "proc_000001", "merge", "cleanup"],
      edges: [
        { from: ["landing"], to: ["proc_000000", "proc_000001"] },
        { from: ["proc_000000", "proc_000001"], to: ["merge"] },
      ],
    });
  });

  test.each(["mg_000001", "mg_000009", "job_000004", "../mg_000000"])("%s has none", async (unit) => {
    expect(await readUnitGraph(submitDir, unit)).toBeNull();
  });
});
