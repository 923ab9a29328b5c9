import { describe, expect, test } from "vitest";
import { describeProblems, RULES, readSubmission, stepChainDocument } from "../../tests/support/request-documents.ts";
import { datasetName, outputPaths } from "../core/output-names.ts";
import type { RequestSpec } from "../core/request.ts";

const CMSSW = { ...RULES, cmsPayload: "cmssw" as const };
const problems = (document: unknown, rules = RULES): string => {
  const read = readSubmission(document, rules);
  return read.ok ? "" : describeProblems(read.error).join("\n");
};
const specOf = (document: unknown, rules = RULES): RequestSpec => {
  const read = readSubmission(document, rules);
  if (!read.ok) throw new Error(describeProblems(read.error).join("\n"));
  return read.value.spec;
};
const step = (number: 1 | 2, change: object) => ({ ...(stepChainDocument()[`Step${number}`] as object), ...change });
const INPUT = "/Muon/Run2024A-v1/RAW";
const rereco = (change: object = {}) => ({
  RequestType: "ReReco",
  RequestName: "pdmv_Run2024A_250130_123456_99",
  InputDataset: INPUT,
  CMSSWVersion: "CMSSW_14_0_0",
  ScramArch: "el9_amd64_gcc12",
  GlobalTag: "140X_dataRun3_v1",
  ConfigCacheID: "0123abcd",
  AcquisitionEra: "Run2024A",
  ProcessingString: "ReReco",
  ...change,
});

describe("what CMS needs to know stands in one place", () => {
  test("of a StepChain", () => {
    const { cms } = specOf(
      stepChainDocument({
        Step2: step(2, { CMSSWVersion: "CMSSW_14_0_1", Multicore: 8, Memory: 16_000, EventStreams: 2 }),
      }),
    );
    expect(cms).toMatchObject({
      requestType: "StepChain",
      prepId: "DEMO-0001",
      primaryType: "mc",
      accessType: "PRODUCTION",
      mergedLfnBase: "/store/mc",
      unmergedLfnBase: "/store/unmerged",
      steps: [
        { name: "GEN", release: "CMSSW_13_0_10", configCacheId: "aaaa", input: null, cores: 4, memoryMb: 8000 },
        { name: "RECO", release: "CMSSW_14_0_1", configCacheId: "bbbb", input: { step: "GEN", module: "RAWSIM" } },
      ],
      outputs: [{ name: "reco", step: "RECO", module: null, tier: "RECO" }],
    });
    expect(cms?.steps[1]).toMatchObject({
      cores: 8,
      memoryMb: 16_000,
      eventStreams: 2,
      scramArchs: ["el8_amd64_gcc11"],
    });
  });

  test("of a ReReco, with all outputs that ReqMgr2 knows of", () => {
    const OutputDatasets = ["AOD", "MINIAOD", "DQMIO"].map((tier) => `/Muon/Run2024A-ReReco-v1/${tier}`);
    const spec = specOf(rereco({ OutputDatasets, ValidStatus: "VALID" }), CMSSW);
    expect(spec.cms).toMatchObject({ requestType: "ReReco", primaryType: "data", accessType: "VALID" });
    expect(spec.outputs.map((output) => datasetName(spec, output))).toEqual(OutputDatasets);
    expect(spec.outputs.map(({ file }) => file)).toEqual(["reco_aod.root", "reco_miniaod.root", "reco_dqmio.root"]);
    expect(spec.cms?.outputs.map(({ name, step: of, module, tier }) => [name, of, module, tier])).toEqual([
      ["reco_aod", "RECO", null, "AOD"],
      ["reco_miniaod", "RECO", null, "MINIAOD"],
      ["reco_dqmio", "RECO", null, "DQMIO"],
    ]);
    expect(spec.steps).toEqual([{ name: "RECO", argv: ["wms2/cmsrun", "RECO"], env: {} }]);
  });

  test("a ReReco makes what its filters select beside the rest, whatever runs it", () => {
    const OutputDatasets = [
      ...["AOD", "MINIAOD", "DQMIO"].map((tier) => `/Muon/Run2024A-ReReco-v1/${tier}`),
      ...["MuAlCalIsolatedMu", "HcalCalIterativePhiSym"].map((one) => `/Muon/Run2024A-${one}-ReReco-v1/ALCARECO`),
      "/Muon/Run2024A-ZMu-ReReco-v1/RAW-RECO",
    ];
    for (const rules of [CMSSW, RULES]) {
      const spec = specOf(rereco({ OutputDatasets }), rules);
      expect(spec.outputs.map((output) => datasetName(spec, output))).toEqual(OutputDatasets);
      expect(new Set(spec.outputs.map(({ file }) => file)).size).toBe(6);
      expect(spec.cms?.outputs.map(({ name, tier, filter }) => [name, tier, filter]).slice(2)).toEqual([
        ["reco_dqmio", "DQMIO", undefined],
        ["reco_alcareco_MuAlCalIsolatedMu", "ALCARECO", "MuAlCalIsolatedMu"],
        ["reco_alcareco_HcalCalIterativePhiSym", "ALCARECO", "HcalCalIterativePhiSym"],
        ["reco_raw-reco_ZMu", "RAW-RECO", "ZMu"],
      ]);
      const clone = { ...spec, processingVersion: 2 };
      expect(datasetName(clone, spec.outputs[3]!)).toBe("/Muon/Run2024A-MuAlCalIsolatedMu-ReReco-v2/ALCARECO");
    }
    const { steps } = specOf(rereco({ OutputDatasets }));
    expect(JSON.parse(steps[0]?.env.WMS2_SIM_OPTIONS ?? "").outputs.RECO).toHaveLength(6);
  });

  test("a kept step that another one reads says by which module", () => {
    const { cms } = specOf(stepChainDocument({ Step1: step(1, { KeepOutput: true }) }));
    expect(cms?.outputs.map(({ step: of, module }) => [of, module])).toEqual([
      ["GEN", "RAWSIM"],
      ["RECO", null],
    ]);
  });
});

describe("honoured", () => {
  test.each<[string, unknown, object]>([
    ["runs are left out", rereco({ RunBlacklist: [9, "8"] }), { work: { input: { mask: { withoutRuns: [8, 9] } } } }],
    [
      "blocks are chosen and left out",
      rereco({ BlockWhitelist: [`${INPUT}#a`], BlockBlacklist: [`${INPUT}#b`] }),
      { work: { input: { blocks: { allow: [`${INPUT}#a`], deny: [`${INPUT}#b`] } } } },
    ],
    [
      "pile-up is a secondary input",
      stepChainDocument({ Step2: step(2, { MCPileup: "/MinBias/Era-v1/PREMIX" }), TrustPUSitelists: true }),
      {
        work: { secondary: [{ dataset: "/MinBias/Era-v1/PREMIX", anywhere: true }] },
        cms: { steps: [{ pileup: { mc: null } }, { pileup: { mc: "/MinBias/Era-v1/PREMIX", data: null } }] },
      },
    ],
    [
      "pile-up at the top",
      rereco({ DataPileup: [INPUT] }),
      { work: { secondary: [{ dataset: INPUT, anywhere: false }] } },
    ],
    [
      "LHE files",
      stepChainDocument({ Step1: step(1, { LheInputFiles: "True" }) }),
      { cms: { steps: [{ lheInput: true }, {}] } },
    ],
    [
      "seeds",
      stepChainDocument({ Step1: step(1, { Seeding: "ReproducibleSeeding" }), DeterministicPileup: true }),
      {
        cms: {
          deterministicPileup: true,
          steps: [{ seeding: "ReproducibleSeeding" }, { seeding: "AutomaticSeeding" }],
        },
      },
    ],
    [
      "the largest step counts",
      stepChainDocument({ Multicore: { GEN: 1, RECO: 8 }, Memory: { GEN: 2000, RECO: 15_000 } }),
      { resources: { cores: 8, memoryMb: 15_000 } },
    ],
    [
      "steps that take their time one after another",
      stepChainDocument({ TimePerEvent: { GEN: 3, RECO: 4 } }),
      { resources: { secondsPerEvent: 7 } },
    ],
    [
      "sizes of merged files and blocks",
      rereco({ MaxMergeSize: 3e9, BlockCloseMaxFiles: 50, BlockCloseMaxSize: 2e11, SizePerEvent: 500 }),
      { unit: { targetMergedBytes: 3e9, maxUnitsPerBlock: 50, blockTargetBytes: 2e11 } },
    ],
    [
      "events of merged files and blocks",
      rereco({ MaxMergeEvents: 1000, BlockCloseMaxEvents: 20_000, SizePerEvent: 500 }),
      { unit: { targetMergedBytes: 5e8, blockTargetBytes: 1e10 } },
    ],
    [
      "where files are called",
      rereco({ MergedLFNBase: "/store/backfill/1" }),
      { outputs: [{ lfnBase: "/store/backfill/1" }] },
    ],
    [
      "simulated input",
      rereco({ InputDataset: "/A/B-v1/GEN-SIM" }),
      { cms: { primaryType: "mc", mergedLfnBase: "/store/mc" } },
    ],
    ["whose it is", rereco({ wms_backend: "wms2" }), { name: "pdmv_Run2024A_250130_123456_99" }],
  ])("%s", (_what, document, expected) => expect(specOf(document)).toMatchObject(expected));
});

describe("refused", () => {
  test.each<[unknown, string]>([
    [rereco({ CMSSWVersion: "CMSSW_14; rm -rf" }), "CMSSWVersion: is not allowed"],
    [rereco({ GlobalTag: "a b" }), "GlobalTag: is not allowed"],
    [rereco({ ConfigCacheID: "../x" }), "ConfigCacheID: is not allowed"],
    [rereco({ ScramArch: ["$(id)"] }), "ScramArch[0]: must be an architecture"],
    [rereco({ MergedLFNBase: "/tmp" }), "MergedLFNBase: is not allowed"],
    [rereco({ MergedLFNBase: "/store/../x" }), "MergedLFNBase: is not allowed"],
    [rereco({ MinMergeSize: 5, MaxMergeSize: 4 }), "MinMergeSize: is above MaxMergeSize"],
    [rereco({ MCPileup: "minbias" }), "MCPileup: is not allowed"],
    [rereco({ MCPileup: [INPUT, "/A/B/C"] }), "MCPileup: names several datasets"],
    [rereco({ BlockWhitelist: ["/A/B/C#1"] }), "BlockWhitelist[0]: must be a block of the input"],
    [rereco({ Seeding: "Random" }), 'Seeding: "Random" is not a way of seeding'],
    [
      stepChainDocument({ Step2: step(2, { InputFromOutputModule: "a/b" }) }),
      "Step2.InputFromOutputModule: is not allowed",
    ],
  ])("%#", (document, expected) => expect(problems(document)).toContain(expected));

  test("what cmsRun cannot do without, when it is to run", () => {
    const bare = { RequestType: "ReReco", RequestName: "bare", InputDataset: INPUT };
    expect(problems(bare)).toBe("");
    const keys = problems(bare, CMSSW)
      .split("\n")
      .map((line) => line.split(":", 1)[0]);
    expect(keys.sort()).toEqual(["CMSSWVersion", "ConfigCacheID", "GlobalTag", "ScramArch"]);
  });
});

/** The patterns DBS holds datasets and files to. */
const DBS_DATASET = /^\/[A-Za-z0-9_-]{1,99}\/[A-Za-z0-9._-]{1,199}\/[A-Z-]{1,50}$/;
const DBS_FILE = /^\/[a-z]+\/[a-z0-9]+\/[\w-]+\/[\w-]+\/[A-Z_-]+\/[\w-]+\/[0-9]+\/[\w-]+\.root$/;

test("datasets and merged files are called as DBS wants them to be", () => {
  for (const document of [stepChainDocument(), rereco()]) {
    const spec = specOf(document);
    const lfns = new Set<string>();
    for (const output of spec.outputs) {
      const dataset = datasetName(spec, output);
      expect(dataset).toMatch(DBS_DATASET);
      for (const unit of ["mg_000000", "mg_012345"]) {
        const { lfn } = outputPaths(spec.name, unit, { ...output, dataset });
        expect(lfn).toMatch(DBS_FILE);
        expect(outputPaths(spec.name, unit, { ...output, dataset }).lfn).toBe(lfn);
        lfns.add(lfn).add(outputPaths("another", unit, { ...output, dataset }).lfn);
      }
    }
    expect(lfns.size).toBe(4 * spec.outputs.length);
  }
  const spec = specOf(rereco());
  const dataset = datasetName(spec, spec.outputs[0]!);
  expect(outputPaths(spec.name, "mg_012345", { ...spec.outputs[0]!, dataset }).lfn).toMatch(
    /^\/store\/data\/Run2024A\/Muon\/RECO\/ReReco-v1\/00012\/[0-9a-f-]{36}\.root$/,
  );
});
