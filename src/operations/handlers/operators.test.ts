import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { heldRequest } from "../../../tests/support/held-request.ts";
import { generation, makeWorld } from "../../../tests/support/world.ts";
import type { DagId, RequestName, SiteName } from "../../core/names.ts";
import type { AttemptRecord } from "../../recovery/ledger-record.ts";

/** What operators ask for, over a real store, real submit directories and the real loop. */
let world: Awaited<ReturnType<typeof makeWorld>>;
let name: RequestName;
let dagId: DagId;
const ann = { actor: "ann", dryRun: false };
const held = async (failed: number, how: Parameters<typeof world.engine.fail>[1] = {}): Promise<void> => {
  ({ name, dagId } = await heldRequest(world, failed, how));
};
beforeEach(async () => {
  world = await makeWorld();
});

describe("failures no rule knows", () => {
  const all = [0, 1, 2].map((unit) => `mg_00000${unit}/proc_00000${2 * unit}`);
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
      mg_000001: ["proc_000002"],
      mg_000002: ["proc_000004"],
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

  test("all of a call or nothing: a contradiction, an unknown node, a node named twice", async () => {
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
  const script = { event: "script", node: "proc_000002", cluster, script: "./fix.sh", result: "exit 3", seconds: 2 };
  appendFileSync(ledger, `${JSON.stringify(script)}\n`);
  const page = await world.commands.attempts(name, { limit: 2 });
  expect(page?.items.map(({ unit }) => unit)).toEqual(["mg_000000", "mg_000001"]);
  expect(page?.items.map((item) => item.script?.result ?? null)).toEqual([null, "exit 3"]);
  expect(page?.epochs).toMatchObject([{ unit: "mg_000001", record: { epoch: 1, by: "ann" } }]);
  expect(page?.unreadable[0]).toMatchObject({ unit: "mg_000001" });
  const rest = await world.commands.attempts(name, { limit: 2, cursor: page?.nextCursor ?? "" });
  expect(rest).toMatchObject({ items: [{ unit: "mg_000002", round: 0 }], nextCursor: null });
  expect((await world.commands.attempts(name, { limit: 9, node: "mg_000002/proc_000004" }))?.items).toHaveLength(1);
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
  expect(await world.commands.changeDag(dagId, "hold", "look", { actor: "ann", dryRun: false })).toMatchObject({
    kind: "done",
  });
  expect((await world.store.dags.history(dagId)).map(({ type }) => type)).toContain("held");
  world.engine.finish(world.storageDir);
  for (let pass = 0; pass < 3; pass++) await world.pass();
  expect(await world.commands.changeDag(dagId, "release", "go", { actor: "ann", dryRun: false })).toMatchObject({
    kind: "not-allowed",
  });

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
    expect((await world.request(name)).error?.message).toMatch(/cannot be restarted: r-v2 was submitted meanwhile/);
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
