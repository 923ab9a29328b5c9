import { describe, expect, it } from "vitest";
import { again, type EngineSeat, executions, HEAD, layRun, letGo, openSeat, submit } from "./engine-runs.ts";

/** Graphs of jobs (docs/adr/0016-job-graphs.md): one flat DAG, whose nodes are units of their own. */
export function graphContract(name: string, open: () => Promise<EngineSeat>): void {
  describe.concurrent(`${name}: a graph of jobs`, () => {
    const at = openSeat(open);
    const job = (index: number) => `job_${String(index).padStart(6, "0")}`;
    /** Codes of each job, by attempt. */
    const jobs = (codes: Readonly<Record<number, string>>): string =>
      Object.entries(codes)
        .map(
          ([index, said]) =>
            `JOB ${job(Number(index))} ../real.sub DIR part_000\nVARS ${job(Number(index))} codes="${said}"\n`,
        )
        .join("");
    const lay = (dag: string, count: number) =>
      layRun(at.root, { "workflow.dag": HEAD + dag, "part_000/manifest.json": "{}" }, count);

    it("has a unit for each job; what joins them is neither unit nor node", async () => {
      const barrier = "JOB barrier_0 noop.sub NOOP\nPARENT job_000000 job_000001 CHILD barrier_0\n";
      const laid = await lay(
        `${jobs({ 0: "0", 1: "0", 2: "0", 3: "0" })}${barrier}PARENT barrier_0 CHILD job_000002 job_000003\n`,
        4,
      );
      const run = await submit(at.engine, laid);
      expect(await at.watch.ended(run)).toMatchObject({
        verdict: "success",
        nodes: { total: 4, done: 4, failed: 0, waiting: 0 },
        units: { total: 4, done: 4, failed: 0, waiting: 0 },
        unitsDone: [0, 1, 2, 3].map(job),
      });
      const nodes = await at.engine.nodes(run);
      expect(nodes.map(({ unit, node, state }) => [unit, node, state])).toEqual(
        [0, 1, 2, 3].map((index) => [job(index), job(index), "done"]),
      );
    });

    it("tells jobs that failed from those they block, and a rescue runs both and nothing else", async () => {
      const edges = "PARENT job_000000 CHILD job_000001\nPARENT job_000001 CHILD job_000002\n";
      const laid = await lay(`${jobs({ 0: "3 0", 1: "0", 2: "0", 3: "0" })}${edges}`, 4);
      const first = await submit(at.engine, laid);
      expect(await at.watch.ended(first)).toMatchObject({
        verdict: "failed",
        nodes: { total: 4, done: 1, failed: 1, waiting: 2 },
        units: { total: 4, done: 1, failed: 1, waiting: 2, running: 0 },
        unitsDone: [job(3)],
        unitsFailed: [job(0)],
        rescue: 1,
      });
      const second = await submit(at.engine, again(laid));
      expect(await at.watch.ended(second)).toMatchObject({ verdict: "success", units: { done: 4 } });
      expect(await executions(second)).toEqual({
        "job.job_000000": 2,
        "job.job_000001": 1,
        "job.job_000002": 1,
        "job.job_000003": 1,
      });
    });

    it("runs a failed job again from a folder of its directory, while the others go on", async () => {
      const head = HEAD.replace("dagman.config", "../dagman.config");
      const line = `JOB ${job(0)} ../real.sub DIR ../part_000\nVARS ${job(0)} codes="3 0"\n`;
      const edges = "PARENT job_000000 CHILD job_000002\n";
      const files = {
        "workflow.dag": `${HEAD}${jobs({ 0: "3 0", 1: "wait", 2: "0" })}${edges}`,
        "part_000/manifest.json": "{}",
        "side-1/workflow.dag": head + line,
      };
      const laid = await layRun(at.root, files, 3);
      const run = await submit(at.engine, laid);
      await at.watch.until(run, (view) => view.kind === "running" && view.units.failed === 1);
      const side = await submit(at.engine, { ...again(laid), submitDir: `${laid.submitDir}/side-1` });
      expect(await at.watch.ended(side)).toMatchObject({
        verdict: "success",
        unitsDone: [job(0)],
        units: { total: 1, done: 1 },
      });
      expect(await at.engine.find(run)).toMatchObject({ kind: "found" });
      expect(await at.engine.find(side)).toEqual({ kind: "absent" });
      await letGo(run);
      expect(await at.watch.ended(run)).toMatchObject({ verdict: "failed", unitsFailed: [job(0)] });
      expect(await executions(run)).toEqual({ "job.job_000000": 2, "job.job_000001": 1 });
    });

    it("counts jobs that run, and those that wait for a place in their category", async () => {
      const limits = [0, 1, 2].map((index) => `CATEGORY ${job(index)} group_0\n`).join("");
      const plan = { nodes: 3, graph: { groups: [{ name: "fit {x}", atOnce: 2 }] } };
      const laid = await layRun(at.root, {
        "workflow.dag": `${HEAD}${jobs({ 0: "wait", 1: "wait", 2: "wait" })}${limits}MAXJOBS group_0 2\n`,
        "part_000/manifest.json": "{}",
        "plan.json": JSON.stringify(plan),
      });
      const run = await submit(at.engine, laid);
      const limited = [{ category: "group", group: "fit {x}", limit: 2, waiting: 1 }];
      const view = await at.watch.until(run, (view) => view.kind === "running" && view.units.running === 2);
      expect(view).toMatchObject({ waits: { limited } });
      await letGo(run);
      expect(await at.watch.ended(run)).toMatchObject({ verdict: "success", units: { done: 3 } });
    });
  });
}
