import { mkdir, mkdtemp, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Run } from "../../core/run.ts";
import { DagmanEngine } from "./dagman-engine.ts";
import type { SpawnAnswer, SpawnRequest } from "./spawn.ts";

/** The engine against scripted answers: what it asks, and what it makes of files and queue together. */
describe("the DAGMan engine without a pool", () => {
  let dir: string;
  let run: Run;
  let asked: SpawnRequest[];
  let answer: (argv: readonly string[]) => Partial<SpawnAnswer>;
  let engine: DagmanEngine;
  let schedd: string;
  let stalledSec: number;
  const NOW = 1_900_000_000;
  beforeEach(async () => {
    dir = await mkdtemp(path.join(tmpdir(), "dagman-"));
    run = { dagId: "d", submitDir: dir, batchName: "wms2-d", engineId: "7", priority: 0 } as unknown as Run;
    asked = [];
    answer = () => ({});
    schedd = "submit-1";
    stalledSec = 30;
    engine = makeEngine();
    await put("workflow.dag", "JOB a x\n");
  });
  const makeEngine = () =>
    new DagmanEngine({
      commandPrefix: ["into", "pool"],
      clock: { now: () => new Date(NOW * 1000) },
      stalledSec,
      spawner: async (request) => {
        if (request.argv.includes("-totals")) return { code: 0, stdout: `-- Schedd: ${schedd} : <\n`, stderr: "" };
        asked.push(request);
        return { code: 0, stdout: "", stderr: "", ...answer(request.argv.slice(2)) };
      },
    });
  afterEach(() => rm(dir, { recursive: true }));
  const put = async (name: string, text: string, ageSec = 1000): Promise<void> => {
    await mkdir(path.dirname(path.join(dir, name)), { recursive: true });
    await writeFile(path.join(dir, name), text);
    await utimes(path.join(dir, name), NOW - ageSec, NOW - ageSec);
  };
  const top = (fields: Record<string, unknown> = {}): string =>
    JSON.stringify([
      { ClusterId: 7, JobBatchName: "wms2-d", JobUniverse: 7, JobStatus: 2, QDate: NOW - 50, ...fields },
    ]);
  const look = async () => (await engine.observe([run])).get(run.dagId);

  const fresh = (): Run => ({ ...run, engineId: null });
  /** The directory is open; the submission itself says this. */
  const submission = (said: Partial<SpawnAnswer>) => (argv: readonly string[]) => (argv[2] === "run" ? said : {});
  const CLUSTER_23 = submission({ stdout: "1 job(s) submitted to cluster 23.\n" });

  it("fences, looks, then submits: in the directory, by its own program, through the prefix", async () => {
    answer = CLUSTER_23;
    expect(await engine.submit(fresh(), 5)).toEqual({ kind: "submitted", engineId: "23", adopted: false });
    const [fence, look, submit] = asked;
    expect([fence?.cwd, submit?.cwd, asked.length]).toEqual([dir, dir, 3]);
    expect(fence?.argv).toEqual(["into", "pool", "sh", "bin/submit", "fence", "5", "wms2-d"]);
    expect(look?.argv[2]).toBe("condor_q");
    expect(submit?.argv.slice(0, 7)).toEqual(["into", "pool", "sh", "bin/submit", "run", "5", "wms2-d"]);
    expect((await stat(path.join(dir, "bin/submit"))).mode & 0o777).toBe(0o755);
  });

  it("adopts what an earlier submission left, by its receipt or in the queue, and submits nothing", async () => {
    answer = () => ({ stdout: "submitted to cluster 9\n" });
    expect(await engine.submit(fresh(), 5)).toEqual({ kind: "submitted", engineId: "9", adopted: true });
    answer = ([name]) => (name === "condor_q" ? { stdout: top() } : {});
    expect(await engine.submit(fresh(), 6)).toEqual({ kind: "submitted", engineId: "7", adopted: true });
    expect(asked.filter(({ argv }) => argv.includes("run"))).toEqual([]);
  });

  it.each([69, 75, 77])("somebody else is at it (%i): it waits with the reason", async (code) => {
    answer = () => ({ code, stderr: "another submission is under way\n" });
    expect(await engine.find(fresh(), 5)).toEqual({ kind: "unknown", why: "another submission is under way" });
    answer = submission({ code, stderr: "a DAGMan is in the queue\n" });
    expect(await engine.submit(fresh(), 5)).toEqual({ kind: "unclear", why: "a DAGMan is in the queue" });
  });

  /** A run with one unit in the queue, whose status file says this of its nodes. */
  const putUnit = async (
    ...nodes: readonly (readonly [name: string, state: number, detail: string, held: number])[]
  ) => {
    const status = (all: typeof nodes): string =>
      `[\nType = "DagStatus";\nTimestamp = ${NOW - 40};\nNodesTotal = ${all.length};\n]\n${all
        .map(
          ([name, state, detail, held]) =>
            `[\nType = "NodeStatus";\nNode = "${name}";\nNodeStatus = ${state};\nStatusDetails = "${detail}";\nJobProcsHeld = ${held};\n]\n`,
        )
        .join("")}[\nType = "StatusEnd";\nNextUpdate = 1;\n]\n`;
    await put(
      "plan.json",
      JSON.stringify({ resources: { processing: { cores: 1, memoryMb: 2000, wallMinutes: 60 } } }),
    );
    await put("mg_000000/group.inc", 'My.DESIRED_Sites = "T2_A"\n');
    await put("workflow.dag.status", status([["mg_000000", 3, "not_idle", 0]]));
    await put("mg_000000/group.dag.status", status(nodes));
  };

  it("jobs held by a user are no running jobs, and HTCondor's reason is told", async () => {
    await putUnit(["proc_000000", 3, "idle", 1], ["proc_000001", 3, "idle", 1]);
    const unit = {
      ClusterId: 8,
      JobBatchName: "wms2-d",
      JobUniverse: 7,
      JobStatus: 2,
      DAGManJobId: 7,
      DAGNodeName: "mg_000000",
    };
    const job = { ...unit, JobUniverse: 5, JobStatus: 5, DAGManJobId: 8, EnteredCurrentStatus: NOW - 660 };
    const held = [
      { ...job, ClusterId: 9, DAGNodeName: "proc_000000", HoldReasonCode: 13, HoldReason: "no such file" },
      {
        ...job,
        ClusterId: 10,
        DAGNodeName: "proc_000001",
        HoldReasonCode: 1,
        HoldReason: "via condor_hold (by user ann)",
      },
    ];
    answer = () => ({ stdout: JSON.stringify([...JSON.parse(top()), unit, ...held]) });
    expect(await look()).toMatchObject({
      nodes: { queued: 2, idle: 0, held: 2 },
      units: { running: 0, waiting: 1 },
      waits: {
        held: {
          nodes: 2,
          since: new Date((NOW - 660) * 1000),
          reason: "via condor_hold (by user ann)",
          byHand: true,
          example: "mg_000000/proc_000001",
        },
      },
    });
    // What is left of a run that ended does not bring it back.
    answer = () => ({ stdout: JSON.stringify(held) });
    await put("workflow.dag.metrics", "{}");
    expect((await look())?.kind).not.toBe("running");
  });

  it("asks the collector why nobody takes idle jobs, once nothing has run for a while", async () => {
    await putUnit(["proc_000000", 3, "idle", 0]);
    let workers: object[] = [];
    const WHOLE = { GLIDEIN_CMSSite: "T2_A", TotalSlotCpus: 8, TotalSlotMemory: 2000 };
    answer = (argv) => ({ stdout: argv[0] === "condor_status" ? JSON.stringify(workers) : top() });
    const why = async () => {
      const seen = await look();
      return seen?.kind === "running" ? [seen.nodes.idle, seen.waits.unmatched?.code ?? null] : null;
    };
    expect(await why()).toEqual([1, null]);
    expect(asked).toHaveLength(1);
    stalledSec = 0;
    for (const [slots, expected] of [
      [[], "no-worker"],
      [[{ GLIDEIN_CMSSite: "T2_B", TotalSlotCpus: 8, TotalSlotMemory: 9000 }], "no-site"],
      [[{ GLIDEIN_CMSSite: "T2_A", TotalSlotCpus: 8, TotalSlotMemory: 1000 }], "too-large"],
      [[{ GLIDEIN_CMSSite: "T2_A", TotalSlotCpus: 8, TotalSlotMemory: 2000 }], null],
      [[{ ...WHOLE, PartitionableSlot: true, State: "Unclaimed", Cpus: 0, Memory: 500 }], "slots"],
      [[{ ...WHOLE, State: "Claimed", Cpus: 8, Memory: 2000 }], "slots"],
      [[{ ...WHOLE, State: "Unclaimed", Cpus: 8, Memory: 2000 }], null],
    ] as const) {
      workers = [...slots];
      engine = makeEngine();
      expect(await why()).toEqual([1, expected]);
    }
    await putUnit(["proc_000000", 3, "not_idle", 0]);
    asked = [];
    expect(await why()).toEqual([0, null]);
    expect(asked).toHaveLength(1);
  });

  it("tells a refusal from a world that failed", async () => {
    answer = submission({ code: 1, stdout: "ERROR: syntax of CONFIG\n" });
    expect(await engine.submit(fresh(), 5)).toEqual({ kind: "rejected", text: "ERROR: syntax of CONFIG" });
    for (const stdout of ["ERROR: Can't find address of local schedd", 'ERROR: "x.condor.sub" already exists.']) {
      answer = submission({ code: 1, stdout });
      await expect(engine.submit(fresh(), 5)).rejects.toMatchObject({ code: "engine-unreachable" });
    }
    answer = () => ({ code: 73, stderr: "cannot write in /s: no space" });
    await expect(engine.find(fresh(), 5)).rejects.toMatchObject({ code: "disk-unwritable" });
    expect(await engine.submit({ ...run, submitDir: `${dir}/nowhere` }, 5)).toMatchObject({ kind: "rejected" });
    // Nothing can be submitted from a directory that is gone.
    answer = () => ({});
    expect(await engine.find({ ...fresh(), submitDir: `${dir}/nowhere` }, 5)).toEqual({ kind: "absent" });
  });

  it("a submit host that lets nobody in is not reached: nothing is known, nothing was refused", async () => {
    const denied = { code: 255, stderr: "ann@submit-1: Permission denied (publickey).\n" };
    const why = "cannot reach the submit host by into: ann@submit-1: Permission denied (publickey).";
    const unreachable = {
      code: "engine-unreachable",
      message: why,
      hint: expect.stringContaining("engine.dagman.prefix"),
    };
    answer = submission(denied);
    await expect(engine.submit(fresh(), 5)).rejects.toMatchObject(unreachable);
    answer = () => denied;
    expect(await engine.submit(fresh(), 5)).toEqual({ kind: "unclear", why });
    expect(await engine.find(fresh(), 5)).toEqual({ kind: "unknown", why });
    expect(await engine.find(fresh())).toEqual({ kind: "unknown", why });
    await expect(engine.observe([run])).rejects.toMatchObject(unreachable);
    await expect(engine.stop(run)).rejects.toMatchObject(unreachable);
    expect(await engine.ping()).toMatchObject({ ok: false, text: why });
  });

  it("asks the queue once for all runs", async () => {
    answer = () => ({ stdout: top() });
    const others = Array.from({ length: 20 }, (_, i) => ({ ...run, dagId: `d${i}` }) as Run);
    expect((await engine.observe([run, ...others])).size).toBe(21);
    expect(asked).toHaveLength(1);
    await engine.observe([]);
    expect(asked).toHaveLength(1);
  });

  it("a queue that cannot be asked is no empty queue", async () => {
    answer = () => ({ code: 1, stderr: "Error: unknown host nowhere" });
    await expect(look()).rejects.toMatchObject({ code: "engine-unreachable" });
    expect(await engine.find(run)).toMatchObject({ kind: "unknown" });
    answer = () => ({ stdout: '[{"ClusterId": 7,' });
    await expect(look()).rejects.toMatchObject({ code: "engine-unreachable" });
    expect(await engine.find(run)).toMatchObject({ kind: "unknown" });
  });

  it("notes a held DAGMan, an idle one, and one that left before its jobs", async () => {
    answer = () => ({ stdout: top({ JobStatus: 5, HoldReason: "via condor_hold" }) });
    expect(await look()).toMatchObject({ kind: "running", note: "DAGMan is held: via condor_hold" });
    answer = () => ({ stdout: top({ JobStatus: 1 }) });
    expect(await look()).toMatchObject({ kind: "running", note: "DAGMan waits for a place to run" });
    answer = () => ({ stdout: top({ ClusterId: 9, JobUniverse: 5, DAGManJobId: 7, JobStatus: 3 }) });
    expect(await look()).toMatchObject({ kind: "running", note: "DAGMan has left, 1 of its jobs have not" });
    expect(await engine.find(run)).toEqual({ kind: "found", engineId: "7" });
  });

  it("is lost only when it is old, silent and without a lock", async () => {
    await put("workflow.dag.condor.sub", "", 5);
    expect(await look()).toMatchObject({ kind: "unknown" });
    await put("workflow.dag.condor.sub", "", 60);
    expect(await look()).toMatchObject({ kind: "ended", verdict: "lost", rescue: null });
    await put("workflow.dag.lock", "");
    await put("workflow.dag.dagman.out", "", 60);
    expect(await look()).toMatchObject({ kind: "unknown" });
    await put("workflow.dag.dagman.out", "", 3600);
    expect(await look()).toMatchObject({ kind: "ended", verdict: "lost" });
  });

  it("finds a run without a receipt by its traces, and only that run", async () => {
    const log = "000 (042.000.000) 2026-11-15 19:32:30 Job submitted from host: <x>\n...\n";
    await put("workflow.dag.condor.sub", 'universe = scheduler\nMy.JobBatchName = "wms2-d"\n', 100);
    await put("workflow.dag.dagman.log", log, 99);
    const unknown = { ...run, engineId: null };
    expect(await engine.find(unknown)).toEqual({ kind: "found", engineId: "42" });
    expect(await engine.find({ ...unknown, batchName: "wms2-e" })).toEqual({ kind: "absent" });
    expect(await engine.find(run)).toEqual({ kind: "absent" });
    // The submission itself failed: the log is of the run before.
    await put("workflow.dag.dagman.log", log, 200);
    expect(await engine.find(unknown)).toEqual({ kind: "absent" });
  });

  it("a run that was submitted elsewhere is neither absent nor lost here, unless its files say that it ended", async () => {
    answer = CLUSTER_23;
    await engine.submit(run, 1);
    answer = () => ({});
    await put("workflow.dag.condor.sub", "", 1200);
    expect(await look()).toMatchObject({ kind: "ended", verdict: "lost" });
    expect(await engine.find(run)).toEqual({ kind: "absent" });
    schedd = "submit-2";
    engine = makeEngine();
    const why = expect.stringMatching(/submitted at submit-1, and engine.dagman.prefix leads to submit-2/);
    expect(await look()).toEqual({ kind: "unknown", why });
    expect(await engine.find(run)).toEqual({ kind: "unknown", why });
    // Its host is gone for good: a person has to say what comes next, and needs to be asked.
    await put("workflow.dag.condor.sub", "", 3600);
    await put("workflow.dag.lock", "", 3600);
    await put("workflow.dag.dagman.out", "", 1700);
    expect(await look()).toEqual({ kind: "unknown", why });
    await put("workflow.dag.dagman.out", "", 1900);
    expect(await look()).toMatchObject({ kind: "ended", verdict: "lost" });
    expect(await engine.find(run)).toEqual({ kind: "absent" });
    // The run that continues it has a name of its own.
    expect(await engine.find({ ...run, batchName: "wms2-e", engineId: null })).toEqual({ kind: "absent" });
  });
});
