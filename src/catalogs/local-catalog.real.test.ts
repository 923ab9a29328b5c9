import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../tests/support/temp-dir.ts";
import type { OutputFile } from "../core/workflow.ts";
import { LocalLedger } from "./local-catalog.ts";
import { localDataset, parseFileList } from "./local-dataset.ts";

const NO_MASK = { runs: [], lumis: null };
const directory = () => tempDir("catalog");

test("of a list of files, one that is not there is told, and none is dropped", async () => {
  const dir = tempDir("catalog");
  for (const name of ["a.csv", "b-1.csv"]) writeFileSync(join(dir, name), "1\n");
  const open = (pattern: string) =>
    localDataset({ from: "glob", pattern: join(dir, pattern), events: { by: "unknown" }, mask: NO_MASK });
  expect(await open("{a.csv,b-*.csv}")).toMatchObject({ ok: true });
  expect(await open("{a.csv,b-*.csv,c.csv}")).toMatchObject({
    ok: false,
    error: { code: "unreadable", message: `1 input file not there: ${join(dir, "c.csv")}` },
  });
});

test("a glob is its files in order, with events counted by line", async () => {
  const dir = directory();
  writeFileSync(join(dir, "b.csv"), "1\n2\n3");
  writeFileSync(join(dir, "a.csv"), "1\n2\n");
  writeFileSync(join(dir, "empty.csv"), "");
  const found = await localDataset({
    from: "glob",
    pattern: join(dir, "*.csv"),
    events: { by: "lines" },
    mask: NO_MASK,
  });
  expect(found.ok && found.value.map(({ lfn, events }) => [lfn.slice(dir.length + 1), events])).toEqual([
    ["a.csv", 2],
    ["b.csv", 3],
    ["empty.csv", 0],
  ]);
});

test.each([
  [
    "a glob that matches nothing",
    (dir: string) => ({ from: "glob", pattern: join(dir, "*.x"), events: { by: "unknown" }, mask: NO_MASK }),
    "empty-dataset",
  ],
  [
    "a directory that is not there",
    (dir: string) => ({ from: "directory", path: join(dir, "no"), events: { by: "unknown" }, mask: NO_MASK }),
    "unreadable",
  ],
  [
    "a list that is not there",
    (dir: string) => ({ from: "list", path: join(dir, "no.json"), mask: NO_MASK }),
    "unreadable",
  ],
  ["a dataset of another catalog", () => ({ from: "dataset", dataset: "/A/B/C", mask: NO_MASK }), "unknown-dataset"],
] as const)("%s is a problem with a code", async (_story, input, code) => {
  const found = await localDataset(input(directory()) as Parameters<typeof localDataset>[0]);
  expect(found).toMatchObject({ ok: false, error: { code } });
});

test.each([
  ["garbage", "{", /is not JSON/],
  ["a row without size", '[{"lfn":"/a"}]', /row 0\.size/],
  ["a file twice", '[{"lfn":"/a","size":1},{"lfn":"/a","size":1}]', /listed twice/],
  ["a site that is no name", '[{"lfn":"/a","size":1,"sites":["T2 X; rm"]}]', /is not a site name/],
  ["nothing", "[]", /lists no files/],
  ["a line break in a name", '[{"lfn":"/a\\nb","size":1}]', /control character/],
  ["a terminal's own control in a path", '[{"lfn":"/a","path":"/\\u009bx","size":1}]', /control character/],
])("a list with %s says so", (_story, text, words) => {
  const read = parseFileList(text, "files.json");
  expect(read.ok ? "" : read.error.message).toMatch(words);
});

const output = (dir: string, name: string, text = "data"): OutputFile => {
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, name), text);
  const path = join(dir, name);
  return {
    output: "o",
    dataset: "d",
    lfn: path,
    path,
    sizeBytes: text.length,
    checksum: `cksum:${text}`,
    events: 1,
    parents: [],
  };
};

test("what is not a regular file is refused without waiting for it, also behind a link", async () => {
  const dir = directory();
  execFileSync("mkfifo", [join(dir, "pipe")]);
  symlinkSync(join(dir, "pipe"), join(dir, "link.csv"));
  const problem = async (input: object) => {
    const found = await localDataset({ ...input, mask: NO_MASK } as unknown as Parameters<typeof localDataset>[0]);
    return found.ok ? "" : found.error.message;
  };
  for (const path of [join(dir, "pipe"), "/dev/zero", dir])
    expect(await problem({ from: "list", path })).toBe(`${path} cannot be read: it is not a regular file`);
  expect(await problem({ from: "glob", pattern: join(dir, "*"), events: { by: "lines" } })).toContain(
    "no file matches",
  );
  // Made up by the kernel while it is read; some of these never end.
  expect(await problem({ from: "list", path: "/proc/self/environ" })).toContain("is not JSON");
});

test("nothing of a file that is no list is repeated", () => {
  for (const text of ["root:hunter2", '{"hunter2": 1}', '[{"lfn": "/a", "size": 1, "hunter2": 2}]', '["hunter2"]']) {
    const read = parseFileList(text, "secret.json");
    expect(read).toMatchObject({ ok: false });
    expect(JSON.stringify(read)).not.toContain("hunter2");
  }
});

test("registering twice leaves one line; another process adopts it", async () => {
  const dir = directory();
  const path = join(dir, "ledger.jsonl");
  const file = output(dir, "a.txt");
  const ledger = new LocalLedger(path);
  expect(await ledger.register("r", "mg_000000", [file])).toEqual({ kind: "registered", adopted: 0 });
  expect(await ledger.register("r", "mg_000000", [file])).toEqual({ kind: "registered", adopted: 1 });
  expect(await new LocalLedger(path).register("r", "mg_000000", [file])).toEqual({ kind: "registered", adopted: 1 });
  expect(readFileSync(path, "utf8").trim().split("\n")).toHaveLength(1);
});

test("many at once do not register one file twice", async () => {
  const dir = directory();
  const ledger = new LocalLedger(join(dir, "ledger.jsonl"));
  const file = output(dir, "a.txt");
  await Promise.all(Array.from({ length: 20 }, () => ledger.register("r", "mg_000000", [file])));
  expect(readFileSync(join(dir, "ledger.jsonl"), "utf8").trim().split("\n")).toHaveLength(1);
});

test("a torn last line is passed over and the next line is whole", async () => {
  const dir = directory();
  const path = join(dir, "ledger.jsonl");
  appendFileSync(path, '{"lfn":"/half","sizeBy');
  await new LocalLedger(path).register("r", "mg_000000", [output(dir, "a.txt")]);
  expect(readFileSync(path, "utf8").split("\n")).toHaveLength(3);
  expect(JSON.parse(readFileSync(path, "utf8").split("\n")[1] ?? "")).toMatchObject({ unit: "mg_000000" });
});

test("a file that is not there, or is not what was promised, is not registered", async () => {
  const dir = directory();
  const ledger = new LocalLedger(join(dir, "ledger.jsonl"));
  const file = output(dir, "a.txt");
  expect(await ledger.register("r", "u", [{ ...file, path: join(dir, "gone") }])).toMatchObject({ kind: "missing" });
  expect(await ledger.register("r", "u", [{ ...file, sizeBytes: 99 }])).toMatchObject({ kind: "conflict" });
  await ledger.register("r", "u", [file]);
  expect(await ledger.register("r", "u", [{ ...file, checksum: "cksum:other" }])).toMatchObject({ kind: "conflict" });
});
