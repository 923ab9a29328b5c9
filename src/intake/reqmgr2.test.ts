import { expect, test } from "vitest";
import {
  describeProblems,
  generated,
  RULES,
  readSubmission,
  stepChainDocument,
} from "../../tests/support/request-documents.ts";
import type { Submission } from "../core/submission.ts";
import { simulatorProfile } from "./reqmgr2-chain.ts";

const lines = (document: unknown): string => {
  const read = readSubmission(document, RULES);
  return read.ok ? "" : describeProblems(read.error).join("\n");
};
const accepted = (document: unknown): Submission => {
  expect(lines(document)).toBe("");
  const read = readSubmission(document, RULES);
  if (!read.ok) throw new Error("unreachable");
  return read.value;
};

test("the StepChain of the facts: 5 jobs of 4300 events, 43 lumis each", () => {
  const { spec, warnings } = accepted(stepChainDocument());
  expect(spec).toMatchObject({
    name: "demo_GEN_RECO",
    group: "DATAOPS",
    priority: 8000,
    acquisitionEra: "Demo26",
    processingString: "gen_v1",
    work: {
      kind: "generate",
      totalEvents: 20_000n,
      firstEvent: 1n,
      firstLumi: 1,
      eventsPerLumi: 100,
      filterEfficiency: 0.5,
      split: { algorithm: "EventBased", eventsPerJob: 4300 },
    },
    resources: { cores: 4, memoryMb: 8000, secondsPerEvent: 10, kbPerEvent: 300, wallMinutes: 1075, diskMb: 1290 },
    steps: [
      { name: "GEN", argv: ["wms2/simulate", "GEN"] },
      { name: "RECO", argv: ["wms2/simulate", "RECO"] },
    ],
    outputs: [{ name: "reco", file: "reco.out", keep: true }],
    metadata: {
      cmssw_version: "CMSSW_13_0_10",
      global_tag: "GT_demo",
      prep_id: "DEMO-0001",
      request_type: "StepChain",
    },
  });
  expect(Math.ceil(20_000 / generated(spec).split.eventsPerJob)).toBe(5);
  expect(spec.steps[0]?.env.WMS2_SIM_OPTIONS).toBe('{"filter":{"GEN":0.5}}');
  expect(spec.metadata.reqmgr2).toEqual(stepChainDocument());
  expect(warnings.join()).toContain("simulator");
});

test("the sizing follows the request", () => {
  const size = (step: object, top: object = {}): readonly unknown[] => {
    const base = stepChainDocument().Step1 as object;
    const { spec } = accepted(stepChainDocument({ ...top, Step1: { ...base, EventsPerLumi: undefined, ...step } }));
    const { totalEvents, split, eventsPerLumi } = generated(spec);
    return [totalEvents, split.eventsPerJob, eventsPerLumi];
  };
  expect(size({})).toEqual([20_000n, 4320, 4320]);
  expect(size({ EventsPerJob: 250, EventsPerLumi: 100 })).toEqual([20_000n, 200, 100]);
  expect(size({ EventsPerJob: 350, EventsPerLumi: 100 })).toEqual([20_000n, 400, 100]);
  expect(size({ EventsPerLumi: 1_000_000 })).toEqual([20_000n, 4320, 4320]);
  expect(size({ RequestNumEvents: 100, FilterEfficiency: 0.3 })).toEqual([333n, 333, 333]);
  expect(
    size({ RequestNumEvents: "9007199254740993", FilterEfficiency: 1, EventsPerJob: 1e12 }, { SizePerEvent: 1e-6 }),
  ).toEqual([9_007_199_254_740_993n, 1e12, 1e12]);
  expect(size({}, { TimePerEvent: undefined })).toEqual([20_000n, 3600, 3600]);
});

const rereco = (overrides: object = {}): object => ({
  RequestType: "ReReco",
  RequestName: "pdmv_Run2024A_250130_123456_99",
  InputDataset: "/Muon/Run2024A-v1/RAW",
  CMSSWVersion: "CMSSW_14_0_0",
  Memory: "2500",
  RunWhitelist: [12, 11],
  LumiList: {
    "11": [
      [1, 5],
      [6, 9],
    ],
  },
  SiteWhitelist: ["T2_XX_Alpha"],
  RequestStatus: "assigned",
  RequestTransition: [{ Status: "new", UpdateTime: 1, DN: "/x" }],
  ...overrides,
});

test("a ReReco is processing, with ReqMgr2's defaults", () => {
  const { spec } = accepted(rereco({ RequestPriority: 90_000, recovery: { max_rescues: 1 }, urgent: true }));
  expect(spec).toMatchObject({
    work: {
      kind: "process",
      input: { from: "dataset", dataset: "/Muon/Run2024A-v1/RAW", mask: { runs: [11, 12], lumis: { "11": [[1, 9]] } } },
      split: { algorithm: "EventAwareLumiBased", eventsPerJob: 3600, lumisPerJob: 8, filesPerJob: 1 },
    },
    resources: { cores: 1, memoryMb: 2500 },
    sites: { allow: ["T2_XX_Alpha"], deny: [] },
    outputs: [{ name: "reco", file: "reco.out" }],
    recovery: { maxRescues: 1 },
    urgent: true,
    priority: 90_000,
  });
});

test("a chain with input is processing", () => {
  const { spec } = accepted(
    stepChainDocument({
      Step1: { StepName: "DIGI", InputDataset: "/A/B/C", SplittingAlgo: "LumiBased", LumisPerJob: 3 },
      Step2: { StepName: "RECO", InputStep: "DIGI" },
    }),
  );
  expect(spec).toMatchObject({
    work: { kind: "process", input: { dataset: "/A/B/C" }, split: { algorithm: "LumiBased", lumisPerJob: 3 } },
  });
  expect(spec.outputs.map((output) => output.name)).toEqual(["digi", "reco"]);
});

test("what ReqMgr2's GET answers is unwrapped, and paths say so", () => {
  const { spec } = accepted({ result: [{ demo: stepChainDocument({ RequestName: "demo_1" }) }] });
  expect(spec.name).toBe("demo_1");
  expect(lines({ result: [{ demo: stepChainDocument({ Multicore: 0 }) }] })).toContain(
    "result[0].demo.Multicore: must be at least 1",
  );
});

test.each<[object, string]>([
  [stepChainDocument({ RequestType: "TaskChain" }), "RequestType: TaskChain cannot be taken: it needs tasks"],
  [stepChainDocument({ RequestType: "StepChian" }), "did you mean StepChain?"],
  [stepChainDocument({ RequestString: undefined }), "RequestName: is missing"],
  [stepChainDocument({ RequestString: "a b" }), "RequestString: is not allowed"],
  [stepChainDocument({ Step2: undefined }), "Step2: must be a map: StepChain promises 2 steps"],
  [stepChainDocument({ Step3: {} }), "Step3: is not one of the 2 steps"],
  [stepChainDocument({ StepChain: 0 }), "StepChain: must be at least 1"],
  [
    stepChainDocument({ Step2: { StepName: "RECO", InputStep: "SIM" } }),
    'Step2.InputStep: "SIM" is not an earlier step; allowed: GEN',
  ],
  [stepChainDocument({ Step2: { StepName: "GEN", InputStep: "GEN" } }), 'Step2.StepName: "GEN" is used twice'],
  [
    stepChainDocument({ Step2: { StepName: "R", InputStep: "GEN", KeepOutput: false } }),
    "Step2.KeepOutput: the last step's output must be kept",
  ],
  [stepChainDocument({ Step1: { StepName: "GEN" } }), "Step1.RequestNumEvents: is missing"],
  [stepChainDocument({ Memory: 20_000 }), "Memory: asks for too much: 20000 MB on 4 cores is 5000 MB per core"],
  [stepChainDocument({ TimePerEvnt: 3 }), "TimePerEvnt: is not a known key; did you mean TimePerEvent?"],
  [rereco({ InputDataset: undefined }), "InputDataset: is missing"],
  [rereco({ SplittingAlgo: "FileBase" }), "did you mean FileBased?"],
  [rereco({ RequestType: "Resubmission" }), "Resubmission cannot be taken: it needs the leftovers"],
  [rereco({ RequestType: "DQMHarvest" }), "DQMHarvest cannot be taken: it needs jobs that each read a whole run"],
  [rereco({ RequestType: "StoreResults" }), "StoreResults cannot be taken: it needs a DBS instance"],
  [rereco({ BlockBlacklist: ["x"] }), "BlockBlacklist[0]: must be a block of the input"],
  [rereco({ SiteBlacklist: ["T2_XX_Alpha"] }), "is both allowed and denied"],
  [rereco({ LumiList: { x: 1 } }), "LumiList.x: must be a run number"],
])("problem %#", (document, expected) => expect(lines(document)).toContain(expected));

test("fields nobody knows are carried and mentioned", () => {
  expect(accepted(rereco({ SomethingQuiteNew: 1 })).warnings.join("\n")).toContain(
    "SomethingQuiteNew: is not known here",
  );
});

test("no two steps of a chain are the same to the simulator", () => {
  const { spec } = accepted(
    stepChainDocument({
      Step1: { StepName: "one", RequestNumEvents: 5 },
      Step2: { StepName: "two", InputStep: "one" },
      StepChain: 3,
      Step3: { StepName: "three", InputStep: "two" },
    }),
  );
  expect(spec.steps.map((step) => step.argv[1])).toEqual(["GEN", "RECO", "MINI"]);
  expect(spec.outputs.map((output) => [output.name, output.file])).toEqual([
    ["one", "gen.out"],
    ["two", "reco.out"],
    ["three", "mini.out"],
  ]);
});

test("the simulator's step that is most like a step", () => {
  const names = ["GEN", "GENSIM_0", "HIG-RunIII-00012_0", "miniAOD", "DIGI-RAW"];
  expect(names.map((name) => simulatorProfile(name, false))).toEqual(["GEN", "SIM", "RECO", "MINI", "DIGI"]);
  expect(simulatorProfile("first", true)).toBe("GEN");
});
