import { describe, expect, test } from "vitest";
import {
  describeProblems,
  RULES,
  readSubmission,
  servedDocument,
  stepChainDocument,
  templateDocument,
} from "../../tests/support/request-documents.ts";
import { datasetName } from "../core/output-names.ts";
import type { Submission } from "../core/submission.ts";

const problems = (document: unknown): readonly string[] => {
  const read = readSubmission(document, RULES);
  return read.ok ? [] : describeProblems(read.error);
};
const accepted = (document: unknown): Submission => {
  expect(problems(document)).toEqual([]);
  const read = readSubmission(document, RULES);
  if (!read.ok) throw new Error("unreachable");
  return read.value;
};
const datasets = (document: unknown): readonly string[] => {
  const { spec } = accepted(document);
  return spec.outputs.map((output) => datasetName(spec, output));
};
const step = (number: 1 | 2, change: object) => ({ ...(stepChainDocument()[`Step${number}`] as object), ...change });

describe("what ReqMgr2 gives out is read", () => {
  test("with all the keys a server adds, and keys nobody has heard of", () => {
    const { spec, warnings } = accepted(servedDocument({ Groupp: "x", Step1: step(1, { GlobalTagg: "y" }) }));
    expect(spec).toMatchObject({ name: "pdmv_demo_260101_120000_7", group: "DATAOPS", priority: 110_000 });
    expect(warnings.join("\n")).toContain("Groupp: is not known here; it is carried along");
    expect(warnings.join("\n")).toContain("Step1.GlobalTagg: is not known here");
    expect(spec.metadata.reqmgr2).toMatchObject({ VoGroup: "unknown" });
    expect(problems(stepChainDocument({ Groupp: "x" }))).toEqual(["Groupp: is not a known key; did you mean Group?"]);
  });

  test.each<[string, (document: object) => unknown]>([
    ["itself", (document) => document],
    ["a list", (document) => [document]],
    ["by its name", (document) => ({ pdmv_demo_260101_120000_7: document })],
    ["a result", (document) => ({ result: [document] })],
    ["a result by name", (document) => ({ result: [{ pdmv_demo_260101_120000_7: document }] })],
  ])("wrapped as %s", (_how, wrap) => {
    expect(accepted(wrap(servedDocument())).spec.name).toBe("pdmv_demo_260101_120000_7");
  });

  test.each<[string, unknown]>([
    ["a list", [servedDocument(), servedDocument({ RequestName: "other" })]],
    ["one result", { result: [{ a: servedDocument(), b: servedDocument({ RequestName: "other" }) }] }],
    ["several results", { result: [servedDocument(), { other: servedDocument({ RequestName: "other" }) }] }],
  ])("several in %s are named, one at a time", (_how, document) => {
    expect(problems(document)).toEqual([
      "the document: holds 2 requests (pdmv_demo_260101_120000_7, other); submit them one at a time",
    ]);
  });

  test("our own form is never taken for a wrapping", () => {
    expect(problems({ input: { files: "/a" }, metadata: { InputDataset: "/A/B/C" } })[0]).toContain("name: is missing");
    expect(problems([{ name: "x" }])[0]).toContain("must be a map of keys (got a list of 1)");
  });
});

describe("templates", () => {
  test("what is assigned stands above what is created, in every step", () => {
    const { spec, warnings } = accepted(templateDocument());
    expect(spec).toMatchObject({ name: "demo_GEN_RECO", sites: { allow: ["T2_XX_Alpha"] }, processingVersion: 19 });
    expect(warnings.join("\n")).toContain("Team: is still Team-OVERRIDE-ME");
    expect(datasets(templateDocument())).toEqual(["/DemoPD/Assigned-gen_v1-v19/RECO"]);
  });

  test("what is left to fill in is named, all of it", () => {
    const open = templateDocument({
      RequestString: "RequestString-OVERRIDE-ME",
      SiteWhitelist: ["SiteWhitelist-OVERRIDE-ME"],
      AcquisitionEra: { RECO: "AcquisitionEra-OVERRIDE-ME", GEN: "Fine" },
    });
    const found = problems(open).filter((line) => line.includes("still to be filled in"));
    expect(problems(open)).toEqual(found);
    expect(found.map((line) => line.split(":", 1)[0])).toEqual([
      "RequestString",
      "AcquisitionEra.RECO",
      "SiteWhitelist[0]",
    ]);
  });

  test("a change of the splitting is refused, an empty one is not", () => {
    expect(problems({ ...templateDocument(), changeSplitting: { GEN: { events_per_job: 5 } } })).toEqual([
      "changeSplitting: is not applied; write SplittingAlgo and its numbers into the first step instead",
    ]);
    accepted({ ...templateDocument(), changeSplitting: {} });
  });
});

test("what ReqMgr2 casts is cast", () => {
  const { spec } = accepted({
    RequestType: "ReReco",
    RequestString: "cast",
    InputDataset: "/Muon/Run2024A-v1/RAW",
    Memory: "2000.5",
    Multicore: 1.0,
    TimePerEvent: "1e1",
    LumisPerJob: "7",
    SplittingAlgo: "LumiBased",
    RequestPriority: "90000",
    ProcessingVersion: "3",
    ProcessingString: 2024,
    SiteWhitelist: "T2_XX_Alpha, T2_XX_Beta",
    RunWhitelist: ["12", 11],
    LumiList: '{"11": [[1, 5]]}',
    TrustSitelists: "True",
    IncludeParents: "False",
  });
  expect(spec).toMatchObject({
    resources: { memoryMb: 2001, secondsPerEvent: 10 },
    priority: 90_000,
    processingVersion: 3,
    processingString: "2024",
    sites: { allow: ["T2_XX_Alpha", "T2_XX_Beta"], trust: true },
    work: { input: { mask: { runs: [11, 12], lumis: { "11": [[1, 5]] } } }, split: { lumisPerJob: 7 } },
  });
  expect(problems(stepChainDocument({ Step2: step(2, { KeepOutput: "perhaps" }) }))[0]).toContain(
    "Step2.KeepOutput: must be true or false",
  );
});

const KINDS = '{"GPUMemoryMB": 8000, "CUDARuntime": "12.0"}';
describe("what would change the work is honoured or refused", () => {
  test.each<[object, string]>([
    [{ IncludeParents: true }, "IncludeParents: jobs cannot be given the parents"],
    [{ Step1: step(1, { IncludeParents: "True" }) }, "Step1.IncludeParents: jobs cannot be given the parents"],
    [{ BlockWhitelist: ["/A/B/C#1"] }, "BlockWhitelist: chooses among the files of an InputDataset"],
    [{ BlockWhitelist: ["/A/B/C#1"], Step1: step(1, { BlockWhitelist: [] }) }, "BlockWhitelist: chooses among"],
    [{ Step2: step(2, { BlockBlacklist: ["x"] }) }, "Step2.BlockBlacklist: only the first step can read a dataset"],
    [{ Step2: step(2, { RunWhitelist: [7] }) }, "Step2.RunWhitelist: only the first step can read a dataset"],
    [{ RunBlacklist: [5] }, "RunBlacklist: chooses among the files of an InputDataset, and there is none"],
    [{ wms_backend: "wmcore" }, 'wms_backend: this request is for "wmcore"; allowed: wms2'],
    [{ JobExtraMatchRequirements: "HasAvx" }, "JobExtraMatchRequirements: conditions"],
    [{ Step2: step(2, { InputDataset: "/A/B/C" }) }, "Step2.InputDataset: only the first step can read a dataset"],
    [
      { SkimName1: "s", SkimInput1: "RECOoutput", Skim1ConfigCacheID: "a" },
      "SkimInput1: skims of an output are not made",
    ],
    [{ RequiresGPU: "required", GPUParams: '{"CUDADriverVersion": "1"}' }, "CUDADriverVersion: cannot be matched"],
    [
      { RequiresGPU: "required", GPUParams: '{"CUDACapabilities": ["x"]}' },
      "CUDACapabilities[0]: must be a capability",
    ],
    [{ RequiresGPU: "required", GPUParams: '{"Colour": "red"}' }, "GPUParams.Colour: is not a known key"],
    [{ RequiresGPU: "required", GPUParams: "red" }, "GPUParams: must be a map"],
    [{ RequiresGPU: "sometimes" }, 'RequiresGPU: "sometimes" is not one of the choices'],
  ])("%j", (change, expected) => expect(problems(stepChainDocument(change as never)).join("\n")).toContain(expected));

  test("the kind of GPU is what all steps together need", () => {
    const of = (change: object) => accepted(stepChainDocument(change as never)).spec.resources;
    const wanted =
      '{"GPUMemoryMB": 8000, "CUDACapabilities": ["7.5", "8.0"], "CUDARuntime": "11.2", "GPUName": "Tesla T4"}';
    expect(of({ RequiresGPU: "required", GPUParams: wanted })).toMatchObject({
      gpus: 1,
      gpuKind: { capabilities: ["7.5", "8.0"], memoryMb: 8000, runtime: "11.2", name: "Tesla T4" },
    });
    const other = {
      RequiresGPU: "required",
      GPUParams: { GPUMemoryMB: 16_000, CUDACapabilities: ["8.0"], CUDARuntime: "12.0" },
    };
    expect(of({ RequiresGPU: "required", GPUParams: wanted, Step2: step(2, other) }).gpuKind).toEqual({
      capabilities: ["8.0"],
      memoryMb: 16_000,
      runtime: "12.0",
      name: "Tesla T4",
    });
  });

  test("GPUs are asked for, when any will do", () => {
    const gpus = (change: object) => accepted(stepChainDocument(change as never)).spec.resources.gpus;
    expect(gpus({ RequiresGPU: "forbidden", GPUParams: "null" })).toBe(0);
    expect(gpus({ Step2: step(2, { RequiresGPU: "required", GPUParams: "null" }) })).toBe(1);
    const optional = accepted(stepChainDocument({ RequiresGPU: "optional", GPUParams: KINDS }));
    expect([optional.spec.resources.gpus, optional.warnings.join()]).toEqual([0, expect.stringContaining("no GPU")]);
  });

  test("a filter at the top counts as the first step's", () => {
    const { spec } = accepted(
      stepChainDocument({ FilterEfficiency: 0.25, Step1: step(1, { FilterEfficiency: undefined }) }),
    );
    expect(spec.work).toMatchObject({ totalEvents: 40_000n, filterEfficiency: 0.25 });
  });
});

describe("names of outputs", () => {
  const kept = { Step1: step(1, { KeepOutput: true, AcquisitionEra: "EraOne", ProcessingVersion: 4 }) };

  test("follow primary dataset, era, string and version of their step", () => {
    expect(datasets(stepChainDocument(kept))).toEqual([
      "/DemoPD/EraOne-gen_v1-v4/GEN",
      "/DemoPD/Demo26-gen_v1-v1/RECO",
    ]);
    expect(
      datasets(
        stepChainDocument({
          ...kept,
          AcquisitionEra: { GEN: "A", RECO: "B" },
          ProcessingVersion: { GEN: 7, RECO: "8" },
        }),
      ),
    ).toEqual(["/DemoPD/A-gen_v1-v7/GEN", "/DemoPD/B-gen_v1-v8/RECO"]);
    expect(problems(stepChainDocument({ AcquisitionEra: { GEN: "A" } }))).toEqual([
      'AcquisitionEra: has no value for the step "RECO"',
    ]);
  });

  test("a restart moves every version on", () => {
    const { spec } = accepted(stepChainDocument(kept));
    const clone = { ...spec, processingVersion: spec.processingVersion + 1 };
    expect(spec.outputs.map((output) => datasetName(clone, output))).toEqual([
      "/DemoPD/EraOne-gen_v1-v5/GEN",
      "/DemoPD/Demo26-gen_v1-v2/RECO",
    ]);
  });

  test("take over the tiers that ReqMgr2 knows", () => {
    const known = ["/DemoPD/EraOne-gen_v1-v4/GEN-SIM", "/DemoPD/Demo26-gen_v1-v1/AODSIM"];
    expect(datasets(stepChainDocument({ ...kept, OutputDatasets: known }))).toEqual(known);
    expect(datasets(stepChainDocument({ ...kept, OutputDatasets: "" }))).toHaveLength(2);
  });

  test("steps that call their outputs alike are told apart by their names, else by what makes such a tier", () => {
    const alike = { Step1: step(1, { KeepOutput: true }) };
    const known = ["/DemoPD/Demo26-gen_v1-v1/GEN-SIM", "/DemoPD/Demo26-gen_v1-v1/AODSIM"];
    expect(
      datasets(
        stepChainDocument({
          ...alike,
          Step1: step(1, { KeepOutput: true, StepName: "SIM" }),
          Step2: step(2, { InputStep: "SIM" }),
          OutputDatasets: known,
        }),
      ),
    ).toEqual(known);
    expect(problems(stepChainDocument({ ...alike, OutputDatasets: ["/DemoPD/Demo26-gen_v1-v1/USER"] }))).toEqual([
      "OutputDatasets[0]: may be made by any of the steps GEN, RECO; give each an AcquisitionEra or ProcessingString of its own",
    ]);
  });

  test("what would not be made is refused by its name, and what no dataset is called too", () => {
    const other = "/DemoPD/Demo26-other-v1/AODSIM";
    expect(problems(stepChainDocument({ OutputDatasets: [other, "AODSIM"] }))).toEqual([
      `OutputDatasets[0]: ${other} would not be made: the outputs here are called /DemoPD/Demo26-gen_v1-v1/TIER; allowed: AcquisitionEra, ProcessingString, ProcessingVersion and PrimaryDataset that agree with it, or no OutputDatasets`,
      'OutputDatasets[1]: must be a dataset (got "AODSIM"); allowed: /Primary/Era-String-vN/TIER',
    ]);
    for (const strange of [
      "/DemoPD/Demo26-gen_v1-v2/AODSIM",
      "/Other/Demo26-gen_v1-v1/AODSIM",
      "/DemoPD/Demo26--gen_v1-v1/AODSIM",
    ])
      expect(problems(stepChainDocument({ OutputDatasets: [strange] }))).toHaveLength(1);
  });
});
