import { writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { NodeState } from "../../src/domain/run.ts";
import type { Engine } from "../../src/engine/port.ts";
import {
  again,
  type EngineSeat,
  executions,
  HEAD,
  layRun,
  letGo,
  nextTicket,
  submit,
  untilTrue,
  Watcher,
} from "./engine-runs.ts";

/** What every engine promises (src/engine/port.ts), in stories. They run side by side: each has its own directory. */
export function engineContract(name: string, open: () => Promise<EngineSeat>): void {
  describe.concurrent(`${name}: the engine contract`, () => {
    let seat: EngineSeat;
    let engine: Engine;
    let watch: Watcher;
    beforeAll(async () => {
      seat = await open();
      engine = seat.engine;
      watch = new Watcher(engine);
    });
    afterAll(() => seat?.close());
    const lay = (dag: string, more: Record<string, string> = {}, nodes?: number) =>
      layRun(seat.root, { "workflow.dag": HEAD + dag, ...more }, nodes);

    it("runs a DAG in the order of its edges, and says so", async () => {
      const laid = await lay(
        "JOB a real.sub\nJOB b real.sub\nJOB c real.sub\nJOB d real.sub\nPARENT a CHILD b c\nPARENT b c CHILD d\n",
      );
      expect(await engine.find(laid)).toEqual({ kind: "absent" });
      const run = await submit(engine, laid);
      expect(await engine.find(run)).toEqual({ kind: "found", engineId: run.engineId });
      const end = await watch.ended(run);
      expect(end).toMatchObject({ verdict: "success", rescue: null });
      expect(end.nodes).toMatchObject({ total: 4, done: 4, failed: 0, queued: 0, waiting: 0 });
      expect(await executions(run)).toEqual({ "job.a": 1, "job.b": 1, "job.c": 1, "job.d": 1 });
      await untilTrue("it leaves the queue", async () => (await engine.find(run)).kind === "absent");
    });

    it("retries a node until it succeeds", async () => {
      const run = await submit(engine, await lay('JOB a real.sub\nVARS a codes="1 1 0"\nRETRY a 2\n'));
      expect(await watch.ended(run)).toMatchObject({ verdict: "success" });
      expect(await executions(run)).toEqual({ "job.a": 3 });
    });

    it("stops retrying at the UNLESS-EXIT code", async () => {
      const run = await submit(
        engine,
        await lay(
          "JOB a none NOOP\nSCRIPT POST a @DIR@/step post.a 1 42\nRETRY a 5 UNLESS-EXIT 42\nJOB b none NOOP\nPARENT a CHILD b\n",
        ),
      );
      const end = await watch.ended(run);
      expect(end).toMatchObject({ verdict: "failed", rescue: 1 });
      expect(end.nodes).toMatchObject({ total: 2, failed: 1, done: 0 });
      expect(await executions(run)).toEqual({ "post.a": 2 });
    });

    it("skips a node whose PRE gives the PRE_SKIP code: it is done, without its job and POST", async () => {
      const run = await submit(
        engine,
        await lay(
          "JOB a real.sub\nSCRIPT PRE a @DIR@/step pre.a 45\nSCRIPT POST a @DIR@/step post.a 1\nPRE_SKIP a 45\nRETRY a 2\nJOB b real.sub\nPARENT a CHILD b\n",
        ),
      );
      expect(await watch.ended(run)).toMatchObject({ verdict: "success", nodes: { total: 2, done: 2 } });
      expect(await executions(run)).toEqual({ "pre.a": 1, "job.b": 1 });
    });

    it("leaves a rescue after a failure; resubmission runs only what is left", async () => {
      const laid = await lay(
        'JOB a real.sub\nJOB b real.sub\nVARS b codes="3 0"\nJOB c real.sub\nPARENT a CHILD b\nPARENT b CHILD c\n',
      );
      const first = await submit(engine, laid);
      const end = await watch.ended(first);
      expect(end).toMatchObject({ verdict: "failed", rescue: 1 });
      expect(end.nodes).toMatchObject({ done: 1, failed: 1 });
      await untilTrue("it leaves the queue", async () => (await engine.find(first)).kind === "absent");

      const second = await submit(engine, again(laid));
      // The metrics of the first run still lie there; they must not be taken for this one's.
      const views = await engine.observe([second]);
      expect(views.get(second.dagId)).not.toMatchObject({ kind: "ended", verdict: "failed" });
      expect(await watch.ended(second)).toMatchObject({ verdict: "success" });
      expect(await executions(second)).toEqual({ "job.a": 1, "job.b": 2, "job.c": 1 });
    });

    it("stops a run with everything in it; resubmission completes and repeats nothing that was done", async () => {
      const group =
        'NODE_STATUS_FILE group.dag.status 1\nJOB x ../real.sub\nJOB y ../real.sub\nVARS y codes="wait"\nPARENT x CHILD y\n';
      const laid = await lay(
        "JOB a real.sub\nSUBDAG EXTERNAL mg_000000 group.dag DIR mg_000000\nPARENT a CHILD mg_000000\n",
        { "mg_000000/group.dag": group },
        3,
      );
      const first = await submit(engine, laid);
      await watch.until(first, (view) => view.kind === "running" && view.nodes.done === 2 && view.nodes.queued === 1);
      await engine.stop(first);
      const end = await watch.ended(first);
      expect(end).toMatchObject({ verdict: "removed", unitsDone: [], unitsFailed: [] });
      expect(end.units).toMatchObject({ total: 1, running: 0, done: 0, failed: 0 });
      await untilTrue("nothing of it is left", async () => (await engine.find(first)).kind === "absent");
      await letGo(first);
      const second = await submit(engine, again(laid));
      expect(await watch.ended(second)).toMatchObject({ verdict: "success", unitsDone: ["mg_000000"] });
      expect(await executions(second)).toEqual({ "job.a": 1, "job.x": 1, "job.y": 2 });
    });

    it("gives its own words for a DAG file it cannot read", async () => {
      const laid = await lay("JOB a real.sub\nNONSENSE b\n");
      const outcome = await engine.submit(laid, nextTicket());
      if (outcome.kind === "rejected") {
        expect(outcome.words).toMatch(/line 4|NONSENSE/);
        return;
      }
      if (outcome.kind === "unclear") throw new Error(outcome.why);
      const end = await watch.ended({ ...laid, engineId: outcome.engineId });
      expect(end.verdict).toBe("unreadable");
      expect(end.words).toMatch(/line 4.*NONSENSE/s);
      expect(await executions(laid)).toEqual({});
    });

    it("calls a cycle unreadable", async () => {
      const laid = await lay("JOB a real.sub\nJOB b real.sub\nPARENT a CHILD b\nPARENT b CHILD a\n");
      const outcome = await engine.submit(laid, nextTicket());
      if (outcome.kind === "rejected") return expect(outcome.words).toMatch(/cycle/i);
      if (outcome.kind === "unclear") throw new Error(outcome.why);
      expect(await watch.ended({ ...laid, engineId: outcome.engineId })).toMatchObject({ verdict: "unreadable" });
    });

    it("counts the nodes of nested units", async () => {
      const good =
        "NODE_STATUS_FILE group.dag.status 1\nJOB x none NOOP\nJOB y none NOOP\nJOB z none NOOP\nPARENT x CHILD y\n";
      const bad =
        "NODE_STATUS_FILE group.dag.status 1\nJOB x none NOOP\nJOB y none NOOP\nSCRIPT POST y @DIR@/step post.y 1\nJOB z none NOOP\nPARENT x CHILD y\nPARENT y CHILD z\n";
      const laid = await lay(
        "SUBDAG EXTERNAL mg_000000 group.dag DIR mg_000000\nSUBDAG EXTERNAL mg_000001 group.dag DIR mg_000001\n",
        { "mg_000000/group.dag": good, "mg_000001/group.dag": bad },
        6,
      );
      const run = await submit(engine, laid);
      const end = await watch.ended(run);
      expect(end).toMatchObject({ verdict: "failed", rescue: 1, unitsDone: ["mg_000000"], unitsFailed: ["mg_000001"] });
      expect(end.units).toEqual({ total: 2, waiting: 0, running: 0, done: 1, failed: 1 });
      expect(end.nodes).toEqual({ total: 6, waiting: 1, queued: 0, idle: 0, held: 0, done: 4, failed: 1 });
      const nodes = await engine.nodes(run);
      const states = Object.fromEntries(nodes.map((node) => [`${node.unit}/${node.node}`, node.state]));
      expect(states).toEqual({
        "mg_000000/x": "done",
        "mg_000000/y": "done",
        "mg_000000/z": "done",
        "mg_000001/x": "done",
        "mg_000001/y": "failed",
        "mg_000001/z": "futile",
      });
    });

    it("an inner abort stops the whole run", async () => {
      const inner =
        "NODE_STATUS_FILE group.dag.status 1\nJOB x none NOOP\nSCRIPT POST x @DIR@/step post.x 43\nABORT-DAG-ON x 43 RETURN 2\nRETRY x 3\n";
      const laid = await lay(
        "SUBDAG EXTERNAL mg_000000 group.dag DIR mg_000000\nABORT-DAG-ON mg_000000 2 RETURN 1\nRETRY mg_000000 3\nJOB b none NOOP\nPARENT mg_000000 CHILD b\n",
        { "mg_000000/group.dag": inner },
        2,
      );
      const run = await submit(engine, laid);
      expect(await watch.ended(run)).toMatchObject({ verdict: "aborted", rescue: 1 });
      expect(await executions(run)).toEqual({ "post.x": 1 });
    });

    it("shows the nodes of a live run, and can hold and release it", async () => {
      const dag =
        'JOB a real.sub\nJOB b real.sub\nVARS b codes="wait"\nJOB c real.sub\nPARENT a CHILD b\nPARENT b CHILD c\n';
      const run = await submit(engine, await lay(dag));
      const states = async (): Promise<Record<string, NodeState>> =>
        Object.fromEntries((await engine.nodes(run)).map((node) => [node.node, node.state]));
      await untilTrue("b is queued", async () => (await states()).b === "queued");
      expect(await states()).toEqual({ a: "done", b: "queued", c: "waiting" });

      await engine.hold(run);
      const held = await watch.until(run, (view) => view.kind === "running" && /held/i.test(view.note ?? ""));
      expect(held).toMatchObject({ kind: "running", nodes: { done: 1 } });
      await letGo(run);
      await engine.release(run);
      expect(await watch.ended(run)).toMatchObject({ verdict: "success" });
      expect(await executions(run)).toMatchObject({ "job.a": 1, "job.c": 1 });
    });

    it("stops a held run so that it can be resumed", async () => {
      const laid = await lay('JOB a real.sub\nJOB b real.sub\nVARS b codes="wait"\nPARENT a CHILD b\n');
      const first = await submit(engine, laid);
      await watch.until(first, (view) => view.kind === "running" && view.nodes.done === 1 && view.nodes.queued === 1);
      await engine.hold(first);
      await watch.until(first, (view) => view.kind === "running" && /held/i.test(view.note ?? ""));
      await engine.stop(first);
      expect(await watch.ended(first)).toMatchObject({ verdict: "removed" });
      await untilTrue("nothing of it is left", async () => (await engine.find(first)).kind === "absent");
      await letGo(first);
      const second = await submit(engine, again(laid));
      expect(await watch.ended(second)).toMatchObject({ verdict: "success" });
      expect(await executions(second)).toMatchObject({ "job.a": 1 });
    });

    it("stops a run that has hardly begun, twice; it can be resumed", async () => {
      const laid = await lay("JOB a real.sub\nJOB b real.sub\nPARENT a CHILD b\n");
      const first = await submit(engine, laid);
      await engine.stop(first);
      await engine.stop(first);
      expect(await watch.ended(first)).toMatchObject({ verdict: "removed" });
      await untilTrue("nothing of it is left", async () => (await engine.find(first)).kind === "absent");
      await engine.stop(first);
      const second = await submit(engine, again(laid));
      expect(await watch.ended(second)).toMatchObject({ verdict: "success" });
    });

    it("a halt file drains the run; resubmission goes on from there", async () => {
      const laid = await lay('JOB a real.sub\nVARS a codes="wait"\nJOB b real.sub\nPARENT a CHILD b\n');
      const first = await submit(engine, laid);
      await watch.until(first, (view) => view.kind === "running" && view.nodes.queued === 1);
      await writeFile(`${first.submitDir}/workflow.dag.halt`, "");
      await sleep(2500); // looked for once in a cycle
      await letGo(first);
      const end = await watch.ended(first);
      expect(end).toMatchObject({ verdict: "halted", rescue: 1, nodes: { done: 1, failed: 0, waiting: 1 } });
      await untilTrue("it leaves the queue", async () => (await engine.find(first)).kind === "absent");
      const second = await submit(engine, again(laid));
      expect(await watch.ended(second)).toMatchObject({ verdict: "success" });
      expect(await executions(second)).toEqual({ "job.a": 1, "job.b": 1 });
    });

    it("a unit whose DAG cannot be read fails alone", async () => {
      const laid = await lay(
        "SUBDAG EXTERNAL mg_000000 group.dag DIR mg_000000\nSUBDAG EXTERNAL mg_000001 group.dag DIR mg_000001\n",
        { "mg_000000/group.dag": "NONSENSE\n", "mg_000001/group.dag": "JOB x none NOOP\n" },
        1,
      );
      const end = await watch.ended(await submit(engine, laid));
      expect(end).toMatchObject({ verdict: "failed", unitsDone: ["mg_000001"], unitsFailed: ["mg_000000"] });
    });

    it("adopts a run nobody kept the receipt of", async () => {
      const laid = await lay("JOB a none NOOP\n");
      const run = await submit(engine, laid);
      await watch.ended(run);
      await untilTrue("it leaves the queue", async () => (await engine.find(run)).kind === "absent");
      // Without its id: it was here and is over; submitting it again would be wrong.
      expect(await engine.find(laid)).toEqual({ kind: "found", engineId: run.engineId });
      expect((await engine.observe([laid])).get(laid.dagId)).toMatchObject({ kind: "ended", verdict: "success" });
      // A rescue of it is another run, and was never here.
      expect(await engine.find(again(laid))).toEqual({ kind: "absent" });
    });

    it("submitted twice at once, by servers that each believe it is theirs, it runs once", async () => {
      const laid = await lay('JOB a real.sub\nVARS a codes="wait"\n');
      expect(await engine.find(laid, nextTicket())).toEqual({ kind: "absent" });
      const outcomes = await Promise.all([1, 2, 3].map(() => engine.submit(laid, nextTicket())));
      expect(outcomes.filter((outcome) => outcome.kind === "rejected")).toEqual([]);
      // Should all have stood in each other's way, the next look settles it.
      const run = await submit(engine, laid);
      for (const outcome of outcomes) if (outcome.kind === "submitted") expect(outcome.engineId).toBe(run.engineId);
      await letGo(run);
      expect(await watch.ended(run)).toMatchObject({ verdict: "success" });
      expect(await executions(run)).toEqual({ "job.a": 1 });
      // It has come and gone: a late call adopts it, and a later one too.
      expect(await engine.submit(laid, nextTicket())).toEqual({
        kind: "submitted",
        engineId: run.engineId,
        adopted: true,
      });
    });

    it("a submission that was fenced off cannot be made any more, nor one beside a living run", async () => {
      const laid = await lay('JOB a real.sub\nVARS a codes="wait"\n');
      const [late, newer] = [nextTicket(), nextTicket()];
      expect(await engine.find(laid, newer)).toEqual({ kind: "absent" });
      expect(await engine.submit(laid, late)).toMatchObject({ kind: "unclear" });
      expect(await engine.find(laid)).toEqual({ kind: "absent" });
      const run = await submit(engine, again(laid));
      const beside = again(laid);
      expect((await engine.submit(beside, nextTicket())).kind).not.toBe("submitted");
      expect(await engine.find(beside)).toEqual({ kind: "absent" });
      await letGo(run);
      expect(await watch.ended(run)).toMatchObject({ verdict: "success" });
      expect(await executions(run)).toEqual({ "job.a": 1 });
    });

    it("answers for several runs at once", async () => {
      const one = await submit(engine, await lay('JOB a real.sub\nVARS a codes="wait"\n'));
      const two = await submit(engine, await lay('JOB a real.sub\nVARS a codes="5"\n'));
      expect(await watch.ended(two)).toMatchObject({ verdict: "failed" });
      const views = await engine.observe([one, two]);
      expect([views.get(one.dagId)?.kind, views.get(two.dagId)?.kind]).toEqual(["running", "ended"]);
      await letGo(one);
      expect(await watch.ended(one)).toMatchObject({ verdict: "success" });
    });

    it("answers a ping, and knows its sites", async () => {
      expect(await engine.ping()).toMatchObject({ ok: true });
      expect(Array.isArray(await engine.sites())).toBe(true);
    });
  });
}
