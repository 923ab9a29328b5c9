import { toEnd } from "../../src/core/base/slices.ts";
import type { DagId, RequestName } from "../../src/core/names.ts";
import type { DagPlan, PlanOutcome } from "../../src/core/plan.ts";
import type { RequestSpec } from "../../src/core/request.ts";
import type { GenerateWork, ProcessWork, Work } from "../../src/core/work.ts";
import type { InputFile, RunLumis } from "../../src/core/workflow.ts";
import { kindOf } from "../../src/kinds/kind.ts";
import { KINDS } from "../../src/kinds/table.ts";
import { checkInSlices, type Violation } from "../../src/planning/check.ts";
import type { PlanFacts } from "../../src/planning/facts.ts";

/** Facts for tests and benchmarks: a plain request of each kind, to be changed where a case needs it. */
export function processSpec({ input, split, ...change }: Change<ProcessWork> = {}): RequestSpec<ProcessWork> {
  return {
    ...COMMON,
    name: "muons-2026" as RequestName,
    work: {
      kind: "process",
      input: input ?? { from: "list", path: "/data/files.json", mask: { runs: [], lumis: null } },
      split: split ?? { algorithm: "FileBased", filesPerJob: 5, eventsPerJob: 100, lumisPerJob: 1 },
    },
    ...change,
  };
}
type Change<W extends Work> = Partial<RequestSpec<W>> & Pick<Partial<ProcessWork>, "input" | "split">;

export function generateSpec({ generation, split, ...change }: GenerateChange = {}): RequestSpec<GenerateWork> {
  return {
    ...COMMON,
    name: "minbias-gen" as RequestName,
    work: {
      kind: "generate",
      totalEvents: 1000n,
      firstEvent: 1n,
      firstLumi: 1,
      eventsPerLumi: 100,
      filterEfficiency: 1,
      topUp: false,
      split: split ?? { algorithm: "EventBased", filesPerJob: 1, eventsPerJob: 100, lumisPerJob: 1 },
      ...generation,
    },
    ...change,
  };
}
type GenerateChange = Change<GenerateWork> & { readonly generation?: Partial<GenerateWork> };

/** The first round of a request of any kind, and what is wrong with a plan. */
export const planRound = (facts: PlanFacts): PlanOutcome => toEnd(planInSlices(facts));
export const planInSlices = (facts: PlanFacts) => kindOf(KINDS, facts.spec.work).plan(facts);
export const checkPlan = (plan: DagPlan, facts: PlanFacts): readonly Violation[] =>
  toEnd(checkInSlices(plan, facts, kindOf(KINDS, facts.spec.work)));

type FactsChange = Partial<Omit<PlanFacts, "policy">> & { readonly policy?: Partial<PlanFacts["policy"]> };
export function sampleFacts(spec: RequestSpec, { policy, ...change }: FactsChange = {}): PlanFacts {
  return {
    spec,
    dagId: "0b7c5c1e-5e1f-4d2a-9c3b-7a6d5e4f3c2b" as DagId,
    round: 0,
    files: [],
    next: { unit: 0, node: 0, block: 0, firstEvent: 1n, firstLumi: 1n },
    usableSites: null,
    policy: { ...POLICY, ...policy },
    ...change,
  };
}

const POLICY: PlanFacts["policy"] = {
  roundZeroUnits: 1,
  probeJobs: 0,
  minSampledJobs: 5,
  overcommitMax: 1,
  leastMemoryPerCoreMb: 2000,
  maxMemoryPerCoreMb: 3000,
  maxNodesPerRound: 1_000_000,
  maxNodesPerRequest: 10_000_000,
  maxDiskMb: 10_000_000,
  maxWallMinutes: 47 * 60,
};

export function inputFile(lfn: string, change: Partial<InputFile> = {}): InputFile {
  return { lfn, path: lfn, sizeBytes: 1_000_000, events: 100, lumis: [], sites: [], ...change };
}

/** lumis(1, "1-3,7") is run 1 with lumis 1, 2, 3 and 7. */
export function lumis(run: number, text: string): RunLumis {
  const numbers = text.split(",").flatMap((part) => {
    const [first, last = first] = part.split("-").map(Number);
    return Array.from({ length: last! - first! + 1 }, (_, index) => first! + index);
  });
  return { run, lumis: numbers };
}

const COMMON = {
  requestor: "somebody",
  requestorDn: null,
  group: "physics",
  campaign: "Test2026",
  acquisitionEra: "Run2026A",
  processingString: "Skim",
  processingVersion: 1,
  priority: 100_000,
  urgent: false,
  productionSteps: [],
  steps: [{ name: "select", argv: ["./select.sh", "--fast"], env: { MODE: "test" } }],
  outputs: [{ name: "hits", file: "hits.csv", merge: { how: "concat" }, keep: true }],
  resources: {
    cores: 1,
    memoryMb: 1000,
    wallMinutes: 60,
    diskMb: 1024,
    gpus: 0,
    secondsPerEvent: null,
    kbPerEvent: null,
  },
  sites: { allow: [], deny: [] },
  unit: { jobsPerUnit: 8, targetMergedBytes: 4e9, blockTargetBytes: 1e12, maxUnitsPerBlock: 100 },
  retries: { landing: 3, processing: 3, merge: 2, cleanup: 1, job: 3 },
  throttles: { units: 10, processing: 5000, merge: 100, cleanup: 50 },
  adaptive: false,
  recovery: { holdThreshold: 0.2, maxRescues: 3, pendingClassification: false, auto: false, handlers: [] },
  cleanupPolicy: "keep_until_replaced",
  previousVersion: null,
  metadata: {},
} satisfies Partial<RequestSpec>;
