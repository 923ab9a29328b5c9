import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import {
  checkPlan,
  generateSpec,
  inputFile,
  planRound,
  processSpec,
  sampleFacts,
} from "../../../tests/support/sample-facts.ts";
import { graphFacts, graphSpec, planOf, sampleGraph } from "../../../tests/support/sample-graph.ts";
import { measuredFacts, sampleJobs } from "../../../tests/support/sample-metrics.ts";
import type { SiteName } from "../../core/names.ts";
import type { DagPlan } from "../../core/plan.ts";
import type { PlanFacts } from "../../planning/facts.ts";
import type { RenderOptions } from "./options.ts";
import { renderDag } from "./render-dag.ts";

// Whole submit directories, to be read in review. UPDATE_GOLDEN=1 writes them again.
const GOLDEN = join(dirname(fileURLToPath(import.meta.url)), "../../../tests/golden");
const [ALPHA, BETA, GAMMA] = ["T2_XX_Alpha", "T2_XX_Beta", "T2_XX_Gamma"] as SiteName[];
const at = (index: number, sites: SiteName[]) =>
  inputFile(`/data/run1/part-${index}.csv`, { events: 100 + index, sizeBytes: 50_000, sites });

const OPTIONS: RenderOptions = {
  statusIntervalSec: 30,
  scanIntervalSec: 5,
  maxJobsSubmitted: 2000,
  holdRemovalSec: 300,
  lostJobSec: 300,
  unmergedDir: "/storage/unmerged/request",
  mergedDir: "/storage/merged/request",
  deferPollSec: 30,
  avoidHostSec: 600,
};

/** Round 0 of a request over files at two places, with three outputs. */
const overFiles: PlanFacts = sampleFacts(
  processSpec({
    split: { algorithm: "FileBased", filesPerJob: 2, eventsPerJob: 100, lumisPerJob: 1 },
    unit: { jobsPerUnit: 2, targetMergedBytes: 4e9, blockTargetBytes: 1e12, maxUnitsPerBlock: 10 },
    outputs: [
      { name: "hits", file: "hits.csv", merge: { how: "concat" }, keep: true },
      { name: "plots", file: "plots.tar.gz", merge: { how: "command", argv: ["./merge.sh", "--plots"] }, keep: true },
      { name: "log", file: "run.log", merge: { how: "none" }, keep: false },
    ],
    sites: { allow: [], deny: [GAMMA!] },
  }),
  {
    files: [...[0, 1, 2, 3, 4].map((index) => at(index, [ALPHA!, BETA!, GAMMA!])), at(5, [BETA!])],
    usableSites: [ALPHA!, BETA!, GAMMA!],
  },
);

/** A later round of an adaptive generation: numbers run on, sizes are measured, events are past 2^53. */
const fromNothing: PlanFacts = measuredFacts(
  sampleFacts(
    generateSpec({
      adaptive: true,
      unit: { jobsPerUnit: 2, targetMergedBytes: 4e9, blockTargetBytes: 1e12, maxUnitsPerBlock: 1 },
      split: { algorithm: "EventBased", filesPerJob: 1, eventsPerJob: 300, lumisPerJob: 1 },
      generation: {
        totalEvents: 1500n,
        firstEvent: 2n ** 53n - 800n,
        firstLumi: 1,
        eventsPerLumi: 100,
        filterEfficiency: 0.5,
        topUp: false,
      },
    }),
    { round: 1, next: { unit: 1, node: 2, block: 1, firstEvent: 2n ** 53n - 200n, firstLumi: 7n } },
  ),
  sampleJobs(10, () => ({
    name: "select",
    memoryMb: 2100,
    wallSec: 28_800,
    cpuSec: 28_000,
    events: 300,
    outputBytes: 9_000_000,
  })),
);

/** Two prepare, three train on what both made, and whatever becomes of those, one reports. The first was done before. */
const ofJobs = () =>
  planOf(
    sampleGraph(
      8,
      [
        { parents: [0], children: [1, 2] },
        { parents: [1, 2], children: [3, 4, 5] },
        { parents: [3, 4, 5], children: [6] },
        { parents: [3, 5], children: [7] },
      ],
      (index) => ({
        ...(index === 3 && { name: "train 0.1-é", env: { LR: "0.1" }, reads: ["a.json"], makes: ["m/0.1.bin"] }),
        ...(index > 2 && index < 6 && { group: 0, resources: LARGE, handlers: ["more-memory"], retries: 1 }),
        ...(index === 6 && { when: "ended" as const, priority: 10 }),
      }),
      [{ name: "train", atOnce: 2 }],
    ),
    graphFacts(
      { credited: new Set([0]), usableSites: [ALPHA!, BETA!, GAMMA!] },
      graphSpec({ sites: { allow: [], deny: [GAMMA!] } }),
    ),
  );
const LARGE = { cores: 4, memoryMb: 4000, diskMb: 1024, wallMinutes: 120, gpus: 1 };

describe.each([
  ["process", () => planned(overFiles)],
  ["generate", () => planned(fromNothing)],
  ["graph", ofJobs],
])("the submit directory of %s", (name, planIt) => {
  const files = collect(planIt());

  it("is what the golden files say", () => {
    const root = join(GOLDEN, name);
    if (process.env.UPDATE_GOLDEN) writeAll(root, files);
    expect(readAll(root).toSorted()).toEqual([...files.keys()].toSorted());
    for (const [path, text] of files) expect(text, path).toBe(readFileSync(join(root, path), "utf8"));
  });

  it("has manifests of valid JSON with a line per node", () => {
    for (const [path, text] of files) {
      if (!path.endsWith("manifest.json")) continue;
      const parsed = JSON.parse(text);
      for (const [node, entry] of Object.entries(parsed.nodes)) {
        const line = text.split("\n").find((each) => each.startsWith(`"${node}":`));
        expect(JSON.parse(`{${line?.replace(/,$/, "")}}`)).toEqual({ [node]: entry });
      }
    }
  });

  it("renders the same again from the same plan", () => {
    const plan = planIt();
    expect(collect(plan)).toEqual(collect(plan));
  });
});

function planned(facts: PlanFacts): DagPlan {
  const outcome = planRound(facts);
  if (outcome.kind !== "planned") throw new Error(JSON.stringify(outcome));
  expect(checkPlan(outcome.plan, facts)).toEqual([]);
  return outcome.plan;
}
const collect = (plan: DagPlan) =>
  new Map([...renderDag(plan, OPTIONS)].map(({ path, chunks }) => [path, [...chunks].join("")]));

function writeAll(root: string, files: ReadonlyMap<string, string>): void {
  rmSync(root, { recursive: true, force: true });
  for (const [path, text] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

function readAll(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}
