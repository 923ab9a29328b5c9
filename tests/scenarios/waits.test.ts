import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { WorldError } from "../../src/core/base/errors.ts";
import { generation, makeWorld } from "../support/world.ts";

const LATER = new Date("2026-01-01T00:15:00Z");
const deferred = { nodes: 4, nextAt: LATER, lastAt: LATER, reason: "exit 8021", example: "mg_000000/proc_000000" };
const held = {
  ...{ nodes: 2, since: new Date("2026-01-01T00:00:00Z"), reason: "via condor_hold (by user ann)" },
  ...{ byHand: true, example: "mg_000000/proc_000000" },
};

async function running() {
  const world = await makeWorld();
  const name = await world.submit(generation("gen", 2));
  await world.pass();
  await world.expectStatus(name, "active");
  const waiting = async () => {
    await world.pass();
    return (await world.request(name)).waiting;
  };
  return { world, name, waiting };
}

test("all jobs failed and wait for their next try: the request says so, since when and until when", async () => {
  const { world, waiting } = await running();
  world.engine.waits = { deferred };
  const first = await waiting();
  expect(first).toMatchObject({ code: "retry", until: LATER, reason: expect.stringContaining("exit 8021") });
  world.wait(60);
  expect((await waiting())?.since).toEqual(first?.since);
  expect(await world.store.requests.countByWait()).toEqual({ retry: 1 });
  world.engine.waits = {};
  expect(await waiting()).toMatchObject({ code: "starting" });
});

test("jobs held by a user, no worker, a ledger POST cannot read: each is the reason that is shown", async () => {
  const { world, waiting } = await running();
  world.engine.waits = { held };
  expect(await waiting()).toMatchObject({ code: "job-held-by-hand", who: "operator", since: held.since });
  world.engine.waits = { unmatched: { code: "no-worker", reason: "there is no worker in the pool" } };
  expect(await waiting()).toMatchObject({ code: "no-worker", who: "pool" });
  const checking = { nodes: 1, trouble: "cannot append to ledger.jsonl", example: "mg_000000/merge" };
  world.engine.waits = { checking };
  // What POST cannot do fails the pass too, which holds the request if it stays so; the reason is POST's own.
  const notChecked = {
    ...{ code: "not-checked", who: "operator" },
    reason: "1 job ended and cannot be checked (mg_000000/merge): cannot append to ledger.jsonl",
  };
  const first = await waiting();
  expect(first).toMatchObject({ ...notChecked, details: [expect.stringContaining("/mg_000000)")] });
  world.wait(10);
  expect((await waiting())?.since, "the same wait goes on").toEqual(first?.since);
  const full = new WorldError("disk-unwritable", "/spool", "the disk is full: /spool");
  (world.ports as { spool: typeof world.ports.spool }).spool = { ...world.ports.spool, trouble: async () => full };
  expect(await waiting()).toMatchObject({ ...notChecked, details: [expect.stringContaining("the disk is full")] });
  world.engine.waits = {};
  expect(await waiting(), "nothing to check").toMatchObject({
    code: "trouble",
    reason: expect.stringContaining("full"),
  });
});

test("a person and a service: a held request waits for one, an engine that is away is the other", async () => {
  const { world, name, waiting } = await running();
  world.engine.away = true;
  expect(await waiting()).toMatchObject({ code: "service", who: "service" });
  world.engine.away = false;
  world.engine.end("lost", "no trace");
  expect(await waiting()).toMatchObject({ code: "person", who: "operator" });
  await world.expectStatus(name, "held");
});

test("retry now: failed jobs that cool off are tried at once, whose word it was is kept, and no budget is touched", async () => {
  const { world, name } = await running();
  const { currentDagId } = await world.workflow(name);
  const submitDir = (await world.store.dags.get(currentDagId ?? ("" as never)))?.submitDir ?? "";
  const file = (unit: string, path: string) => join(submitDir, unit, path);
  const cools = (unit: string, node: string) => {
    const line = {
      event: "attempt",
      at: "2026-01-01T00:00:00Z",
      node,
      cluster: 1,
      decision: "retry",
      retry: 0,
      maxRetries: 3,
    };
    const rest = { exitCode: 8021, reason: "exit 8021", notBefore: LATER.toISOString() };
    appendFileSync(file(unit, "ledger.jsonl"), `${JSON.stringify({ ...line, ...rest })}\n`);
    writeFileSync(file(unit, `${node}.wait`), `${LATER.getTime() / 1000}\n`);
  };
  for (const node of ["proc_000000", "proc_000001"]) cools("mg_000000", node);
  cools("mg_000001", "proc_000002");
  const retry = (nodes?: readonly string[], dryRun = false) =>
    world.commands.act(
      name,
      { action: "retry", reason: "storage is back", ...(nodes && { nodes }) },
      { actor: "ann", version: null, dryRun },
    );

  expect(await world.commands.errors(name)).toMatchObject({
    nodesRetrying: 3,
    retrying: [{ exitCode: 8021, failures: 3 }],
  });
  expect(await retry(undefined, true)).toMatchObject({
    kind: "would",
    reason: "3 failed jobs tried again now; none of 2 units is done yet; requested by ann",
  });
  expect(await retry(["mg_000000/landing"])).toMatchObject({
    problems: [{ path: "nodes[0]", message: "mg_000000/landing does not wait for its next try" }],
  });
  expect(await retry(["mg_000000/proc_000001"])).toMatchObject({ kind: "done" });
  await world.pass();
  expect(readFileSync(file("mg_000000", "proc_000001.wait"), "utf8")).toBe("0\n");
  expect(readFileSync(file("mg_000000", "proc_000000.wait"), "utf8")).not.toBe("0\n");

  expect(await retry()).toMatchObject({
    kind: "done",
    reason: "2 failed jobs tried again now; none of 2 units is done yet; requested by ann",
  });
  await world.pass();
  await world.expectStatus(name, "active");
  expect((await world.request(name)).wish).toBeNull();
  expect(await retry()).toMatchObject({ kind: "already" });
  const told = readFileSync(file("mg_000001", "ledger.jsonl"), "utf8").split("\n").at(-2) ?? "";
  expect(JSON.parse(told)).toMatchObject({
    event: "retry-now",
    by: "ann",
    reason: "storage is back",
    nodes: ["proc_000002"],
  });
  const { items } = await world.store.audit.list({ subject: name, limit: 10 });
  expect(items.filter(({ action }) => action === "retry").map(({ outcome }) => outcome)).toEqual([
    "already",
    "done",
    "done",
    "refused",
  ]);
});

test("retry now is for a run that goes on", async () => {
  const { world, name } = await running();
  world.engine.end("lost", "no trace");
  await world.pass();
  const wanted = { action: "retry", reason: "now" } as const;
  expect(await world.commands.act(name, wanted, { actor: "ann", version: null, dryRun: false })).toMatchObject({
    kind: "refused",
    problems: [{ message: expect.stringContaining("of an ended run, resubmit runs failed jobs again") }],
  });
});
