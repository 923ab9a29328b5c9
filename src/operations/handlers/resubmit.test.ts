import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { heldRequest } from "../../../tests/support/held-request.ts";
import { generation, makeWorld } from "../../../tests/support/world.ts";
import type { DagId, RequestName, SiteName } from "../../core/names.ts";
import type { RetryWanted } from "./port.ts";

/** Single nodes run again, over a real store, real submit directories and the real loop. */
let world: Awaited<ReturnType<typeof makeWorld>>;
let name: RequestName;
let dagId: DagId;
const ann = { actor: "ann", dryRun: false };
const retry = (over: Partial<RetryWanted> = {}): RetryWanted => ({
  unit: "mg_000000",
  node: "proc_000000",
  reason: "the license server is back",
  changes: {},
  attempt: null,
  maxRetries: null,
  ...over,
});

const held = async (failed: number, how: Parameters<typeof world.engine.fail>[1] = {}): Promise<void> => {
  ({ name, dagId } = await heldRequest(world, failed, how));
};
beforeEach(async () => {
  world = await makeWorld();
});

describe("one more attempt of a node", () => {
  test("fifty callers make one reservation and one wish; a repeated call gives the same answer", async () => {
    await held(3);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, at) => world.commands.retryNode(dagId, retry(), { ...ann, actor: `a${at}` })),
    );
    expect(answers.filter(({ kind }) => kind === "reserved")).toHaveLength(1);
    expect(answers.filter(({ kind }) => kind === "already")).toHaveLength(49);
    const ids = new Set(answers.map((answer) => ("action" in answer && "id" in answer.action ? answer.action.id : "")));
    expect(ids.size).toBe(1);
    const { wish } = await world.request(name);
    expect(wish).toMatchObject({ kind: "resubmit", detail: { epochOf: { mg_000000: ["proc_000000"] } } });
    await world.pass();
    await world.pass();
    expect(await world.commands.retryNode(dagId, retry(), ann)).toMatchObject({ kind: "already" });
    const { items } = await world.store.audit.list({ subject: name, limit: 100 });
    expect(items.filter(({ action }) => action === "retry-node")).toHaveLength(1);
  });

  test("nodes reserved before the loop looks run together, each with its own changes", async () => {
    await held(3);
    await Promise.all(
      [0, 1, 2].map((unit) =>
        world.commands.retryNode(
          dagId,
          retry({ unit: `mg_00000${unit}`, node: `proc_00000${2 * unit}`, changes: { memoryMb: 2000 + unit } }),
          ann,
        ),
      ),
    );
    const { wish } = await world.request(name);
    expect(Object.keys(wish?.detail?.epochOf as object).sort()).toEqual(["mg_000000", "mg_000001", "mg_000002"]);
    expect(wish?.detail?.nodeChanges).toMatchObject({ "mg_000002/proc_000004": { memoryMb: 2002 } });
    for (let pass = 0; pass < 4; pass++) await world.pass();
    await world.expectStatus(name, "active");
  });

  test("a name alone will do where it is unique, and not where it is not", async () => {
    await held(3, { node: "landing" });
    const landing = { unit: null, node: "landing" };
    expect(await world.commands.retryNode(dagId, retry(landing), ann)).toMatchObject({ kind: "refused" });
    expect(await world.commands.retryNode(dagId, retry({ unit: null, node: "no-such" }), ann)).toMatchObject({
      kind: "unknown",
    });
    // It is there, but nothing of it has failed.
    expect(await world.commands.retryNode(dagId, retry({ node: "merge" }), ann)).toMatchObject({ kind: "conflict" });
    expect(await world.commands.retryNode("nowhere" as DagId, retry(), ann)).toMatchObject({ kind: "unknown" });
  });

  test("one more attempt is no new epoch, a replaced DAG is a conflict, and so is an attempt that was not the last", async () => {
    await held(3, { why: "row-stops", category: "permanent", retriesLeft: 8 });
    const ask = (dag: DagId, over: Partial<RetryWanted> = {}) => world.commands.retryNode(dag, retry(over), ann);
    expect(await ask(dagId, { attempt: 424242 })).toMatchObject({ kind: "conflict" });
    const reserved = await ask(dagId);
    expect(reserved).toMatchObject({ kind: "reserved" });
    const { attempt } = (reserved as { action: { attempt: number } }).action;
    expect(await ask(dagId, { attempt: 424242 })).toMatchObject({ kind: "conflict" });
    expect((await world.request(name)).wish?.detail?.sameEpoch).toEqual(["mg_000000/proc_000000"]);
    for (let pass = 0; pass < 3; pass++) await world.pass();
    await world.expectStatus(name, "active");
    const { submitDir } = (await world.store.dags.get(dagId)) as { submitDir: string };
    const { lines } = await world.ports.spool.ledger(submitDir, "mg_000000");
    expect(lines.map(({ event }) => event)).not.toContain("epoch");
    // It fails once more, as often as its rule allows.
    world.engine.fail(3, { why: "rule-retries", retriesLeft: 0 });
    world.engine.finish(world.storageDir);
    for (let pass = 0; pass < 4; pass++) await world.pass();
    await world.expectStatus(name, "held");
    const present = (await world.workflow(name)).currentDagId as DagId;
    expect(present).not.toBe(dagId);
    expect(await ask(dagId, { attempt })).toMatchObject({ kind: "already" });
    expect(await ask(dagId)).toMatchObject({
      kind: "conflict",
      problems: [{ message: expect.stringContaining("replaced by") }],
    });
    expect(await ask(present)).toMatchObject({
      kind: "refused",
      problems: [{ allowed: expect.stringContaining("new epoch") }],
    });
  });

  test("while its run goes on, a node that has not failed is a conflict, not unknown", async () => {
    name = await world.submit(generation("r", 3));
    for (let pass = 0; pass < 5; pass++) await world.pass();
    const dag = (await world.workflow(name)).currentDagId as DagId;
    expect(await world.commands.retryNode(dag, retry(), ann)).toMatchObject({ kind: "conflict" });
    expect(await world.commands.retryNode(dag, retry({ unit: null, node: "proc_000002" }), ann)).toMatchObject({
      kind: "conflict",
    });
  });

  test("refusals say why and change nothing", async () => {
    await held(3, { why: "executions" });
    const before = await world.request(name);
    const ask = (over: Partial<RetryWanted>) => world.commands.retryNode(dagId, retry(over), ann);
    expect(await ask({})).toMatchObject({ kind: "refused", problems: [{ message: "its executions are used up" }] });
    expect(await ask({ attempt: 424242 })).toMatchObject({ kind: "conflict" });
    expect(await world.request(name)).toEqual(before);
    expect(await world.store.nodeActions.list(dagId)).toEqual([]);
  });

  test("budget of the caller's own, memory beyond the cap, a dry run", async () => {
    await held(3, { rrn: 4 } as never);
    const ask = (over: Partial<RetryWanted>, dryRun = false) =>
      world.commands.retryNode(dagId, retry(over), { ...ann, dryRun });
    expect(await ask({ maxRetries: 2 })).toMatchObject({ kind: "refused" });
    expect(await ask({ changes: { memoryMb: 1_000_000 } })).toMatchObject({
      kind: "refused",
      problems: [{ path: "memory_mb" }],
    });
    expect(await ask({}, true)).toMatchObject({ kind: "would" });
    expect((await world.request(name)).wish).toBeNull();
    expect(await ask({ maxRetries: 4 })).toMatchObject({ kind: "reserved" });
  });

  test("not while something else was asked for", async () => {
    await held(3);
    await world.commands.act(name, { action: "fail", reason: "enough" }, { ...ann, version: null });
    expect(await world.commands.retryNode(dagId, retry(), ann)).toMatchObject({ kind: "conflict" });
    expect((await world.request(name)).wish?.kind).toBe("fail");
  });
});

describe("a resubmit of a node that is done is refused with the reason", () => {
  const ask = (...nodes: string[]) =>
    world.commands.act(name, { action: "resubmit", reason: "again", nodes }, { ...ann, version: null });
  const isDone = (at: number, node: string) => ({
    kind: "refused",
    problems: [{ path: `nodes[${at}]`, message: `${node} is done, and what is done never runs again` }],
  });

  test("as the ledger says, and as the engine's rescue file says; its unit goes on without it", async () => {
    await held(3);
    const { submitDir } = (await world.store.dags.get(dagId)) ?? { submitDir: "" };
    const write = (file: string, text: string) => appendFileSync(join(submitDir, "mg_000000", file), text);
    write("ledger.jsonl", '{"event":"attempt","node":"landing","cluster":7,"decision":"done"}\n');
    expect(await ask("mg_000001/landing", "mg_000000/landing")).toMatchObject(isDone(1, "mg_000000/landing"));
    // Named before, when nobody refused it: the engine had it as done, and ran nothing.
    write("ledger.jsonl", '{"event":"epoch","epoch":1,"nodes":["landing"]}\n');
    expect(await ask("mg_000000/landing")).toMatchObject({ kind: "done" });
    await world.store.requests.change(name, (await world.request(name)).version, { wish: null }, NOBODY);
    write("group.dag.rescue001", "# Nodes premarked DONE: 1\nDONE landing\n");
    expect(await ask("mg_000000/landing")).toMatchObject(isDone(0, "mg_000000/landing"));
    expect((await world.request(name)).wish).toBeNull();
    expect(await ask("mg_000000")).toMatchObject({ kind: "done" });
  });
});
const NOBODY = { reason: "", actor: "test", at: new Date(0) };

describe("a resubmit while another one waits for the loop", () => {
  const resubmit = (nodes: readonly string[] | "failed", changes = {}) =>
    world.commands.act(name, { action: "resubmit", reason: "again", nodes, changes }, { ...ann, version: null });
  const wish = async () => (await world.request(name)).wish?.detail;

  test("adds its nodes, each with its own changes, and says when it adds nothing", async () => {
    await held(3);
    await resubmit(["mg_000000/proc_000000"], { memoryMb: 2500 });
    expect(await resubmit(["mg_000001", "mg_000000/proc_000001"])).toMatchObject({
      kind: "done",
      reason: expect.stringContaining("joins the resubmit that ann asked for"),
    });
    expect(await wish()).toMatchObject({
      epochOf: { mg_000000: ["proc_000000", "proc_000001"], mg_000001: null },
      nodeChanges: { "mg_000000/proc_000000": { memoryMb: 2500 } },
    });
    expect(await wish()).not.toHaveProperty("changes");
    expect(await resubmit(["mg_000001"])).toMatchObject({ kind: "already" });
    expect(await resubmit(["mg_000001/proc_000002"])).toMatchObject({ kind: "already" });
    const refused = (name: string, message: string, near: string) =>
      expect(resubmit([name])).resolves.toMatchObject({ problems: [{ message, allowed: `did you mean ${near}?` }] });
    await refused("mg_00002", "mg_00002 is not of this round", "mg_000002");
    await refused("mg_000002/proc_00005", "mg_000002 has no node proc_00005", "mg_000002/proc_000005");
    for (let pass = 0; pass < 4; pass++) await world.pass();
    await world.expectStatus(name, "active");
  });

  test("of all that failed takes the others in, whose changes stay theirs", async () => {
    await held(3);
    await resubmit(["mg_000002"], { memoryMb: 2500 });
    expect(await resubmit("failed")).toMatchObject({ kind: "done" });
    expect(await wish()).toMatchObject({ epochOf: null, nodeChanges: { mg_000002: { memoryMb: 2500 } } });
    expect(await resubmit(["mg_000000"])).toMatchObject({ kind: "already" });
    expect(await resubmit(["mg_000000"], { memoryMb: 2600 })).toMatchObject({ kind: "done" });
    const adjust = vi.spyOn(world.ports.spool, "adjust");
    for (let pass = 0; pass < 4; pass++) await world.pass();
    const memoryOf = adjust.mock.calls.map(([, unit, , changesOf]) => [unit, changesOf("proc_000000").memoryMb]);
    expect(Object.fromEntries(memoryOf)).toEqual({ mg_000000: 2600, mg_000001: undefined, mg_000002: 2500 });
  });
});

test("sites given for single nodes are where their units land again", async () => {
  await held(3);
  const sites = ["south" as SiteName];
  await world.commands.retryNode(dagId, retry({ changes: { sites } }), ann);
  await world.commands.retryNode(dagId, retry({ unit: "mg_000001", node: "proc_000002" }), ann);
  const reelect = vi.spyOn(world.ports.spool, "reelect");
  for (let pass = 0; pass < 3; pass++) await world.pass();
  expect(reelect.mock.calls.map(([, unit, , only]) => [unit, only])).toEqual([["mg_000000", sites]]);
});

test("no file is read while a transaction is open", async () => {
  await held(3, { decision: "unclassified" });
  let isOpen = false;
  const { store, spool } = world.ports;
  const transaction = store.transaction;
  vi.spyOn(store, "transaction").mockImplementation(async (work) => {
    isOpen = true;
    try {
      return await transaction(work);
    } finally {
      isOpen = false;
    }
  });
  const read: string[] = [];
  for (const call of ["ledger", "ledgers", "unitNames", "isComplete"] as const) {
    const plain = spool[call] as (...args: string[]) => never;
    vi.spyOn(spool, call).mockImplementation((...args: string[]) => {
      if (isOpen) read.push(call);
      return plain(...args);
    });
  }
  const items = [0, 1].map((unit) => `mg_00000${unit}/proc_00000${2 * unit}`);
  const said = items.map((node) => ({ node, action: "retry" as const, changes: {}, reason: "seen" }));
  await world.commands.classify(name, said, { ...ann, version: null });
  expect(await world.commands.retryNode(dagId, retry({ unit: "mg_000002", node: "proc_000004" }), ann)).toMatchObject({
    kind: "reserved",
  });
  expect(read).toEqual([]);
});
