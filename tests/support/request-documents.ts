import type { Problem } from "../../src/domain/problem.ts";
import { DEFAULT_INTAKE_RULES, type IntakeRules } from "../../src/domain/submission.ts";

/** Documents that tests begin with. */
export const RULES: IntakeRules = { ...DEFAULT_INTAKE_RULES, requestor: "alice" };

export const attached = (text: string, executable = true): Record<string, unknown> => ({
  content_base64: Buffer.from(text).toString("base64"),
  executable,
});

/** A valid process request; overrides replace top-level keys, `undefined` takes one out. */
export function processDocument(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  return withoutUndefined({
    name: "muons-2026",
    kind: "process",
    input: { files: "/data/*.csv" },
    split: { by: "files", files_per_job: 5 },
    steps: [{ name: "select", run: "./select.sh --cut 3" }],
    outputs: [{ name: "hits", file: "hits.csv", merge: "concat" }],
    resources: { cores: 1, memory: "500 MB", time: "20 min", disk: "1 GB" },
    attachments: { "select.sh": attached("#!/bin/sh\ntrue\n") },
    ...overrides,
  });
}

export function generateDocument(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  return withoutUndefined({
    name: "minbias-gen",
    kind: "generate",
    events: 1_000_000,
    split: { by: "events", events_per_job: 2000 },
    payload: "simulator",
    chain: ["GEN", "SIM", "MINI"],
    ...overrides,
  });
}

/** The example of facts/reqmgr2.md §6. */
export function stepChainDocument(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  return withoutUndefined({
    RequestType: "StepChain",
    RequestString: "demo_GEN_RECO",
    StepChain: 2,
    CMSSWVersion: "CMSSW_13_0_10",
    ScramArch: ["el8_amd64_gcc11"],
    GlobalTag: "GT_demo",
    AcquisitionEra: "Demo26",
    ProcessingString: "gen_v1",
    TimePerEvent: 10,
    SizePerEvent: 300,
    Memory: 8000,
    Multicore: 4,
    PrepID: "DEMO-0001",
    Step1: {
      StepName: "GEN",
      ConfigCacheID: "aaaa",
      GlobalTag: "GT_demo",
      PrimaryDataset: "DemoPD",
      RequestNumEvents: 10000,
      FilterEfficiency: 0.5,
      EventsPerLumi: 100,
      KeepOutput: false,
    },
    Step2: {
      StepName: "RECO",
      ConfigCacheID: "bbbb",
      GlobalTag: "GT_demo",
      InputStep: "GEN",
      InputFromOutputModule: "RAWSIM",
    },
    ...overrides,
  });
}

const withoutUndefined = (row: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined));

/** Lines for people: `split.files_per_job: must be at least 1 (got 0)`. */
export function describeProblems(problems: readonly Problem[]): readonly string[] {
  return problems.map(({ path, message, allowed }) => {
    const place = path === "" ? "the document" : path;
    return allowed === null ? `${place}: ${message}` : `${place}: ${message}; allowed: ${allowed}`;
  });
}
