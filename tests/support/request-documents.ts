import type { Problem } from "../../src/core/problem.ts";
import type { RequestSpec } from "../../src/core/request.ts";
import { DEFAULT_INTAKE_RULES, type IntakeRules } from "../../src/core/submission.ts";
import type { GenerateWork } from "../../src/core/work.ts";
import { readSubmission as read } from "../../src/intake/read-submission.ts";
import { KINDS } from "../../src/kinds/table.ts";

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

/** As ReqMgr2 gives one out. */
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

/** A request as ReqMgr2's GET tells it once it was assigned, with the fields the server adds of its own accord. */
export function servedDocument(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  const { Step1, Step2, ...top } = stepChainDocument();
  return withoutUndefined({
    ...top,
    _id: "pdmv_demo_260101_120000_7",
    RequestName: "pdmv_demo_260101_120000_7",
    RequestStatus: "assigned",
    RequestTransition: [{ Status: "new", UpdateTime: 1_767_265_200, DN: "/CN=somebody" }],
    PriorityTransition: [{ Priority: 110_000, UpdateTime: 1_767_265_200, DN: "/CN=somebody" }],
    RequestDate: [2026, 1, 1, 12, 0, 0],
    RequestPriority: 110_000,
    InitialPriority: 110_000,
    RequestWorkflow: "https://example.org/couchdb/reqmgr_workload_cache/pdmv_demo_260101_120000_7/spec",
    Requestor: "pdmv",
    RequestorDN: "/CN=pdmv",
    Group: "DATAOPS",
    VoGroup: "unknown",
    VoRole: "unknown",
    Team: "production",
    Dashboard: "production",
    DashboardHost: "example.org",
    DashboardPort: 8884,
    ConfigCacheUrl: "https://example.org/couchdb",
    CouchURL: "https://example.org/couchdb",
    CouchDBName: "reqmgr_config_cache",
    CouchWorkloadDBName: "reqmgr_workload_cache",
    DQMConfigCacheID: null,
    DQMUploadUrl: "https://example.org/dqm",
    DQMUploadProxy: null,
    GlobalTagConnect: null,
    GPUParams: "null",
    RequiresGPU: "forbidden",
    JobExtraMatchRequirements: "",
    IncludeParents: false,
    OverrideCatalog: null,
    Override: { "eos-lfn-prefix": "root://example.org//logs" },
    PeriodicHarvestInterval: 0,
    RunNumber: 0,
    TrustSitelists: false,
    TrustPUSitelists: false,
    SiteWhitelist: ["T2_XX_Alpha"],
    SiteBlacklist: [],
    OutputDatasets: ["/DemoPD/Demo26-gen_v1-v1/GEN-SIM-RECO"],
    ChainParentageMap: { Step1: { ParentDset: null, ChildDsets: [] } },
    ParentageResolved: false,
    Step1: {
      ...(Step1 as object),
      ConfigCacheUrl: "https://example.org/couchdb",
      GPUParams: "null",
      RequiresGPU: "forbidden",
    },
    Step2: { ...(Step2 as object), ConfigCacheUrl: "https://example.org/couchdb", BlockWhitelist: [], LumiList: {} },
    ...overrides,
  });
}

/** A template of people who make many requests alike; overrides go to what is assigned. */
export function templateDocument(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  const { Step1, ...created } = stepChainDocument();
  return {
    createRequest: { ...created, Step1: { ...(Step1 as object), AcquisitionEra: "FromTheStep" } },
    assignRequest: {
      AcquisitionEra: "Assigned",
      ProcessingVersion: 19,
      Team: "Team-OVERRIDE-ME",
      Dashboard: "Dashboard-OVERRIDE-ME",
      SiteWhitelist: ["T2_XX_Alpha"],
      SiteBlacklist: [],
      SoftTimeout: 129_600,
      ...overrides,
    },
  };
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

export const readSubmission = (document: unknown, rules: IntakeRules) => read(document, rules, KINDS);

/** The work of a spec as that of one kind; tests know which it is. */
export const generated = ({ work }: RequestSpec): GenerateWork => work as GenerateWork;
