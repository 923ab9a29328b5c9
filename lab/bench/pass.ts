import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeLocalCatalog } from "../../src/catalogs/local-catalog.ts";
import { loadConfig } from "../../src/config/load.ts";
import { EMPTY_TALLY } from "../../src/core/dag.ts";
import type { DagId, RequestName, UnitName, WorkflowId } from "../../src/core/names.ts";
import { DEFAULT_INTAKE_RULES } from "../../src/core/submission.ts";
import { makeDagmanEngine } from "../../src/engines/dagman/dagman-engine.ts";
import { readSubmission } from "../../src/intake/read-submission.ts";
import { KINDS } from "../../src/kinds/table.ts";
import { InProgress } from "../../src/loop/in-progress.ts";
import { runPass } from "../../src/loop/pass.ts";
import type { Ports } from "../../src/loop/ports.ts";
import { loopPolicy } from "../../src/main.ts";
import { openEmbedded } from "../../src/store/open.ts";
import type { Store } from "../../src/store/port.ts";
import { makeSpool } from "../../src/submit-dir/disk/spool.ts";
import { sampleDag, sampleWorkflow } from "../../tests/support/store-fixtures.ts";
import { inOwnDirectory } from "./measure.ts";

const UNITS_PER_DAG = 1250;
const NODES_PER_UNIT = 8;
const LIVE_UNITS = 10;

/**
 * A pass over many active DAGs when nothing has changed: the real loop, store and DAGMan reader on status files as
 * DAGMan writes them; only the queue's answer comes from a file, and how often it was asked is counted.
 */
export const run = ({ dags = 300 }: { dags?: number } = {}) =>
  inOwnDirectory("pass", async (dir) => {
    const store = await openEmbedded(join(dir, "database"));
    const queue = fakeQueue(dir);
    const engine = makeDagmanEngine({ commandPrefix: [queue.program], submitAs: null, maxIdle: 1000, timeoutSec: 60 });
    const ports = portsFor(dir, store, engine);
    const policy = loopPolicy(loadConfig({ flags: { data_dir: dir }, environment: {} }).config);
    const pass = () => runPass({ ...ports, policy, leads: () => true }, new Date(0), new InProgress(() => {}));
    const jobs: unknown[] = [];
    for (let index = 0; index < dags; index += 1) jobs.push(await activeDag(dir, store, index));
    writeFileSync(queue.answer, JSON.stringify(jobs));
    await pass();
    await pass();
    writeFileSync(queue.count, "");
    catalogCalls = 0;
    const begun = performance.now();
    await pass();
    const unchangedSeconds = (performance.now() - begun) / 1000;
    const engineQueries = readFileSync(queue.count, "utf8").length;
    const calls = catalogCalls;
    await store.close();
    // In a process of its own: peak memory is counted per process.
    const told = execFileSync(process.execPath, [process.argv[1] ?? "", "aggregate", "--json"], { encoding: "utf8" });
    const { aggregateSeconds, aggregatePeakRssMb } = JSON.parse(told);
    const nodesPerDag = UNITS_PER_DAG * NODES_PER_UNIT;
    return {
      dags,
      nodesPerDag,
      unchangedSeconds,
      engineQueries,
      catalogCalls: calls,
      aggregateSeconds,
      aggregatePeakRssMb,
    };
  });

function fakeQueue(dir: string) {
  const [program, answer, count] = ["queue.sh", "queue.json", "asked"].map((name) => join(dir, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(program, `#!/bin/sh\nprintf x >>'${count}'\nexec cat '${answer}'\n`);
  chmodSync(program, 0o755);
  return { program, answer, count };
}

function portsFor(dir: string, store: Store, engine: Ports["engine"]): Ports {
  return {
    store,
    engine,
    catalog: counted(makeLocalCatalog(join(dir, "storage"))),
    kinds: KINDS,
    spool: makeSpool({
      spoolDir: join(dir, "spool"),
      storageDir: join(dir, "storage"),
      owner: null,
      render: () => [],
      factsText: () => "",
      policyText: () => "",
    }),
    clock: { now: () => new Date() },
    ids: { next: () => crypto.randomUUID() },
    log: { info() {}, warn() {}, error: (event, detail) => console.error(event, detail) },
    metrics: { observePass() {}, countDecision() {}, observeEngineCall() {} },
    events: { emit() {} },
  };
}

let catalogCalls = 0;
/** Everything a catalog is asked, in any of its parts. */
const counted = <T extends object>(target: T): T =>
  new Proxy(target, {
    get(from, key) {
      const value: unknown = Reflect.get(from, key, from);
      if (value !== null && typeof value === "object" && !Array.isArray(value)) return counted(value);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        catalogCalls += 1;
        return value.apply(from, args);
      };
    },
  });

const uuid = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;
const unit = (index: number): UnitName => `mg_${String(index).padStart(6, "0")}` as UnitName;

async function activeDag(dir: string, store: Store, index: number): Promise<unknown> {
  const name = `bench-${index}` as RequestName;
  const document = {
    name,
    kind: "generate",
    events: 1_000_000,
    split: { by: "events", events_per_job: 100 },
    steps: [{ name: "s", run: ["true"] }],
    outputs: [{ name: "o", file: "o" }],
  };
  const read = readSubmission(document, DEFAULT_INTAKE_RULES, KINDS);
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  const at = new Date();
  const [dagId, workflowId] = [uuid(index) as DagId, uuid(100_000 + index) as WorkflowId];
  const submitDir = join(dir, "spool", name);
  const why = { reason: "bench", actor: "bench", at };
  await store.requests.create(read.value.spec, "submitted", [], "bench", at);
  for (const [version, status] of (["queued", "planning", "active"] as const).entries()) {
    await store.requests.change(name, version + 1, { status }, why);
  }
  await store.workflows.create(
    sampleWorkflow(workflowId, name, {
      status: "active",
      engine: "dagman",
      nextUnit: UNITS_PER_DAG,
      nextNode: 10_000,
      nextBlock: 1,
      nextFirstEvent: 1_000_001n,
      nextFirstLumi: 2n,
      unitsPlanned: UNITS_PER_DAG,
    }),
  );
  const nodes = UNITS_PER_DAG * NODES_PER_UNIT;
  await store.dags.create(
    sampleDag(dagId, workflowId, {
      status: "running",
      submitDir,
      engineId: String(1000 + index),
      engine: "dagman",
      roleCounts: { landing: UNITS_PER_DAG, processing: nodes, merge: UNITS_PER_DAG, cleanup: UNITS_PER_DAG },
      nodes: { ...EMPTY_TALLY, total: nodes, waiting: nodes },
      units: { total: UNITS_PER_DAG, waiting: UNITS_PER_DAG, running: 0, done: 0, failed: 0 },
      submittedAt: at,
    }),
  );
  await store.workflows.change(workflowId, 1, { currentDagId: dagId });
  writeStatusFiles(submitDir, nodes);
  return { ClusterId: 1000 + index, JobBatchName: `wms2-${dagId}`, JobStatus: 2, JobUniverse: 7 };
}

function writeStatusFiles(submitDir: string, nodes: number): void {
  mkdirSync(submitDir, { recursive: true });
  writeFileSync(join(submitDir, "workflow.dag"), "");
  writeFileSync(join(submitDir, "plan.json"), JSON.stringify({ version: 1, nodes, units: UNITS_PER_DAG }));
  const state = (index: number) => (index < LIVE_UNITS ? 3 : 1);
  writeFileSync(
    join(submitDir, "workflow.dag.status"),
    statusText(Array.from({ length: UNITS_PER_DAG }, (_, i) => [unit(i), state(i)])),
  );
  for (let index = 0; index < LIVE_UNITS; index += 1) {
    const here = join(submitDir, unit(index));
    mkdirSync(here);
    const names = Array.from({ length: NODES_PER_UNIT }, (_, i): [string, number] => [`proc_${i}`, 3]);
    writeFileSync(join(here, "group.dag"), names.map(([node]) => `JOB ${node} ../proc.sub\n`).join(""));
    writeFileSync(join(here, "group.dag.status"), statusText(names));
  }
  const old = new Date(Date.now() - 60_000);
  utimesSync(join(submitDir, "workflow.dag.status"), old, old);
}

function statusText(nodes: readonly (readonly [string, number])[]): string {
  const count = (wanted: number) => nodes.filter(([, state]) => state === wanted).length;
  const head = `[\n  Type = "DagStatus";\n  DagStatus = 3;\n  NodesTotal = ${nodes.length};\n  NodesDone = 0;\n  NodesQueued = ${count(3)};\n  NodesReady = ${count(1)};\n  NodesFailed = 0;\n]\n`;
  const rows = nodes.map(
    ([node, state]) =>
      `[\n  Type = "NodeStatus";\n  Node = "${node}";\n  NodeStatus = ${state};\n  StatusDetails = "";\n  RetryCount = 0;\n  JobProcsQueued = 0;\n  JobProcsHeld = 0;\n]\n`,
  );
  return `${head}${rows.join("")}[\n  Type = "StatusEnd";\n  EndTime = 1;\n  NextUpdate = 2;\n]\n`;
}
