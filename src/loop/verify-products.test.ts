import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  due,
  fillFacts,
  sampleComponent,
  sampleFamily,
  sampleRow,
  sampleSegments,
  years,
} from "../../tests/support/sample-segments.ts";
import type { RequestRecord } from "../core/request.ts";
import type { NodeRow } from "../core/segments.ts";
import type { Products } from "../kinds/kind.ts";
import { segmentsKind } from "../kinds/segments/kind.ts";
import { madeSum } from "../kinds/segments/made-of.ts";
import type { Ports } from "./ports.ts";
import { verifyFor, verifyProducts } from "./verify-products.ts";

const products = segmentsKind.products as unknown as Products;
const SUM = madeSum([{ checksum: "cksum:1" }]);

/** A disk with these files; every read takes so long, and is counted. */
function world(files: Readonly<Record<string, { size?: number; sum?: string; levels?: number | null }>>, readMs = 0) {
  let now = 0;
  const read: string[] = [];
  const ports = {
    clock: { now: () => new Date(now) },
    spool: {
      stamps: async (_: string, paths: Iterable<string>) =>
        new Map(
          [...paths].flatMap((path) =>
            files[path] ? [[path, { path, sizeBytes: files[path].size ?? 9, mtime: 1 }]] : [],
          ),
        ),
      checksums: async (_: string, paths: readonly string[]) => {
        now += readMs * paths.length;
        read.push(...paths);
        return new Map(paths.map((path) => [path, files[path]?.sum ?? "cksum:1"]));
      },
      folderStamps: async () => new Map(),
      countLevels: async (_: string, argv: readonly string[]) => files[argv.at(-1)!]?.levels ?? null,
    },
  };
  return { ports: ports as unknown as Ports, read };
}
const requestOf = (work = sampleSegments()) => ({ spec: { work }, modifications: null }) as unknown as RequestRecord;
const seenWith = (rows: readonly NodeRow[] = [], work = sampleSegments()) => {
  const { history, range, rows: known } = fillFacts({ rows, work });
  return { look: { history, range }, rows: known };
};
const fileOf = (id: string): string => `pp/${id}.nc`;

describe("a product that is a folder", () => {
  const work = sampleSegments({
    components: [
      sampleComponent(
        "atmos",
        sampleFamily(years(5), { outputs: [{ path: "pp/{component}/{product}/{span}/", minBytes: 5, levels: null }] }),
      ),
    ],
  });
  /** Of each chunk that is there, how many files it has. */
  const folders = (files: Readonly<Record<number, number>>) => {
    const there = new Map(Object.entries(files).map(([year, count]) => [`pp/${due(Number(year), 5)}/`, count]));
    const stamp = (path: string) => ({ path, sizeBytes: 9, mtime: 1, listing: "1", files: there.get(path)! });
    const ports = {
      clock: { now: () => new Date(0) },
      spool: {
        stamps: async (_: string, paths: Iterable<string>) =>
          new Map([...paths].filter((path) => there.has(path)).map((path) => [path, { ...stamp(path), listing: "" }])),
        checksums: async () => new Map(),
        folderStamps: async ({ folders }: { folders: readonly string[] }) =>
          new Map(folders.map((path) => [path, { ...stamp(path), checksum: "cksum:1" }])),
      },
    };
    return ports as unknown as Ports;
  };
  const verified = async (files: Readonly<Record<number, number>>, rows: readonly NodeRow[] = []) =>
    (await verifyProducts(folders(files), products, requestOf(work), seenWith(rows, work))).map(
      ({ id, state, reason }) => [id, state, reason],
    );
  const MADE = madeSum([{ checksum: "cksum:1", files: 3 }]);

  test("is there with all its files, and the count is kept with it", async () => {
    expect(MADE).toMatch(/^3:/);
    expect(await verified({ 5: 3, 10: 3 })).toEqual([
      [due(5, 5), "done", null],
      [due(10, 5), "done", null],
    ]);
    expect(await verified({ 5: 3 }, [sampleRow(due(5, 5), "done", { madeSum: MADE })])).toEqual([]);
  });
  test("may be half written where other chunks have more: it is made, not taken", async () => {
    expect(await verified({ 5: 3, 10: 2 })).toEqual([[due(5, 5), "done", null]]);
  });
  test("that has lost a file, or all, is missing; one that always had fewer is not", async () => {
    const row = sampleRow(due(5, 5), "done", { madeSum: MADE });
    expect(await verified({ 5: 2 }, [row])).toEqual([
      [due(5, 5), "missing", `pp/${due(5, 5)}/ has 2 files, and had 3 when it was made`],
    ]);
    expect(await verified({ 5: 0 }, [row])).toEqual([
      [due(5, 5), "missing", `pp/${due(5, 5)}/ has 0 files, less than 1`],
    ]);
    expect(await verified({ 5: 3, 10: 4 }, [row, sampleRow(due(10, 5), "done", { madeSum: "4:x" })])).toMatchObject([
      [due(10, 5), "done", null],
    ]);
  });
});

describe("what a look at the files of a product says", () => {
  const LEVELS = sampleSegments({
    components: [
      sampleComponent(
        "atmos",
        sampleFamily(years(5), {
          outputs: [{ path: "pp/{component}/{product}/{span}.nc", minBytes: 5, levels: ["count", "{output}"] }],
        }),
      ),
    ],
  });
  test.each([
    ["there and right, and nobody knew", null, { levels: 60 }, "done"],
    ["there and right, as is known", sampleRow(due(5), "done", { madeSum: SUM }), { levels: 60 }, null],
    ["there, and another than before", sampleRow(due(5), "done", { madeSum: "other" }), { levels: 60 }, "done"],
    ["failed, and there now", sampleRow(due(5), "failed", { executions: 1 }), { levels: 60 }, "done"],
    ["not there, and said to be done", sampleRow(due(5), "done"), undefined, "missing"],
    ["not there, as is known", sampleRow(due(5), "failed"), undefined, null],
    ["too small", sampleRow(due(5), "done"), { size: 4, levels: 60 }, "missing"],
    ["too few time levels", sampleRow(due(5), "done"), { levels: 59 }, "missing"],
    ["nobody could count its time levels", sampleRow(due(5), "done"), { levels: null }, null],
    ["there, and somebody is at it", sampleRow(due(5), "submitted"), { levels: 60 }, null],
    ["gone, and frepp has it", sampleRow(due(5), "elsewhere"), undefined, null],
    ["there, and a person has to look", sampleRow(due(5), "held"), { levels: 60 }, null],
  ] as const)("%s", async (_story, row, file, state) => {
    const { ports } = world(file ? { [fileOf(due(5))]: file } : {});
    const seen = seenWith(row ? [row] : [], LEVELS);
    const rows = await verifyProducts(ports, products, requestOf(LEVELS), seen, new Set([due(5)]));
    expect(rows.map((one) => one.state)).toEqual(state === null ? [] : [state]);
    if (state === "done") expect(rows[0]).toMatchObject({ madeSum: SUM, executions: 0, reason: null });
    if (state === "missing") expect(rows[0]?.reason).toContain(fileOf(due(5)));
  });
});

const MANY = sampleSegments({
  components: Array.from({ length: 9 }, (_, at) => sampleComponent(`c${at}`, sampleFamily(years(1, 5)))),
});
const ALL = products.checks(MANY, seenWith([], MANY).look).map(({ id }) => id);

test("a look ends when its time is up, after some at least, and says where to go on", async () => {
  const files = Object.fromEntries(ALL.map((id) => [fileOf(id), {}]));
  const { ports, read } = world(files, 100);
  const first = await verifyFor(ports, products, requestOf(MANY), seenWith([], MANY), { after: null, longestMs: 1 });
  expect(first).toMatchObject({ looked: 100, of: ALL.length, next: ALL[99] });
  expect(read).toHaveLength(100);
  const unknown = { after: "none/of/them", longestMs: 1 };
  expect(await verifyFor(ports, products, requestOf(MANY), seenWith([], MANY), unknown)).toBeNull();
});

test("what is large is read one after the other", async () => {
  const files = Object.fromEntries(ALL.map((id) => [fileOf(id), { size: 5e9 }]));
  const { ports, read } = world(files, 100);
  await verifyFor(ports, products, requestOf(MANY), seenWith([], MANY), { after: null, longestMs: 250 });
  expect(read).toHaveLength(3);
});

test("law: however short the looks are, together they say the same as one long one", async () => {
  const found = fc.subarray(ALL.slice(), { minLength: 1 });
  await fc.assert(
    fc.asyncProperty(found, fc.integer({ min: 1, max: 30_000 }), async (there, longestMs) => {
      const files = Object.fromEntries(there.map((id) => [fileOf(id), {}]));
      const whole = await verifyProducts(world(files).ports, products, requestOf(MANY), seenWith([], MANY));
      const { ports } = world(files, 20);
      const known = new Map<string, NodeRow>();
      const told: string[] = [];
      for (let after: string | null = null; ; ) {
        const from = { look: seenWith([], MANY).look, rows: known };
        const part: Awaited<ReturnType<typeof verifyFor>> = await verifyFor(ports, products, requestOf(MANY), from, {
          after,
          longestMs,
        });
        for (const row of part!.rows) known.set(row.id, row);
        told.push(...part!.rows.map(({ id }) => id));
        after = part!.next;
        if (after === null) break;
      }
      expect(told).toEqual(whole.map(({ id }) => id));
      expect([...known.values()].map(({ madeOfSum }) => madeOfSum)).toEqual(whole.map(({ madeOfSum }) => madeOfSum));
    }),
    { numRuns: 10 },
  );
});
