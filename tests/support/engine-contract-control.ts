import { writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import type { NodeState } from "../../src/core/run.ts";
import { again, executions, HEAD, layRun, letGo, nextTicket, type OpenSeat, submit, untilTrue } from "./engine-runs.ts";

/** What may be done to a run, and by several at once. */
export function controlStories(at: OpenSeat): void {
  const lay = (dag: string, more: Record<string, string> = {}, nodes?: number) =>
    layRun(at.root, { "workflow.dag": HEAD + dag, ...more }, nodes);

  it("shows the nodes of a live run, and can hold and release it", async () => {
    const dag =
      'JOB a real.sub\nJOB b real.sub\nVARS b codes="wait"\nJOB c real.sub\nPARENT a CHILD b\nPARENT b CHILD c\n';
    const run = await submit(at.engine, await lay(dag));
    const states = async (): Promise<Record<string, NodeState>> =>
      Object.fromEntries((await at.engine.nodes(run)).map((node) => [node.node, node.state]));
    await untilTrue("b is queued", async () => (await states()).b === "queued");
    expect(await states()).toEqual({ a: "done", b: "queued", c: "waiting" });

    await at.engine.hold(run);
    const held = await at.watch.until(run, (view) => view.kind === "running" && /held/i.test(view.note ?? ""));
    expect(held).toMatchObject({ kind: "running", nodes: { done: 1 } });
    await letGo(run);
    await at.engine.release(run);
    expect(await at.watch.ended(run)).toMatchObject({ verdict: "success" });
    expect(await executions(run)).toMatchObject({ "job.a": 1, "job.c": 1 });
  });

  it("stops a held run so that it can be resumed", async () => {
    const laid = await lay('JOB a real.sub\nJOB b real.sub\nVARS b codes="wait"\nPARENT a CHILD b\n');
    const first = await submit(at.engine, laid);
    await at.watch.until(first, (view) => view.kind === "running" && view.nodes.done === 1 && view.nodes.queued === 1);
    await at.engine.hold(first);
    await at.watch.until(first, (view) => view.kind === "running" && /held/i.test(view.note ?? ""));
    await at.engine.stop(first);
    expect(await at.watch.ended(first)).toMatchObject({ verdict: "removed" });
    await untilTrue("nothing of it is left", async () => (await at.engine.find(first)).kind === "absent");
    await letGo(first);
    const second = await submit(at.engine, again(laid));
    expect(await at.watch.ended(second)).toMatchObject({ verdict: "success" });
    expect(await executions(second)).toMatchObject({ "job.a": 1 });
  });

  it("stops a run that has hardly begun, twice; it can be resumed", async () => {
    const laid = await lay("JOB a real.sub\nJOB b real.sub\nPARENT a CHILD b\n");
    const first = await submit(at.engine, laid);
    await at.engine.stop(first);
    await at.engine.stop(first);
    expect(await at.watch.ended(first)).toMatchObject({ verdict: "removed" });
    await untilTrue("nothing of it is left", async () => (await at.engine.find(first)).kind === "absent");
    await at.engine.stop(first);
    const second = await submit(at.engine, again(laid));
    expect(await at.watch.ended(second)).toMatchObject({ verdict: "success" });
  });

  it("a halt file drains the run; resubmission goes on from there", async () => {
    const laid = await lay('JOB a real.sub\nVARS a codes="wait"\nJOB b real.sub\nPARENT a CHILD b\n');
    const first = await submit(at.engine, laid);
    await at.watch.until(first, (view) => view.kind === "running" && view.nodes.queued === 1);
    await writeFile(`${first.submitDir}/workflow.dag.halt`, "");
    await sleep(2500); // looked for once in a cycle
    await letGo(first);
    const end = await at.watch.ended(first);
    expect(end).toMatchObject({ verdict: "halted", rescue: 1, nodes: { done: 1, failed: 0, waiting: 1 } });
    await untilTrue("it leaves the queue", async () => (await at.engine.find(first)).kind === "absent");
    const second = await submit(at.engine, again(laid));
    expect(await at.watch.ended(second)).toMatchObject({ verdict: "success" });
    expect(await executions(second)).toEqual({ "job.a": 1, "job.b": 1 });
  });

  it("a unit whose DAG cannot be read fails alone", async () => {
    const laid = await lay(
      "SUBDAG EXTERNAL mg_000000 group.dag DIR mg_000000\nSUBDAG EXTERNAL mg_000001 group.dag DIR mg_000001\n",
      { "mg_000000/group.dag": "NONSENSE\n", "mg_000001/group.dag": "JOB x none NOOP\n" },
      1,
    );
    const end = await at.watch.ended(await submit(at.engine, laid));
    expect(end).toMatchObject({ verdict: "failed", unitsDone: ["mg_000001"], unitsFailed: ["mg_000000"] });
  });

  it("adopts a run nobody kept the receipt of", async () => {
    const laid = await lay("JOB a none NOOP\n");
    const run = await submit(at.engine, laid);
    await at.watch.ended(run);
    await untilTrue("it leaves the queue", async () => (await at.engine.find(run)).kind === "absent");
    // Without its id: it was here and is over; submitting it again would be wrong.
    expect(await at.engine.find(laid)).toEqual({ kind: "found", engineId: run.engineId });
    expect((await at.engine.observe([laid])).get(laid.dagId)).toMatchObject({ kind: "ended", verdict: "success" });
    // A rescue of it is another run, and was never here.
    expect(await at.engine.find(again(laid))).toEqual({ kind: "absent" });
  });

  it("submitted twice at once, by servers that each believe it is theirs, it runs once", async () => {
    const laid = await lay('JOB a real.sub\nVARS a codes="wait"\n');
    expect(await at.engine.find(laid, nextTicket())).toEqual({ kind: "absent" });
    const outcomes = await Promise.all([1, 2, 3].map(() => at.engine.submit(laid, nextTicket())));
    expect(outcomes.filter((outcome) => outcome.kind === "rejected")).toEqual([]);
    // Should all have stood in each other's way, the next look decides.
    const run = await submit(at.engine, laid);
    for (const outcome of outcomes) if (outcome.kind === "submitted") expect(outcome.engineId).toBe(run.engineId);
    await letGo(run);
    expect(await at.watch.ended(run)).toMatchObject({ verdict: "success" });
    expect(await executions(run)).toEqual({ "job.a": 1 });
    // It has come and gone: a late call adopts it, and a later one too.
    expect(await at.engine.submit(laid, nextTicket())).toEqual({
      kind: "submitted",
      engineId: run.engineId,
      adopted: true,
    });
  });

  it("a submission that was fenced off cannot be made any more, nor one beside a living run", async () => {
    const laid = await lay('JOB a real.sub\nVARS a codes="wait"\n');
    const [late, newer] = [nextTicket(), nextTicket()];
    expect(await at.engine.find(laid, newer)).toEqual({ kind: "absent" });
    expect(await at.engine.submit(laid, late)).toMatchObject({ kind: "unclear" });
    expect(await at.engine.find(laid)).toEqual({ kind: "absent" });
    const run = await submit(at.engine, again(laid));
    const beside = again(laid);
    expect((await at.engine.submit(beside, nextTicket())).kind).not.toBe("submitted");
    expect(await at.engine.find(beside)).toEqual({ kind: "absent" });
    await letGo(run);
    expect(await at.watch.ended(run)).toMatchObject({ verdict: "success" });
    expect(await executions(run)).toEqual({ "job.a": 1 });
  });

  it("answers for several runs at once", async () => {
    const one = await submit(at.engine, await lay('JOB a real.sub\nVARS a codes="wait"\n'));
    const two = await submit(at.engine, await lay('JOB a real.sub\nVARS a codes="5"\n'));
    expect(await at.watch.ended(two)).toMatchObject({ verdict: "failed" });
    const views = await at.engine.observe([one, two]);
    expect([views.get(one.dagId)?.kind, views.get(two.dagId)?.kind]).toEqual(["running", "ended"]);
    await letGo(one);
    expect(await at.watch.ended(one)).toMatchObject({ verdict: "success" });
  });

  it("answers a ping, and knows its sites", async () => {
    expect(await at.engine.ping()).toMatchObject({ ok: true });
    expect(Array.isArray(await at.engine.sites())).toBe(true);
  });
}
