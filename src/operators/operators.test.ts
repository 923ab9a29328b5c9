import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { generation, makeWorld } from "../../tests/support/world.ts";
import type { DagId, RequestName, SiteName } from "../domain/names.ts";
import type { AttemptRecord } from "../recovery/ledger-record.ts";
import type { RetryWanted } from "./port.ts";

/** Operators and single nodes, over a real store, real submit directories and the real loop. */
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

/** Three units; `failed` of them fail as told, the others finish; the request ends up held. */
async function held(failed: number, how: Parameters<typeof world.engine.fail>[1] = {}): Promise<void> {
  name = await world.submit(generation("r", 3));
  for (let pass = 0; pass < 5; pass++) await world.pass();
  world.engine.fail(failed, how);
  world.engine.finish(world.storageDir);
  for (let pass = 0; pass < 4; pass++) await world.pass();
  await world.expectStatus(name, "held");
  dagId = (await world.workflow(name)).currentDagId as DagId;
}
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
        world.commands.retryNode(dagId, retry({ unit: `mg_00000${unit}`, changes: { memoryMb: 2000 + unit } }), ann),
      ),
    );
    const { wish } = await world.request(name);
    expect(Object.keys(wish?.detail?.epochOf as object).sort()).toEqual(["mg_000000", "mg_000001", "mg_000002"]);
    expect(wish?.detail?.nodeChanges).toMatchObject({ "mg_000002/proc_000000": { memoryMb: 2002 } });
    for (let pass = 0; pass < 4; pass++) await world.pass();
    await world.expectStatus(name, "active");
  });

  test("a name alone will do where it is unique, and not where it is not", async () => {
    await held(3);
    expect(await world.commands.retryNode(dagId, retry({ unit: null }), ann)).toMatchObject({ kind: "refused" });
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

  test("while its run goes on, a node that has not failed is a conflict, not a stranger", async () => {
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
      reason: "joins the resubmit that ann asked for",
    });
    expect(await wish()).toMatchObject({
      epochOf: { mg_000000: ["proc_000000", "proc_000001"], mg_000001: null },
      nodeChanges: { "mg_000000/proc_000000": { memoryMb: 2500 } },
    });
    expect(await wish()).not.toHaveProperty("changes");
    expect(await resubmit(["mg_000001"])).toMatchObject({ kind: "already" });
    expect(await resubmit(["mg_000001/proc_000000"])).toMatchObject({ kind: "already" });
    expect(await resubmit(["mg_000009"])).toMatchObject({ kind: "refused" });
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

test("sites given for single nodes are where their units land anew", async () => {
  await held(3);
  const sites = ["south" as SiteName];
  await world.commands.retryNode(dagId, retry({ changes: { sites } }), ann);
  await world.commands.retryNode(dagId, retry({ unit: "mg_000001" }), ann);
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
  for (const call of ["ledger", "ledgerText", "unitNames", "isComplete"] as const) {
    const plain = spool[call] as (...args: string[]) => never;
    vi.spyOn(spool, call).mockImplementation((...args: string[]) => {
      if (isOpen) read.push(call);
      return plain(...args);
    });
  }
  const items = [0, 1].map((unit) => `mg_00000${unit}/proc_000000`);
  const said = items.map((node) => ({ node, action: "retry" as const, changes: {}, reason: "seen" }));
  await world.commands.classify(name, said, { ...ann, version: null });
  expect(await world.commands.retryNode(dagId, retry({ unit: "mg_000002" }), ann)).toMatchObject({ kind: "reserved" });
  expect(read).toEqual([]);
});

describe("failures no rule knows", () => {
  const all = [0, 1, 2].map((unit) => `mg_00000${unit}/proc_000000`);
  const items = (nodes: readonly string[], action: "retry" | "fail") =>
    nodes.map((node) => ({ node, action, changes: {}, reason: "seen" }));
  const seen = { ...ann, version: null };

  test("are listed, classified in turns, and resubmitted when none is left", async () => {
    await held(3, { decision: "unclassified", why: "unclassified" });
    expect(await world.commands.unclassified(name, { offset: 1, limit: 1 })).toMatchObject({
      total: 3,
      open: 3,
      items: [{ unit: "mg_000001", classified: null }],
    });
    const dry = await world.commands.classify(name, items(all, "retry"), { ...seen, dryRun: true });
    expect(dry).toMatchObject({ kind: "would", open: 0, resubmit: all });
    expect((await world.commands.unclassified(name, { offset: 0, limit: 9 }))?.open).toBe(3);

    expect(await world.commands.classify(name, items(all.slice(0, 1), "fail"), seen)).toMatchObject({
      open: 2,
      resubmit: null,
    });
    expect((await world.request(name)).wish).toBeNull();
    const rest = await world.commands.classify(name, items(all.slice(1), "retry"), seen);
    expect(rest).toMatchObject({ kind: "done", open: 0, resubmit: all.slice(1) });
    expect((await world.request(name)).wish?.detail?.epochOf).toEqual({
      mg_000001: ["proc_000000"],
      mg_000002: ["proc_000000"],
    });

    expect(await world.commands.classify(name, items(all.slice(1), "retry"), seen)).toMatchObject({
      kind: "done",
      items: [{ outcome: "already" }, { outcome: "already" }],
    });
    const [entry] = (await world.store.audit.list({ subject: name, limit: 50 })).items.filter(
      ({ action }) => action === "classify",
    );
    expect(entry).toMatchObject({ actor: "ann", reason: "seen" });
  });

  test("all of a call or nothing: a contradiction, a stranger, a node named twice", async () => {
    await held(3, { decision: "unclassified" });
    await world.commands.classify(name, items(all.slice(0, 1), "fail"), seen);
    expect(await world.commands.classify(name, items(all, "retry"), seen)).toMatchObject({ kind: "conflict" });
    expect(await world.commands.classify(name, items(["mg_000009/x", ...all], "fail"), seen)).toMatchObject({
      kind: "refused",
    });
    expect(await world.commands.classify(name, items([...all, ...all], "fail"), seen)).toMatchObject({
      kind: "refused",
    });
    expect((await world.commands.unclassified(name, { offset: 0, limit: 9 }))?.open).toBe(2);
    expect(await world.commands.classify(name, items(all, "fail"), seen)).toMatchObject({
      kind: "done",
      resubmit: null,
    });
  });
});

test("the story of nodes: newest round first, by unit, with epochs and unreadable lines", async () => {
  await held(3);
  const dag = await world.store.dags.get(dagId);
  const ledger = join(dag?.submitDir ?? "", "mg_000001", "ledger.jsonl");
  appendFileSync(
    ledger,
    '{"event":"epoch","at":"2026-01-01T01:00:00Z","epoch":1,"by":"ann","reason":"again"}\nrubbish\n{}\n',
  );
  const { cluster } = (await world.ports.spool.ledger(dag?.submitDir ?? "", "mg_000001")).lines[0] as AttemptRecord;
  const script = { event: "script", node: "proc_000000", cluster, script: "./fix.sh", result: "exit 3", seconds: 2 };
  appendFileSync(ledger, `${JSON.stringify(script)}\n`);
  const page = await world.commands.attempts(name, { limit: 2 });
  expect(page?.items.map(({ unit }) => unit)).toEqual(["mg_000000", "mg_000001"]);
  expect(page?.items.map((item) => item.script?.result ?? null)).toEqual([null, "exit 3"]);
  expect(page?.epochs).toMatchObject([{ unit: "mg_000001", record: { epoch: 1, by: "ann" } }]);
  expect(page?.unreadable[0]).toMatchObject({ unit: "mg_000001" });
  const rest = await world.commands.attempts(name, { limit: 2, cursor: page?.nextCursor ?? "" });
  expect(rest).toMatchObject({ items: [{ unit: "mg_000002", round: 0 }], nextCursor: null });
  expect((await world.commands.attempts(name, { limit: 9, node: "mg_000002/proc_000000" }))?.items).toHaveLength(1);
  expect((await world.commands.attempts(name, { limit: 9, node: "proc_000007" }))?.items).toHaveLength(0);
  expect(await world.commands.attempts("nobody" as RequestName, { limit: 9 })).toBeNull();
});

describe("sites", () => {
  const north = "north" as SiteName;
  test("a ban is told with what it leaves, extended, and lifted", async () => {
    name = await world.submit(generation("r", 1, { sites: { allow: ["north"] } }));
    await world.submit(generation("s", 1));
    for (let pass = 0; pass < 3; pass++) await world.pass();
    const wanted = { request: null, days: 3, reason: "its disks are full" };
    const effect = { usedBy: 2, leftWithout: ["r"], leftWithoutTotal: 1 };
    expect(await world.commands.banSite(north, wanted, { ...ann, dryRun: true })).toMatchObject({
      kind: "would",
      effect,
    });
    expect(await world.commands.banSite(north, wanted, ann)).toMatchObject({
      kind: "banned",
      effect,
      ban: { createdBy: "ann" },
    });
    expect(await world.commands.banSite(north, wanted, ann)).toMatchObject({ kind: "already" });
    expect(await world.commands.banSite(north, { ...wanted, days: 9 }, ann)).toMatchObject({ kind: "extended" });
    expect(await world.commands.banSite(north, { ...wanted, request: name }, ann)).toMatchObject({ kind: "banned" });
    expect(await world.commands.banSite(north, { ...wanted, days: 999 }, ann)).toMatchObject({ kind: "problems" });
    expect(await world.commands.banSite("nowhere" as SiteName, wanted, ann)).toMatchObject({ kind: "problems" });
    expect(await world.commands.siteEffect(north)).toMatchObject({ usedBy: 0 });
    const only = { request: name, all: false, reason: "back" };
    expect(await world.commands.unbanSite(north, only, ann)).toMatchObject({ kind: "lifted", bans: [{}] });
    const every = { request: null, all: true, reason: "back" };
    expect(await world.commands.unbanSite(north, every, ann)).toMatchObject({
      kind: "lifted",
      bans: [{ workflowId: null }],
    });
    expect(await world.store.sites.activeBans(world.ports.clock.now())).toEqual([]);
    const did = (await world.store.audit.list({ subject: "north", limit: 50 })).items.map(({ action }) => action);
    expect(did).toEqual(["unban", "unban", "ban", "ban", "ban", "ban"]);
  });
});

test("many requests by filter: a result each, whatever becomes of the others", async () => {
  for (const each of ["a", "b", "c"]) await world.submit(generation(each, 1));
  const which = { filter: {}, limit: 2 };
  const wanted = { action: "hold" as const, reason: "power cut" };
  const first = await world.commands.actMany(which, wanted, ann);
  expect(first.results.map(({ name, answer }) => [name, answer.kind])).toEqual([
    ["c", "done"],
    ["b", "done"],
  ]);
  const rest = await world.commands.actMany({ ...which, cursor: first.nextCursor ?? "" }, wanted, ann);
  expect(rest).toMatchObject({ results: [{ name: "a", answer: { kind: "done" } }], nextCursor: null });
  const names = ["a", "nobody"] as RequestName[];
  const named = await world.commands.actMany({ names, filter: {}, limit: 10 }, wanted, ann);
  expect(named.results.map(({ answer }) => answer.kind)).toEqual(["already", "unknown-request"]);
});

test("a DAG is paused and let go in the engine; an alert is acknowledged once", async () => {
  name = await world.submit(generation("r", 1));
  for (let pass = 0; pass < 5; pass++) await world.pass();
  dagId = (await world.workflow(name)).currentDagId as DagId;
  expect(await world.commands.changeDag(dagId, "hold", "look", "ann")).toMatchObject({ kind: "done" });
  expect((await world.store.dags.history(dagId)).map(({ type }) => type)).toContain("held");
  world.engine.finish(world.storageDir);
  for (let pass = 0; pass < 3; pass++) await world.pass();
  expect(await world.commands.changeDag(dagId, "release", "go", "ann")).toMatchObject({ kind: "not-allowed" });

  const at = world.ports.clock.now();
  await world.store.alerts.raise({ key: "k", severity: "warning", subject: "r", message: "slow", at });
  const [alert] = await world.store.alerts.open();
  expect(await world.commands.acknowledge(alert?.id ?? "", "seen", "ann")).toMatchObject({ kind: "acknowledged" });
  expect(await world.commands.acknowledge(alert?.id ?? "", "seen", "bob")).toMatchObject({
    kind: "already",
    alert: { acknowledgedBy: "ann" },
  });
  expect(await world.commands.acknowledge("999", "seen", "ann")).toEqual({ kind: "unknown" });
});

describe("what ends a request", () => {
  const ask = (action: "fail" | "release" | "abort" | "restart") =>
    world.commands.act(name, { action, reason: "so be it" }, { ...ann, version: null });

  test("is not undone by asking for something else before the loop got to it; only an abort goes over it", async () => {
    await held(3);
    expect(await ask("fail")).toMatchObject({ kind: "done" });
    expect(await ask("release")).toMatchObject({
      kind: "refused",
      problems: [{ message: "ann asked for fail, and that is under way", allowed: "abort" }],
    });
    expect(await ask("abort")).toMatchObject({ kind: "done" });
    expect(await ask("restart")).toMatchObject({ kind: "refused" });
    await world.pass();
    await world.expectStatus(name, "aborted");
  });

  test("a restart whose clone's name was taken meanwhile ends nothing, and says so", async () => {
    await held(3);
    expect(await ask("restart")).toMatchObject({ kind: "done" });
    await world.submit(generation("r-v2", 1));
    await world.pass();
    await world.expectStatus(name, "held");
    expect((await world.request(name)).error?.message).toMatch(/cannot be restarted: r-v2 was handed in meanwhile/);
  });
});

test("what one release changed stays so after the next, unless that says otherwise", async () => {
  await held(3);
  const release = (modifications: object | null) =>
    world.commands.act(
      name,
      { action: "release", reason: "again", modifications, how: "rescue" },
      { ...ann, version: null },
    );
  await release({ memory_mb: 2500, hold_threshold: 0.9 });
  for (let pass = 0; pass < 5; pass++) await world.pass();
  world.engine.fail(3, {});
  world.engine.finish(world.storageDir);
  for (let pass = 0; pass < 4; pass++) await world.pass();
  await world.expectStatus(name, "held");
  await release({ hold_threshold: 0.5 });
  expect((await world.request(name)).modifications).toMatchObject({ memoryMb: 2500, holdThreshold: 0.5, topUp: null });
});

test("a ban that comes with a release lasts as long as the settings say", async () => {
  await held(3);
  const wanted = { action: "release", reason: "bad disks", modifications: { site_bans: ["north"] } } as const;
  expect(await world.commands.act(name, wanted, { ...ann, version: null })).toMatchObject({ kind: "done" });
  const [ban] = await world.store.sites.bans({ sites: ["north" as SiteName], at: world.ports.clock.now() });
  expect((ban?.expiresAt.getTime() ?? 0) - (ban?.createdAt.getTime() ?? 0)).toBe(5 * 86_400_000);
});
