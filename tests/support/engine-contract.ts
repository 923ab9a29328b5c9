import { describe, expect, it } from "vitest";
import { controlStories } from "./engine-contract-control.ts";
import {
  again,
  type EngineSeat,
  executions,
  HEAD,
  layRun,
  letGo,
  nextTicket,
  type OpenSeat,
  openSeat,
  submit,
  untilTrue,
} from "./engine-runs.ts";

/** What every engine promises (src/engines/port.ts), in stories. They run side by side: each has its own directory. */
export function engineContract(name: string, open: () => Promise<EngineSeat>): void {
  describe.concurrent(`${name}: the engine contract`, () => {
    const at = openSeat(open);
    runStories(at);
    controlStories(at);
  });
}

function runStories(at: OpenSeat): void {
  const lay = (dag: string, more: Record<string, string> = {}, nodes?: number) =>
    layRun(at.root, { "workflow.dag": HEAD + dag, ...more }, nodes);

  it("runs a DAG in the order of its edges, and says so", async () => {
    const laid = await lay(
      "JOB a real.sub\nJOB b real.sub\nJOB c real.sub\nJOB d real.sub\nPARENT a CHILD b c\nPARENT b c CHILD d\n",
    );
    expect(await at.engine.find(laid)).toEqual({ kind: "absent" });
    const run = await submit(at.engine, laid);
    expect(await at.engine.find(run)).toEqual({ kind: "found", engineId: run.engineId });
    const end = await at.watch.ended(run);
    expect(end).toMatchObject({ verdict: "success", rescue: null });
    expect(end.nodes).toMatchObject({ total: 4, done: 4, failed: 0, queued: 0, waiting: 0 });
    expect(await executions(run)).toEqual({ "job.a": 1, "job.b": 1, "job.c": 1, "job.d": 1 });
    await untilTrue("it leaves the queue", async () => (await at.engine.find(run)).kind === "absent");
  });

  it("retries a node until it succeeds", async () => {
    const run = await submit(at.engine, await lay('JOB a real.sub\nVARS a codes="1 1 0"\nRETRY a 2\n'));
    expect(await at.watch.ended(run)).toMatchObject({ verdict: "success" });
    expect(await executions(run)).toEqual({ "job.a": 3 });
  });

  it("stops retrying at the UNLESS-EXIT code", async () => {
    const run = await submit(
      at.engine,
      await lay(
        "JOB a none NOOP\nSCRIPT POST a @DIR@/step post.a 1 42\nRETRY a 5 UNLESS-EXIT 42\nJOB b none NOOP\nPARENT a CHILD b\n",
      ),
    );
    const end = await at.watch.ended(run);
    expect(end).toMatchObject({ verdict: "failed", rescue: 1 });
    expect(end.nodes).toMatchObject({ total: 2, failed: 1, done: 0 });
    expect(await executions(run)).toEqual({ "post.a": 2 });
  });

  it("skips a node whose PRE gives the PRE_SKIP code: it is done, without its job and POST", async () => {
    const run = await submit(
      at.engine,
      await lay(
        "JOB a real.sub\nSCRIPT PRE a @DIR@/step pre.a 45\nSCRIPT POST a @DIR@/step post.a 1\nPRE_SKIP a 45\nRETRY a 2\nJOB b real.sub\nPARENT a CHILD b\n",
      ),
    );
    expect(await at.watch.ended(run)).toMatchObject({ verdict: "success", nodes: { total: 2, done: 2 } });
    expect(await executions(run)).toEqual({ "pre.a": 1, "job.b": 1 });
  });

  it("leaves a rescue after a failure; resubmission runs only what is left", async () => {
    const laid = await lay(
      'JOB a real.sub\nJOB b real.sub\nVARS b codes="3 0"\nJOB c real.sub\nPARENT a CHILD b\nPARENT b CHILD c\n',
    );
    const first = await submit(at.engine, laid);
    const end = await at.watch.ended(first);
    expect(end).toMatchObject({ verdict: "failed", rescue: 1 });
    expect(end.nodes).toMatchObject({ done: 1, failed: 1 });
    await untilTrue("it leaves the queue", async () => (await at.engine.find(first)).kind === "absent");

    const second = await submit(at.engine, again(laid));
    // The metrics of the first run still lie there; they must not be taken for this one's.
    const views = await at.engine.observe([second]);
    expect(views.get(second.dagId)).not.toMatchObject({ kind: "ended", verdict: "failed" });
    expect(await at.watch.ended(second)).toMatchObject({ verdict: "success" });
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
    const first = await submit(at.engine, laid);
    await at.watch.until(first, (view) => view.kind === "running" && view.nodes.done === 2 && view.nodes.queued === 1);
    await at.engine.stop(first);
    const end = await at.watch.ended(first);
    expect(end).toMatchObject({ verdict: "removed", unitsDone: [], unitsFailed: [] });
    expect(end.units).toMatchObject({ total: 1, running: 0, done: 0, failed: 0 });
    await untilTrue("nothing of it is left", async () => (await at.engine.find(first)).kind === "absent");
    await letGo(first);
    const second = await submit(at.engine, again(laid));
    expect(await at.watch.ended(second)).toMatchObject({ verdict: "success", unitsDone: ["mg_000000"] });
    expect(await executions(second)).toEqual({ "job.a": 1, "job.x": 1, "job.y": 2 });
  });

  it("gives its own words for a DAG file it cannot read", async () => {
    const laid = await lay("JOB a real.sub\nNONSENSE b\n");
    const outcome = await at.engine.submit(laid, nextTicket());
    if (outcome.kind === "rejected") {
      expect(outcome.text).toMatch(/line 4|NONSENSE/);
      return;
    }
    if (outcome.kind === "unclear") throw new Error(outcome.why);
    const end = await at.watch.ended({ ...laid, engineId: outcome.engineId });
    expect(end.verdict).toBe("unreadable");
    expect(end.text).toMatch(/line 4.*NONSENSE/s);
    expect(await executions(laid)).toEqual({});
  });

  it("calls a cycle unreadable", async () => {
    const laid = await lay("JOB a real.sub\nJOB b real.sub\nPARENT a CHILD b\nPARENT b CHILD a\n");
    const outcome = await at.engine.submit(laid, nextTicket());
    if (outcome.kind === "rejected") return expect(outcome.text).toMatch(/cycle/i);
    if (outcome.kind === "unclear") throw new Error(outcome.why);
    expect(await at.watch.ended({ ...laid, engineId: outcome.engineId })).toMatchObject({ verdict: "unreadable" });
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
    const run = await submit(at.engine, laid);
    const end = await at.watch.ended(run);
    expect(end).toMatchObject({ verdict: "failed", rescue: 1, unitsDone: ["mg_000000"], unitsFailed: ["mg_000001"] });
    expect(end.units).toEqual({ total: 2, waiting: 0, running: 0, done: 1, failed: 1 });
    expect(end.nodes).toEqual({ total: 6, waiting: 1, queued: 0, idle: 0, held: 0, done: 4, failed: 1 });
    const nodes = await at.engine.nodes(run);
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
    const run = await submit(at.engine, laid);
    expect(await at.watch.ended(run)).toMatchObject({ verdict: "aborted", rescue: 1 });
    expect(await executions(run)).toEqual({ "post.x": 1 });
  });

  it.each([
    ["ends the run", 43, { verdict: "aborted" }, { "post.x": 1, pre: 2 }],
    ["makes its node done", 45, { verdict: "success" }, { "post.x": 1, pre: 2, "post.b": 1 }],
    ["lets it fail", 1, { verdict: "failed" }, { "post.x": 1, pre: 2 }],
  ])("the PRE of a sub-DAG that failed %s, and never runs it again", async (_, code, verdict, ran) => {
    const inner = "NODE_STATUS_FILE group.dag.status 1\nJOB x none NOOP\nSCRIPT POST x @DIR@/step post.x 1\n";
    const laid = await lay(
      `SUBDAG EXTERNAL mg_000000 group.dag DIR mg_000000\nSCRIPT PRE mg_000000 @DIR@/step pre 0 ${code}\nPRE_SKIP mg_000000 45\nRETRY mg_000000 1\nABORT-DAG-ON mg_000000 43 RETURN 1\nJOB b none NOOP\nSCRIPT POST b @DIR@/step post.b 0\nPARENT mg_000000 CHILD b\n`,
      { "mg_000000/group.dag": inner },
      2,
    );
    const run = await submit(at.engine, laid);
    expect(await at.watch.ended(run)).toMatchObject(verdict);
    expect(await executions(run)).toEqual(ran);
  });
}
