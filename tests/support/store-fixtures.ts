import { type Dag, EMPTY_TALLY } from "../../src/core/dag.ts";
import type { DagId, NodeName, RequestName, SiteName, UnitName, WorkflowId } from "../../src/core/names.ts";
import type { NewNodeAction } from "../../src/core/operator.ts";
import type { RequestSpec } from "../../src/core/request.ts";
import type { FinishedUnit, InputFile, OutputFile, Workflow } from "../../src/core/workflow.ts";
import type { Store } from "../../src/store/port.ts";

/** The n-th second of the tests' day. */
export const at = (second: number): Date => new Date(Date.UTC(2026, 0, 1) + second * 1000);

export function sampleSpec(name: string, change: Partial<RequestSpec> = {}): RequestSpec {
  return {
    name: name as RequestName,
    requestor: "ada",
    requestorDn: null,
    group: "physics",
    campaign: "Run2026",
    acquisitionEra: "Run2026A",
    processingString: "first",
    processingVersion: 1,
    priority: 100_000,
    urgent: false,
    productionSteps: [{ fraction: 0.5, priority: 90_000 }],
    work: {
      kind: "generate",
      totalEvents: 9_007_199_254_740_993n,
      firstEvent: 1n,
      firstLumi: 1,
      eventsPerLumi: 100,
      filterEfficiency: 1,
      topUp: false,
      split: { algorithm: "EventBased", filesPerJob: 1, eventsPerJob: 1000, lumisPerJob: 1 },
    },
    steps: [{ name: "gen", argv: ["./gen.sh", "--seed", "1"], env: { LANG: "C" } }],
    outputs: [{ name: "events", file: "events.root", merge: { how: "concat" }, keep: true }],
    resources: {
      cores: 1,
      memoryMb: 2000,
      wallMinutes: 60,
      diskMb: 1000,
      gpus: 0,
      secondsPerEvent: 0.25,
      kbPerEvent: null,
    },
    sites: { allow: [], deny: ["south" as SiteName] },
    unit: { jobsPerUnit: null, targetMergedBytes: 4e9, blockTargetBytes: 5e11, maxUnitsPerBlock: 100 },
    retries: { landing: 3, processing: 3, merge: 2, cleanup: 1, job: 3 },
    throttles: { units: 100, processing: 5000, merge: 100, cleanup: 50 },
    adaptive: true,
    recovery: { holdThreshold: 0.2, maxRescues: 3, pendingClassification: false, auto: false, handlers: [] },
    cleanupPolicy: "keep_until_replaced",
    previousVersion: null,
    metadata: { CMSSWVersion: "CMSSW_15_0_0", note: "žluťoučký kůň 🐎" },
    ...change,
  };
}

export function sampleWorkflow(id: string, request: string, change: Partial<Workflow> = {}): Workflow {
  return {
    id: id as WorkflowId,
    requestName: request as RequestName,
    status: "new",
    version: 1,
    round: 0,
    currentDagId: null,
    nextUnit: 0,
    nextNode: 0,
    nextBlock: 0,
    nextFirstEvent: 1n,
    nextFirstLumi: 1n,
    unitsPlanned: 0,
    sharePlanned: 1,
    lastDoneAt: null,
    unitsDone: 0,
    nodesPlanned: 0,
    nodesDone: 0,
    eventsDone: 0n,
    abandonedEvents: 0n,
    hasAllUnits: false,
    stepMetrics: null,
    engine: null,
    createdAt: at(0),
    updatedAt: at(0),
    ...change,
  };
}

export function sampleDag(id: string, workflow: string, change: Partial<Dag> = {}): Dag {
  return {
    id: id as DagId,
    workflowId: workflow as WorkflowId,
    round: 0,
    status: "planning",
    version: 1,
    submitDir: `/spool/${id}`,
    parentDagId: null,
    rescueKind: null,
    engineId: null,
    engine: "local",
    roleCounts: { landing: 2, processing: 8, merge: 2, cleanup: 2 },
    nodes: EMPTY_TALLY,
    units: { total: 2, waiting: 2, running: 0, done: 0, failed: 0 },
    stopRequestedAt: null,
    stopReason: null,
    endReason: null,
    createdAt: at(0),
    submittedAt: null,
    endedAt: null,
    ...change,
  };
}

export const sampleOutput = (lfn: string, change: Partial<OutputFile> = {}): OutputFile => ({
  output: "events",
  dataset: "/A/B/GEN",
  lfn,
  path: `/storage${lfn}`,
  sizeBytes: 3_000_000_000_000,
  checksum: "cksum:12345",
  events: 500,
  parents: [],
  ...change,
});

export function sampleUnit(
  workflow: string,
  dag: string,
  name: string,
  change: Partial<FinishedUnit> = {},
): FinishedUnit {
  return {
    workflowId: workflow as WorkflowId,
    name: name as UnitName,
    dagId: dag as DagId,
    round: 0,
    block: 0,
    status: "owed",
    site: "north" as SiteName,
    events: 500n,
    outputs: [sampleOutput(`/out/${name}/a`), sampleOutput(`/out/${name}/b`)],
    finishedAt: at(100),
    registeredAt: null,
    ...change,
  };
}

/** A unit's outputs are in the catalog, all of them; false: they were before. */
export async function registerUnit(store: Store, requestName: string, unit: string, now: Date): Promise<boolean> {
  const { items } = await store.outputs.list({ limit: 100, requestName: requestName as RequestName });
  let isNew = false;
  for (const block of items) {
    const owed = [
      ...(await store.outputs.units(block, "owed", 1000)),
      ...(await store.outputs.units(block, "replicated", 1000)),
    ];
    if (!owed.some((one) => one.unit === unit)) continue;
    isNew = true;
    const taken = { step: "files", receipt: null, units: [unit as UnitName], state: "registered" as const };
    await store.outputs.note(block, taken, null, now);
  }
  return isNew;
}

export const sampleFile = (lfn: string, change: Partial<InputFile> = {}): InputFile => ({
  lfn,
  path: `/data${lfn}`,
  sizeBytes: 5_000_000_000,
  events: 1000,
  lumis: [{ run: 1, lumis: [1, 2] }],
  sites: ["north" as SiteName],
  ...change,
});

export const sampleAction = (change: Partial<NewNodeAction> = {}): NewNodeAction => ({
  dagId: "d-a" as DagId,
  unit: "mg_000000" as UnitName,
  node: "proc_000000" as NodeName,
  kind: "retry",
  attempt: 1,
  epoch: 0,
  actor: "ada",
  reason: "the license server is back",
  changes: { memoryMb: 3000 },
  createdAt: at(10),
  ...change,
});

/** A request with its workflow `w-<name>`, a DAG `d-<name>` and two blocks of two units. */
export async function sampleWork(store: Store, name: string): Promise<{ workflowId: WorkflowId; dagId: DagId }> {
  const workflowId = `w-${name}` as WorkflowId;
  const dagId = `d-${name}` as DagId;
  await store.requests.create(sampleSpec(name), "queued", [], "ada", at(0));
  await store.workflows.create(sampleWorkflow(workflowId, name));
  await store.dags.create(sampleDag(dagId, workflowId));
  const block = (index: number) => ({ index, dataset: "/A/B/GEN", units: 2 });
  await store.units.createBlocks(workflowId, [block(0), block(1)], at(1));
  return { workflowId, dagId };
}
