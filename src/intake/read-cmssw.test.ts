import { describe, expect, test } from "vitest";
import { describeProblems, RULES, readSubmission, stepChainDocument } from "../../tests/support/request-documents.ts";
import type { RequestSpec } from "../core/request.ts";
import { workerFacts } from "../submit-dir/payload/facts.ts";

const CMSSW = { ...RULES, cmsPayload: "cmssw" as const };
const SOFTWARE = { release: "CMSSW_14_0_1", scram_arch: ["el9_amd64_gcc12", "el8_amd64_gcc12"] };
const GEN = { name: "GEN", ...SOFTWARE, config_cache_id: "aaaa" };
const RECO = { name: "RECO", ...SOFTWARE, pset: "./reco.py", input_module: "RAWSIMoutput", tier: "AODSIM" };
const request = (steps: readonly object[], over: object = {}) => ({
  name: "gen-reco",
  kind: "generate",
  events: 100,
  events_per_lumi: 10,
  payload: "cmssw",
  steps,
  resources: { cores: 4, memory: "8 GB" },
  attachments: { "reco.py": { content_base64: "eA==" } },
  ...over,
});

const problems = (document: unknown): string => {
  const read = readSubmission(document, CMSSW);
  return read.ok ? "" : describeProblems(read.error).join("\n");
};
const specOf = (document: unknown): RequestSpec => {
  const read = readSubmission(document, CMSSW);
  if (!read.ok) throw new Error(describeProblems(read.error).join("\n"));
  return read.value.spec;
};

describe("payload: cmssw of our own form", () => {
  test("every step is a cmsRun; the last one's output is kept, and others on demand", () => {
    const { steps, outputs, cms } = specOf(request([{ ...GEN, keep: true, tier: "GEN-SIM" }, RECO]));
    expect(steps.map(({ argv }) => argv)).toEqual([
      ["wms2/cmsrun", "GEN"],
      ["wms2/cmsrun", "RECO"],
    ]);
    expect(outputs).toMatchObject([
      { name: "gen", file: "gen.root", merge: { how: "command", argv: ["wms2/cmsmerge", "gen"] } },
      { name: "reco", file: "reco.root", naming: { tier: "AODSIM" } },
    ]);
    expect(cms?.steps).toMatchObject([
      { name: "GEN", configCacheId: "aaaa", cores: 4, input: null },
      { name: "RECO", pset: "reco.py", input: { step: "GEN", module: "RAWSIMoutput" } },
    ]);
  });

  test.each([
    ["a configuration from nowhere", [{ name: "GEN", ...SOFTWARE }], "pset"],
    ["two configurations", [{ ...RECO, config_cache_id: "x" }], "cannot be given together"],
    ["a configuration that was not attached", [{ ...RECO, pset: "./other.py" }], "is not attached"],
    ["a configuration elsewhere", [{ ...RECO, pset: "../../etc/passwd" }], "cannot travel"],
    ["a release that is none", [{ ...GEN, release: "CMSSW_1; rm -rf /" }], "CMSSW_14_0_1 or the like"],
    ["more cores than the job has", [{ ...GEN, cores: 8 }], "cores"],
    ["the same step twice", [GEN, GEN], "twice"],
    ["a key nobody knows", [{ ...GEN, realease: 1 }], "release"],
  ])("%s is refused", (_what, steps, words) => {
    expect(problems(request(steps))).toContain(words);
  });

  test("outputs are the steps' affair", () => {
    expect(problems(request([GEN], { outputs: [{ name: "a", file: "a" }] }))).toContain("each step says what");
  });
});

describe("what the worker is told", () => {
  const INSTALLATION = {
    cmsset: "/cvmfs/cms.cern.ch/cmsset_default.sh",
    containers: { "el8_*": ["apptainer", "exec", "-B", "/cvmfs"] },
    stageOut: { T2_XX_Alpha: ["xrdcp", "-f"] },
  };

  test("a fact a line, for any ReqMgr2 document too", () => {
    const facts = workerFacts(specOf(stepChainDocument({ RequestName: "demo" })), INSTALLATION);
    const lines = facts
      .trim()
      .split("\n")
      .map((line) => line.split("\t"));
    expect(lines.map((words) => words.slice(0, 4))).toEqual([
      ["stage-out", "T2_XX_Alpha", "xrdcp", "-f"],
      ["cmsset", "/cvmfs/cms.cern.ch/cmsset_default.sh"],
      ["container", "el8_*", "apptainer", "exec"],
      ["step", "GEN", "CMSSW_13_0_10", "el8_amd64_gcc11"],
      ["step", "RECO", "CMSSW_13_0_10", "el8_amd64_gcc11"],
      ["merge", "reco", "CMSSW_13_0_10", "el8_amd64_gcc11"],
    ]);
    expect(JSON.parse(lines[3]?.[4] ?? "")).toMatchObject({
      pset: "cmssw/GEN.py",
      cores: 4,
      eventsPerLumi: 100,
      outputs: [],
    });
    expect(JSON.parse(lines[4]?.[4] ?? "")).toMatchObject({
      input: { step: "GEN", module: "RAWSIM" },
      outputs: [{ file: "reco.root", module: null, tier: "RECO" }],
    });
  });

  test("nothing, to a request that has steps of its own and a site without a command", () => {
    const own = { name: "a", kind: "generate", events: 1, steps: ["true"], outputs: [] };
    expect(workerFacts(specOf(own), { ...INSTALLATION, stageOut: {} })).toBe("");
  });
});
