import type { Dag, Site } from "../../src/core/dag.ts";
import type { DagId, NodeName, RequestName, SiteName, UnitName, WorkflowId } from "../../src/core/names.ts";
import type { RequestRecord, RequestSpec } from "../../src/core/request.ts";
import type { NodeView } from "../../src/core/run.ts";
import type { Workflow } from "../../src/core/workflow.ts";
import type { Effect, LoopStatus } from "../../src/operations/handlers/port.ts";
import type { Facets, RequestProgress } from "../../src/store/port.ts";
import { sampleMetrics } from "./sample-metrics.ts";

/** An action that comes to nothing much. */
export const NO_EFFECT: Effect = {
  ...{ action: "release", jobsKilled: 0, secondsLost: 0, unitsKept: 0, unitsLeft: 0, unitWord: "unit" },
  ...{ requestor: "alice", readers: [] },
};

/** One of everything, with telling values, for tests of the API and of those who talk to it. */
export const NOW = new Date("2026-11-15T12:00:00.000Z");
export const at = (text: string): Date => new Date(`2026-11-15T${text}:00.000Z`);
export const WORKFLOW_ID = "550e8400-e29b-41d4-a716-446655440000" as WorkflowId;
export const DAG_ID = "660e8400-e29b-41d4-a716-446655440001" as DagId;

export const sampleSpec = (over: Partial<RequestSpec> = {}): RequestSpec => ({
  name: "muons-2026" as RequestName,
  requestor: "alice",
  requestorDn: null,
  group: "muons",
  campaign: "Run2026A",
  acquisitionEra: "Run2026A",
  processingString: "select",
  processingVersion: 1,
  priority: 100_000,
  urgent: false,
  productionSteps: [],
  work: {
    kind: "process",
    input: {
      from: "glob",
      pattern: "/data/*.csv",
      events: { by: "fixed", perFile: 100 },
      mask: { runs: [1], lumis: { "1": [[1, 5]] } },
    },
    split: { algorithm: "FileBased", filesPerJob: 5, eventsPerJob: 1000, lumisPerJob: 10 },
  },
  steps: [{ name: "select", argv: ["./select.sh", "-v"], env: { MODE: "fast" } }],
  outputs: [{ name: "hits", file: "hits.csv", merge: { how: "command", argv: ["./merge.sh"] }, keep: true }],
  resources: {
    cores: 1,
    memoryMb: 500,
    wallMinutes: 20,
    diskMb: 1000,
    gpus: 0,
    secondsPerEvent: 0.5,
    kbPerEvent: null,
  },
  sites: { allow: ["north" as SiteName], deny: [] },
  unit: { jobsPerUnit: 8, targetMergedBytes: 4e9, blockTargetBytes: 5e11, maxUnitsPerBlock: 100 },
  retries: { landing: 3, processing: 3, merge: 2, cleanup: 1, job: 3 },
  throttles: { units: 10, processing: 5000, merge: 100, cleanup: 50 },
  adaptive: false,
  recovery: {
    holdThreshold: 0.2,
    maxRescues: 3,
    pendingClassification: false,
    auto: false,
    handlers: [
      {
        name: "flaky-license",
        roles: ["processing"],
        rules: [
          {
            exitCodes: [10, 11],
            matchAllExitCodes: false,
            causes: [],
            stderr: null,
            maxRetries: 3,
            delaySec: 30,
            memoryFactor: null,
            wallFactor: null,
            script: "./fix.sh",
          },
        ],
      },
    ],
  },
  cleanupPolicy: "keep_until_replaced",
  previousVersion: null,
  metadata: { CMSSWVersion: "CMSSW_14_0_0" },
  ...over,
});

export const sampleRequest = (over: Partial<RequestRecord> = {}): RequestRecord => ({
  spec: sampleSpec(),
  status: "active",
  version: 7,
  priority: 90_000,
  urgent: false,
  productionSteps: [{ fraction: 0.1, priority: 80_000 }],
  hold: null,
  wish: null,
  error: null,
  waiting: {
    code: "running",
    reason: "2493 jobs running, 240 of 956 units done",
    since: at("11:00"),
    until: null,
    who: "time",
    details: ["7 jobs held (mg_000003/proc_000001): via condor_hold (by user ann)"],
  },
  supersededBy: null,
  modifications: null,
  rescuesUsed: 0,
  outputState: "active",
  createdAt: at("10:00"),
  updatedAt: at("11:30"),
  statusSince: at("11:00"),
  ...over,
});

export const heldRequest = (): RequestRecord =>
  sampleRequest({
    status: "held",
    waiting: null,
    hold: {
      code: "no-input-files",
      message: "/data/*.csv matches nothing",
      evidence: { pattern: "/data/*.csv" },
      actions: ["release", "abort"],
    },
    error: { code: "catalog-unreachable", message: "no answer", hint: "wait", since: at("11:00"), count: 2 },
  });

export const sampleWorkflow = (over: Partial<Workflow> = {}): Workflow => ({
  id: WORKFLOW_ID,
  requestName: "muons-2026" as RequestName,
  status: "active",
  version: 3,
  round: 1,
  currentDagId: DAG_ID,
  nextUnit: 50,
  nextNode: 400,
  nextBlock: 2,
  nextFirstEvent: 9_007_199_254_740_993n,
  nextFirstLumi: 1n,
  unitsPlanned: 48,
  unitsDone: 20,
  sharePlanned: 1,
  lastDoneAt: null,
  nodesPlanned: 9560,
  nodesDone: 4000,
  eventsDone: 123_456n,
  hasAllUnits: false,
  abandonedEvents: 0n,
  stepMetrics: sampleMetrics(),
  engine: "local",
  createdAt: at("10:01"),
  updatedAt: at("11:30"),
  ...over,
});

export const sampleDag = (over: Partial<Dag> = {}): Dag => ({
  id: DAG_ID,
  workflowId: WORKFLOW_ID,
  round: 1,
  status: "running",
  version: 4,
  submitDir: "/spool/muons-2026/r1-660e8400",
  parentDagId: null,
  rescueKind: null,
  engineId: "1234",
  engine: "dagman",
  roleCounts: { landing: 50, processing: 9400, merge: 50, cleanup: 60 },
  nodes: { total: 9560, waiting: 3000, queued: 2500, idle: 0, held: 7, done: 4000, failed: 60 },
  units: { total: 50, waiting: 20, running: 10, done: 20, failed: 0 },
  stopRequestedAt: null,
  stopReason: null,
  endReason: null,
  createdAt: at("10:30"),
  submittedAt: at("11:00"),
  endedAt: null,
  ...over,
});

export const sampleNodes = (): NodeView[] => {
  const node = (unit: string | null, name: string, state: NodeView["state"], retries = 0): NodeView => ({
    unit: unit as UnitName | null,
    node: name as NodeName,
    state,
    retries,
    held: name === "proc_000001",
    idle: false,
    detail: "",
  });
  return [
    node("mg_000000", "landing", "done"),
    node("mg_000000", "proc_000000", "done", 1),
    node("mg_000000", "proc_000001", "queued"),
    node("mg_000000", "merge", "waiting"),
    node("mg_000001", "landing", "done"),
    node("mg_000001", "proc_000002", "failed", 3),
    node("mg_000001", "merge", "futile"),
    node("mg_000002", "landing", "waiting"),
    node("mg_000003", "landing", "done"),
    node(null, "final", "waiting"),
  ];
};

export const sampleSite = (over: Partial<Site> = {}): Site => ({
  name: "north" as SiteName,
  status: "enabled",
  cores: 16,
  memoryMb: 32_000,
  drainUntil: null,
  statusFrom: null,
  rses: null,
  isActive: true,
  note: null,
  updatedAt: at("09:00"),
  ...over,
});

export const healthyLoop = (over: Partial<LoopStatus> = {}): LoopStatus => ({
  running: true,
  leader: "here:1",
  isLeader: true,
  lastPassAt: at("11:59"),
  lastPassSeconds: 0.2,
  lastPassError: null,
  passes: 12,
  openRequests: 1,
  requestsWithErrors: 0,
  intervalSec: 5,
  healthy: true,
  why: "passes run",
  ...over,
});

export const sampleProgress = (change: Partial<RequestProgress> = {}): RequestProgress => ({
  round: 0,
  total: 48,
  done: 20,
  failed: 1,
  running: 8,
  expected: 48,
  lastDoneAt: at("11:57"),
  failing: 3,
  run: { since: at("11:00"), done: 20 },
  samples: [{ at: at("11:30"), total: 48, done: 10, failed: 0, running: 8 }],
  ...change,
});

export const sampleFacets = (): Facets => ({
  requests: 1,
  units: { total: 48, done: 20, failed: 1, running: 8 },
  counts: {
    status: { active: 1 },
    hold: {},
    wait: { running: 1 },
    kind: { process: 1 },
    requestor: { ann: 1 },
    campaign: {},
    site: { north: 1 },
  },
});
