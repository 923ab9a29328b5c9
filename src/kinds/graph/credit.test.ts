import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toEnd } from "../../core/base/slices.ts";
import type { RunCause } from "../../core/credit.ts";
import type { Edges } from "../../core/graph.ts";
import type { FileStamp, JobProof } from "../../core/workflow.ts";
import { decideCredits, decideMade, doubtfulFiles, predecessors } from "./credit.ts";

const at = (path: string, sizeBytes = 10, mtime = 1000): FileStamp => ({ path, sizeBytes, mtime });

/** prepare → train (reads config, makes model) → report (reads model) */
const JOBS = [
  { name: "prepare", reads: [], makes: ["config"] },
  { name: "train", reads: ["config", "data"], makes: ["model"] },
  { name: "report", reads: ["model"], makes: [] },
];
const EDGES: readonly Edges[] = [
  { parents: [0], children: [1] },
  { parents: [1], children: [2] },
];
const DISK: Readonly<Record<"config" | "data" | "model", FileStamp>> = {
  config: at("config"),
  data: at("data"),
  model: at("model"),
};
const PROOFS: Readonly<Record<string, JobProof>> = {
  prepare: { name: "", digest: "a", reads: [], makes: [DISK.config] },
  train: { name: "", digest: "b", reads: [DISK.config, DISK.data], makes: [DISK.model] },
  report: { name: "", digest: "c", reads: [DISK.model], makes: [] },
};

function decide(
  change: {
    digests?: string[];
    proofs?: Record<string, JobProof>;
    disk?: Record<string, FileStamp>;
    known?: string[];
    before?: readonly Edges[];
  } = {},
): Record<string, string> {
  const { digests = ["a", "b", "c"], proofs = PROOFS, disk = DISK, before = EDGES } = change;
  const { known = ["prepare", "train", "report"] } = change;
  const causes = toEnd(
    decideCredits({
      jobs: JOBS,
      edges: EDGES,
      digestOf: (index) => digests[index]!,
      proofs: new Map(Object.entries(proofs)),
      known: new Map([...toEnd(predecessors({ jobs: JOBS, edges: before }))].filter(([name]) => known.includes(name))),
      seen: (path) => (disk as Record<string, FileStamp>)[path] ?? null,
    }),
  );
  const runs = (cause: RunCause, index: number) =>
    cause ? [[JOBS[index]!.name, [cause.why, cause.about].filter(Boolean).join(" ")]] : [];
  return Object.fromEntries(causes.flatMap(runs));
}
const without = <T>(all: Readonly<Record<string, T>>, key: string) =>
  Object.fromEntries(Object.entries(all).filter(([name]) => name !== key));

it("a folder is as it was when what is in it is: its maker says what it left, and others may make something in it", () => {
  const folder = (path: string, listing: string, more: Partial<FileStamp> = {}): FileStamp => ({
    ...at(path),
    listing,
    ...more,
  });
  const jobs = [
    { name: "a", reads: ["data"], makes: ["out"] },
    { name: "b", reads: ["out"], makes: ["shared"] },
    { name: "c", reads: [], makes: ["shared/c"] },
  ];
  const proofs = new Map([
    ["a", { name: "a", digest: "1", reads: [folder("data", "d1")], makes: [folder("out", "o1")] }],
    ["b", { name: "b", digest: "1", reads: [at("out", 4096)], makes: [folder("shared", "s1")] }],
    ["c", { name: "c", digest: "1", reads: [], makes: [at("shared/c")] }],
  ]);
  const edges = [{ parents: [0], children: [1] }];
  const decided = (now: Partial<Record<string, FileStamp>>) => {
    const disk: Partial<Record<string, FileStamp>> = {
      ...{
        data: folder("data", "d1"),
        out: folder("out", "o1"),
        shared: folder("shared", "s2"),
        "shared/c": at("shared/c"),
      },
      ...now,
    };
    const seen = (path: string) => disk[path] ?? null;
    return toEnd(decideCredits({ jobs, edges, digestOf: () => "1", proofs, known: new Map(), seen }));
  };
  const upstream = { why: "upstream", about: "a" };
  expect(decided({})).toEqual([null, null, null]);
  expect(decided({ data: folder("data", "d2") })).toEqual([{ why: "input", about: "data" }, upstream, null]);
  expect(decided({ out: folder("out", "o2") })).toEqual([{ why: "output", about: "out" }, upstream, null]);
  // Nobody looked into it: it may have changed.
  expect(decided({ data: folder("data", "") })).toEqual([{ why: "input", about: "data" }, upstream, null]);
  // Contents decide where both were read.
  proofs.get("a")!.reads[0] = folder("data", "d1", { checksum: "x" });
  expect(toEnd(doubtfulFiles(proofs.values(), () => folder("data", "d2")))).toEqual(new Set(["data"]));
  expect(decided({ data: folder("data", "d2", { checksum: "x" }) })).toEqual([null, null, null]);
  expect(decided({ data: folder("data", "d2", { checksum: "y" }) })[0]).toEqual({ why: "input", about: "data" });
});

it("a final output that is not as it was left has its job run again", () => {
  const jobs = [{ name: "a", reads: [], makes: ["last"] }];
  const causes = (now: FileStamp) =>
    toEnd(
      decideCredits({
        jobs,
        edges: [],
        digestOf: () => "a",
        proofs: new Map([["a", { name: "a", digest: "a", reads: [], makes: [at("last")] }]]),
        known: new Map([["a", ""]]),
        seen: () => now,
      }),
    );
  expect(causes(at("last"))).toEqual([null]);
  expect(causes(at("last", 11))).toEqual([{ why: "output", about: "last" }]);
  expect(causes(at("last", 10, 2000))).toEqual([{ why: "output", about: "last" }]);
});

it("done by its outputs: made since then, of what is there, after what came before it, and followed by what waits for it", () => {
  const page: { page?: FileStamp } = { page: at("page") };
  const made = (done: number[], disk: Record<string, FileStamp>, sinceSec = 500, when: "ended" | "done" = "done") => [
    ...toEnd(
      decideMade({
        jobs: [...JOBS.slice(0, 2), { name: "report", reads: ["model"], makes: ["page"], when }],
        edges: EDGES,
        done: new Set(done),
        sinceSec,
        digestOf: String,
        seen: (path) => disk[path] ?? null,
      }),
    ).keys(),
  ];
  const all = { ...DISK, ...page };
  // What the last one left may be half written; that it began shows that the one before it ended well.
  expect(made([], all)).toEqual([0, 1]);
  expect(made([], DISK)).toEqual([0]);
  expect(made([0], DISK)).toEqual([]);
  expect(made([], { ...all, page: at("page", 1, 999) })).toEqual([0]);
  expect(made([], all, 500, "ended")).toEqual([0]);
  expect(made([], without(DISK, "config"))).toEqual([]);
  expect(made([0], { ...without(DISK, "data"), ...page })).toEqual([]);
  expect(made([], all, 1001)).toEqual([]);
  expect(made([], { ...all, data: at("data", 10, 1001) })).toEqual([0]);
});

describe("what has to run again", () => {
  it.each([
    ["nothing changed", {}, {}],
    [
      "what it waited for is not the same set",
      { before: [...EDGES, { parents: [0], children: [2] }] },
      { report: "changed" },
    ],
    ["a command changed", { digests: ["a", "B", "c"] }, { train: "changed", report: "upstream train" }],
    [
      "an input of nobody's changed",
      { disk: { ...DISK, data: at("data", 10, 2000) } },
      { train: "input data", report: "upstream train" },
    ],
    [
      "it has another size",
      { disk: { ...DISK, data: at("data", 11) } },
      { train: "input data", report: "upstream train" },
    ],
    ["it is gone", { disk: without(DISK, "data") }, { train: "input data", report: "upstream train" }],
    [
      "an output was removed",
      { disk: without(DISK, "model") },
      { train: "missing-output model", report: "input model" },
    ],
    [
      "an output was written by somebody else",
      { disk: { ...DISK, model: at("model", 12) } },
      { report: "input model" },
    ],
    ["a job had failed", { proofs: without(PROOFS, "train") }, { train: "unfinished", report: "upstream train" }],
    ["a job is new", { proofs: without(PROOFS, "report"), known: ["prepare", "train"] }, { report: "new" }],
    ["nothing ever ran", { proofs: {}, known: [] }, { prepare: "new", train: "new", report: "new" }],
  ])("%s", (_, change, expected) => expect(decide(change)).toEqual(expected));

  it("goes by contents where they are known, whatever the time says", () => {
    const data = { ...at("data"), checksum: "x" };
    const proofs = { ...PROOFS, train: { ...PROOFS.train!, reads: [DISK.config, data] } };
    expect(decide({ proofs, disk: { ...DISK, data: { ...data, mtime: 2000 } } })).toEqual({});
    expect(decide({ proofs, disk: { ...DISK, data: { ...data, checksum: "y" } } })).toEqual({
      train: "input data",
      report: "upstream train",
    });
  });
});

it.each<[string, Partial<FileStamp> | null, Partial<FileStamp>, boolean]>([
  ["another time, the same size", {}, { mtime: 2000 }, true],
  ["the same time and size", {}, {}, false],
  ["another size", {}, { mtime: 2000, sizeBytes: 11 }, false],
  ["nobody took its checksum", { checksum: undefined }, { mtime: 2000 }, false],
  ["it is gone", {}, { path: "gone" }, false],
])("contents are looked at where only they can tell: %s", (_, then, now, isDoubtful) => {
  const reads = [{ ...at("data"), checksum: "x", ...then }] as FileStamp[];
  const stamp = { ...at("data"), ...now };
  const seen = (path: string) => (path === stamp.path ? stamp : null);
  expect([...toEnd(doubtfulFiles([{ reads }], seen))]).toEqual(isDoubtful ? ["data"] : []);
});

it("runs exactly the changed jobs and all that come after them", () => {
  const graphs = fc.integer({ min: 1, max: 60 }).chain((size) => {
    const job = fc.integer({ min: 0, max: size - 1 });
    const set = fc.record({
      parents: fc.uniqueArray(job, { maxLength: 6 }),
      children: fc.uniqueArray(job, { maxLength: 6 }),
    });
    return fc.record({ size: fc.constant(size), sets: fc.array(set, { maxLength: 30 }), changed: fc.uniqueArray(job) });
  });
  fc.assert(
    fc.property(graphs, ({ size, sets, changed }) => {
      // Downwards only, so that there is no cycle.
      const edges = sets.map(({ parents, children }) => {
        const least = Math.min(...children, size);
        return { parents: parents.filter((parent) => parent < least), children };
      });
      const jobs = Array.from({ length: size }, (_, index) => ({ name: `j${index}`, reads: [], makes: [] }));
      const proof = { name: "", digest: "same", reads: [], makes: [] };
      const causes = toEnd(
        decideCredits({
          jobs,
          edges,
          digestOf: (index) => (changed.includes(index) ? "other" : "same"),
          proofs: new Map(jobs.map(({ name }) => [name, proof])),
          known: new Map(),
          seen: () => null,
        }),
      );
      const expected = new Set(changed);
      for (let grown = -1; grown !== expected.size; ) {
        grown = expected.size;
        for (const { parents, children } of edges)
          if (parents.some((parent) => expected.has(parent))) for (const child of children) expected.add(child);
      }
      expect(causes.flatMap((cause, index) => (cause ? [index] : []))).toEqual([...expected].sort((a, b) => a - b));
    }),
  );
});
