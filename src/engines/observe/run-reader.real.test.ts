import { mkdir, mkdtemp, rm, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Run } from "../../core/run.ts";
import { readNodes } from "./nodes.ts";
import { RunReader } from "./run-reader.ts";

const STATES = ["waiting", "ready", "pre", "queued", "post", "done", "failed", "futile"];
function status(nodes: Record<string, string>, { at = 1000, last = false, detail = "" } = {}): string {
  const ads = Object.entries(nodes).map(
    ([name, state]) =>
      `[\n  Type = "NodeStatus";\n  Node = "${name}";\n  NodeStatus = ${STATES.indexOf(state)};\n  StatusDetails = "${detail}";\n  RetryCount = 0;\n]\n`,
  );
  const head = `[\n  Type = "DagStatus";\n  Timestamp = ${at};\n  DagStatus = 3;\n  NodesTotal = ${ads.length};\n]\n`;
  return `${head}${ads.join("")}[\n  Type = "StatusEnd";\n  NextUpdate = ${last ? 0 : at + 1};\n]\n`;
}
const metrics = (id: string, fields: Record<string, number> = {}) =>
  JSON.stringify({
    dagman_id: id,
    start_time: 900.5,
    end_time: 1100,
    exitcode: 0,
    DagStatus: 0,
    total_jobs: 2,
    jobs_succeeded: 0,
    dag_jobs_succeeded: 2,
    jobs_failed: 0,
    dag_jobs_failed: 0,
    rescue_dag_number: 0,
    ...fields,
  });

describe("reading a submit directory", () => {
  let dir: string;
  let run: Run;
  let reader: RunReader;
  beforeEach(async () => {
    dir = await mkdtemp(path.join(tmpdir(), "read-run-"));
    run = { dagId: "d", submitDir: dir, batchName: "wms2-d", engineId: "7", priority: 0 } as unknown as Run;
    reader = new RunReader();
    await put("plan.json", '{"nodes": 5}');
    await put("mg_000000/group.dag", "JOB x a\nJOB y a\n");
    await put("mg_000001/group.dag", "JOB x a\nJOB y a\nJOB z a\n");
  });
  afterEach(() => rm(dir, { recursive: true }));
  const put = async (name: string, text: string): Promise<void> => {
    await mkdir(path.dirname(path.join(dir, name)), { recursive: true });
    await writeFile(path.join(dir, name), text);
  };

  it("a run that has not written anything yet waits", async () => {
    expect(await reader.running(run, 900)).toMatchObject({
      kind: "running",
      nodes: { total: 5, waiting: 5 },
      note: null,
    });
  });

  it("counts done units whole and live ones by their own file", async () => {
    await put("workflow.dag.status", status({ mg_000000: "done", mg_000001: "queued" }));
    await put("mg_000001/group.dag.status", status({ x: "done", y: "queued", z: "waiting" }));
    expect(await reader.running(run, 900)).toMatchObject({
      nodes: { total: 5, waiting: 1, queued: 1, held: 0, done: 3, failed: 0 },
      units: { total: 2, waiting: 0, running: 1, done: 1, failed: 0 },
      unitsDone: ["mg_000000"],
    });
  });

  it("units behind the limit of units in flight are told; those of an earlier run are not", async () => {
    await put("workflow.dag", "MAXJOBS units 1\n");
    await put("workflow.dag.status", status({ mg_000000: "queued", mg_000001: "ready", mg_000002: "waiting" }));
    const { waits } = await reader.running(run, 900);
    expect(waits.limited).toEqual([{ category: "units", limit: 1, waiting: 1 }]);
    expect((await reader.running(run, 1100)).waits.limited).toEqual([]);
  });

  it("an unchanged run is not counted again; a changed unit is seen", async () => {
    await put("workflow.dag.status", status({ mg_000000: "done", mg_000001: "queued" }));
    await put("mg_000001/group.dag.status", status({ x: "done", y: "queued", z: "waiting" }));
    const first = await reader.running(run, 900);
    expect((await reader.running(run, 900)).nodes).toBe(first.nodes);
    await put("mg_000001/group.dag.status", status({ x: "done", y: "done", z: "queued" }, { at: 1010 }));
    expect((await reader.running(run, 900)).nodes).toMatchObject({ done: 4, queued: 1 });
  });

  it("a half-written status file keeps the last view, with a note", async () => {
    const whole = status({ mg_000000: "done", mg_000001: "queued" });
    await put("workflow.dag.status", whole);
    const before = await reader.running(run, 900);
    await put("workflow.dag.status", whole.slice(0, -30));
    expect(await reader.running(run, 900)).toEqual({ ...before, note: "workflow.dag.status is incomplete" });
  });

  it("of an earlier run's status only what is done is taken", async () => {
    await put("workflow.dag.status", status({ mg_000000: "done", mg_000001: "failed" }, { at: 800, last: true }));
    await put("mg_000001/group.dag.status", status({ x: "done", y: "failed", z: "futile" }, { at: 800, last: true }));
    expect(await reader.running(run, 900)).toMatchObject({
      units: { done: 1, failed: 0, waiting: 1 },
      unitsFailed: [],
    });
  });

  it("success by this run's metrics; another run's do not count", async () => {
    await put("workflow.dag.status", status({ mg_000000: "done", mg_000001: "done" }, { last: true }));
    await put("workflow.dag.metrics", metrics("6"));
    expect(await reader.ended(run)).toBeNull();
    await put("workflow.dag.metrics", metrics("7").slice(0, 40));
    expect(await reader.ended(run)).toBeNull();
    await put("workflow.dag.metrics", metrics("7"));
    const end = await reader.ended(run);
    expect(end).toMatchObject({ verdict: "success", rescue: null, unitsDone: ["mg_000000", "mg_000001"] });
    expect(end?.nodes).toEqual({ total: 5, waiting: 0, queued: 0, idle: 0, held: 0, done: 5, failed: 0 });
  });

  it("units that were queued at a removal did not fail; those the rescue lists are done", async () => {
    const cut = { last: true, detail: "Was STATUS_SUBMITTED" };
    await put("workflow.dag.status", status({ mg_000000: "failed", mg_000001: "failed" }, cut));
    await put("mg_000001/group.dag.status", status({ x: "done", y: "queued", z: "waiting" }));
    await put("workflow.dag.rescue002", "# Total number of Nodes: 2\n# Nodes premarked DONE: 1\nDONE mg_000000\n");
    await put("workflow.dag.metrics", metrics("7", { exitcode: 2, DagStatus: 4, dag_jobs_succeeded: 0 }));
    const end = await reader.ended(run);
    expect(end).toMatchObject({ verdict: "removed", rescue: 2, unitsDone: ["mg_000000"], unitsFailed: [] });
    expect(end?.nodes).toEqual({ total: 5, waiting: 2, queued: 0, idle: 0, held: 0, done: 3, failed: 0 });
  });

  it("finds finished units by the rescue file alone", async () => {
    await put("workflow.dag.rescue001", "DONE mg_000000\n# x\n");
    await put("workflow.dag.metrics", metrics("7", { exitcode: 1, DagStatus: 2 }));
    expect(await reader.ended(run)).toMatchObject({ verdict: "failed", unitsDone: ["mg_000000"] });
  });

  it("a last status that was never written is made good by the rescue file", async () => {
    await put("workflow.dag.status", status({ mg_000000: "queued", mg_000001: "pre", z: "ready" }));
    await put(
      "workflow.dag.metrics",
      metrics("7", { exitcode: 1, DagStatus: 2, dag_jobs_succeeded: 1, dag_jobs_failed: 1 }),
    );
    const failed = "# Nodes that failed: 1\n#   mg_000001,<ENDLIST>\nDONE mg_000000\n";
    await put("workflow.dag.rescue001", failed);
    expect(await reader.ended(run)).toMatchObject({
      verdict: "failed",
      unitsDone: ["mg_000000"],
      unitsFailed: ["mg_000001"],
      units: { total: 2, waiting: 0, running: 0, done: 1, failed: 1 },
    });
    // The same files under a live run, whose status is newer than those metrics.
    await put("workflow.dag.status", status({ mg_000000: "done", mg_000001: "queued", z: "ready" }, { at: 1200 }));
    const next = { ...run, dagId: "e", engineId: "8" } as unknown as Run;
    expect(await reader.running(next, 1150)).toMatchObject({ units: { running: 0, waiting: 1, done: 1, failed: 0 } });
    expect((await readNodes(next)).at(-1)).toMatchObject({ node: "z", state: "ready" });
  });

  it("a DAGMan removed while held left only its own log", async () => {
    const log =
      "000 (007.000.000) 2026-11-15 19:32:30 Job submitted from host: <x>\n...\n009 (007.000.000) 2026-11-15 19:32:39 Job was aborted.\n\tvia condor_rm (by user wms)\n...\n";
    await put("workflow.dag.dagman.log", log);
    expect(await reader.ended(run)).toMatchObject({
      verdict: "removed",
      text: "DAGMan was removed: via condor_rm (by user wms)",
    });
    expect(await reader.ended({ ...run, engineId: "8" })).toBeNull();
  });

  it("a DAGMan that died says how", async () => {
    const log = "005 (007.000.000) 2026-11-15 19:32:39 Job terminated.\n\t(0) Abnormal termination (signal 11)\n...\n";
    await put("workflow.dag.dagman.log", log);
    await put("workflow.dag.lib.err", "out of memory\n");
    const text = "DAGMan ended by signal 11 and left no metrics: out of memory";
    expect(await reader.ended(run)).toMatchObject({ verdict: "failed", text });
  });

  it("shows nodes: begun units from their status, others from their DAG", async () => {
    await put("workflow.dag.status", status({ mg_000000: "waiting", mg_000001: "queued", extra: "done" }));
    await put("mg_000001/group.dag.status", status({ x: "done", y: "queued", z: "waiting" }));
    const nodes = await readNodes(run);
    expect(nodes.map((node) => `${node.unit ?? ""}/${node.node} ${node.state}`)).toEqual([
      "mg_000000/x waiting",
      "mg_000000/y waiting",
      "mg_000001/x done",
      "mg_000001/y queued",
      "mg_000001/z waiting",
      "/extra done",
    ]);
    await unlink(path.join(dir, "workflow.dag.status"));
    expect(await readNodes(run)).toEqual([]);
  });
});
