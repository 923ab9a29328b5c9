import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RequestName, SiteName } from "../../src/core/names.ts";
import { ask, endWith, running } from "../support/active-request.ts";
import { generation, makeWorld } from "../support/world.ts";

test("a release credits what finished and never repeats an event", async () => {
  const { world, name } = await running(10);
  await endWith(world, 3);
  const before = await world.workflow(name);
  expect(await ask(world, name, { action: "release", modifications: { top_up: true } })).toMatchObject({
    kind: "done",
  });
  await world.pass();
  await world.expectStatus(name, "active");
  const after = await world.workflow(name);
  expect(after.round).toBe(1);
  expect(after.abandonedEvents).toBe(60n);
  expect(after.nextFirstEvent).toBe(before.nextFirstEvent + 60n);
  expect(world.engine.submitted.at(-1)?.toRun).toEqual(["mg_000010", "mg_000011", "mg_000012"]);
  world.engine.finish(world.storageDir);
  await world.pass();
  await world.expectStatus(name, "completed");
  expect((await world.workflow(name)).unitsDone).toBe(10);
});

test("a release without top-up ends with what there is", async () => {
  const { world, name } = await running(10);
  await endWith(world, 3);
  const answer = await ask(world, name, { action: "release" });
  expect(answer).toMatchObject({ kind: "done", warnings: [expect.stringContaining("given up")] });
  for (let i = 0; i < 2; i += 1) await world.pass();
  await world.expectStatus(name, "completed");
  expect((await world.workflow(name)).unitsDone).toBe(7);
});

test("a release with a ban: the site is left out from then on", async () => {
  const { world, name } = await running(10);
  await endWith(world, 3);
  await ask(world, name, { action: "release", how: "rescue", modifications: { site_bans: ["north"] } });
  await world.pass();
  await world.expectStatus(name, "active");
  expect((await world.store.sites.activeBans(world.ports.clock.now())).map(({ site }) => site)).toEqual([
    "north" as SiteName,
  ]);
  expect(world.engine.submitted.at(-1)?.toRun).toHaveLength(3);
  world.engine.finish(world.storageDir);
  await world.pass();
  await world.expectStatus(name, "completed");
});

test("bad modifications are all told at once and change nothing", async () => {
  const { world, name } = await running(10);
  await endWith(world, 3);
  const answer = await ask(world, name, {
    action: "release",
    modifications: { site_bans: ["nowhere"], memory_mb: -1, color: 3 },
  });
  expect(answer.kind === "refused" && answer.problems.map(({ path }) => path).sort()).toEqual([
    "color",
    "memory_mb",
    "site_bans[0]",
  ]);
  await world.pass();
  await world.expectStatus(name, "held");
});

test("stop keeps what finished and stays stopped, whatever slots are free, until somebody resumes it", async () => {
  const { world, name } = await running(10);
  world.engine.finish(world.storageDir, 4);
  await ask(world, name, { action: "stop" });
  for (let i = 0; i < 4; i += 1) await world.pass();
  world.wait(3600);
  await world.pass();
  await world.expectStatus(name, "held");
  expect(await world.request(name)).toMatchObject({ wish: null, hold: { code: "stopped", message: /ann: because/ } });
  expect(world.engine.submitted).toHaveLength(1);
  expect(await ask(world, name, { action: "stop" })).toMatchObject({ kind: "already", why: "it is held already" });
  expect(await ask(world, name, { action: "resume" })).toMatchObject({ kind: "done" });
  await world.pass();
  await world.expectStatus(name, "active");
  expect(world.engine.submitted.map(({ toRun }) => toRun.length)).toEqual([10, 6]);
  expect((await world.request(name)).rescuesUsed).toBe(0);
});

test("stop of what has not begun keeps it from beginning; of one that is being queued again, too", async () => {
  const world = await makeWorld();
  const name = await world.submit(generation("gen", 2));
  expect(await ask(world, name, { action: "stop" })).toMatchObject({ kind: "done" });
  await world.pass();
  await world.pass();
  await world.expectStatus(name, "held");
  await ask(world, name, { action: "resume" });
  await world.pass();
  await world.expectStatus(name, "active");
  await ask(world, name, { action: "requeue" });
  await ask(world, name, { action: "stop" });
  for (let i = 0; i < 3; i += 1) await world.pass();
  await world.expectStatus(name, "held");
});

test("there is nothing to queue again where no run is, and a run that ended meanwhile is not stopped", async () => {
  const { world, name } = await running(4);
  await ask(world, name, { action: "requeue" });
  world.engine.finish(world.storageDir);
  for (let i = 0; i < 3; i += 1) await world.pass();
  await world.expectStatus(name, "completed");
  const other = await world.submit(generation("other", 2));
  expect(await ask(world, other, { action: "requeue" })).toMatchObject({ kind: "already" });
});

test("requeue keeps what finished and goes on from its rescue when there is a slot; it is not counted", async () => {
  const { world, name } = await running(10);
  world.engine.finish(world.storageDir, 4);
  await ask(world, name, { action: "requeue" });
  await world.pass();
  await world.pass();
  await world.expectStatus(name, "active");
  expect(world.engine.submitted.map(({ toRun }) => toRun.length)).toEqual([10, 6]);
  expect((await world.request(name)).rescuesUsed).toBe(0);
  expect(world.moves.slice(-5)).toEqual([
    "active → stopping",
    "stopping → resubmitting",
    "resubmitting → queued",
    "queued → planning",
    "planning → active",
  ]);
});

test("hold stops a running request and waits; release goes on where it was", async () => {
  const { world, name } = await running(4);
  world.engine.finish(world.storageDir, 1);
  await ask(world, name, { action: "hold" });
  await world.pass();
  await world.pass();
  await world.expectStatus(name, "held");
  expect((await world.request(name)).hold?.message).toBe("held by ann: because");
  await ask(world, name, { action: "resume" });
  await world.pass();
  await world.expectStatus(name, "active");
  expect(world.engine.submitted.at(-1)?.toRun).toHaveLength(3);
});

test("production steps demote twice and then it runs to its end", async () => {
  const { world, name } = await running(10, {
    priority: 100_000,
    production_steps: [
      { fraction: 0.1, priority: 80_000 },
      { fraction: 0.5, priority: 50_000 },
    ],
  });
  world.engine.finish(world.storageDir, 1);
  for (let i = 0; i < 4; i += 1) await world.pass();
  expect(await world.request(name)).toMatchObject({ status: "active", priority: 80_000 });
  world.engine.finish(world.storageDir, 4);
  for (let i = 0; i < 4; i += 1) await world.pass();
  expect(await world.request(name)).toMatchObject({ status: "active", priority: 50_000, productionSteps: [] });
  world.engine.finish(world.storageDir);
  await world.pass();
  await world.expectStatus(name, "completed");
  expect(world.engine.submitted.map(({ toRun }) => toRun.length)).toEqual([10, 9, 5]);
});

test("fail gives a held request up and leaves a list of what to withdraw", async () => {
  const { world, name } = await running(10);
  await endWith(world, 3);
  await ask(world, name, { action: "fail" });
  await world.pass();
  await world.expectStatus(name, "failed");
  const manifest = JSON.parse(readFileSync(join(world.dir, "spool/gen/invalidation.json"), "utf8"));
  expect(manifest.files).toHaveLength(7);
});

test("restart kills and clones: both name each other, and a complete clone supersedes", async () => {
  const { world, name } = await running(10);
  await endWith(world, 3);
  expect(await ask(world, name, { action: "restart" })).toMatchObject({ kind: "done", detail: { clone: "gen-v2" } });
  await world.pass();
  await world.expectStatus(name, "failed");
  const clone = "gen-v2" as RequestName;
  expect(await world.request(name)).toMatchObject({ supersededBy: clone, outputState: "active" });
  await world.pass();
  await world.expectStatus(clone, "active");
  world.engine.finish(join(world.storageDir, "v2"));
  await world.pass();
  await world.expectStatus(clone, "completed");
  expect((await world.request(name)).outputState).toBe("superseded");
  expect(await ask(world, name, { action: "restart" })).toMatchObject({ kind: "refused" });
});

test("rescue by hand opens a new budget for what failed", async () => {
  const { world, name } = await running(10);
  await endWith(world, 3);
  await ask(world, name, { action: "rescue" });
  await world.pass();
  await world.expectStatus(name, "active");
  expect(world.engine.submitted.at(-1)?.toRun).toHaveLength(3);
  const { run } = [...world.engine.runs.values()].at(-1) ?? {};
  const ledger = readFileSync(join(run?.submitDir ?? "", "mg_000000", "ledger.jsonl"), "utf8");
  expect(ledger).toContain('"event":"epoch","epoch":1');
});

test("a dry run tells what would happen and changes nothing; asking twice is asking once", async () => {
  const { world, name } = await running(10);
  await endWith(world, 3);
  const { version } = await world.request(name);
  expect(await ask(world, name, { action: "release" }, true)).toMatchObject({
    kind: "would",
    detail: { how: "next-round" },
  });
  expect((await world.request(name)).version).toBe(version);
  expect(await ask(world, name, { action: "fail" })).toMatchObject({ kind: "done" });
  expect(await ask(world, name, { action: "fail" })).toMatchObject({ kind: "already" });
  expect(
    (await world.store.audit.list({ subject: name, limit: 10 })).items.map(
      ({ action, outcome }) => `${action} ${outcome}`,
    ),
  ).toEqual(["fail already", "fail done"]);
});

test.each(["release", "fail", "rescue"] as const)("%s is refused while active, with the reason", async (action) => {
  const { world, name } = await running(2);
  const answer = await ask(world, name, { action });
  expect(answer.kind === "refused" && answer.problems[0]?.message).toMatch(/it is active/);
});

test("a restart with a corrected document stays the request of who asked for it", async () => {
  const { world, name } = await running(2);
  await ask(world, name, { action: "abort" });
  for (let i = 0; i < 3; i += 1) await world.pass();
  const by = { actor: "bob", version: null, dryRun: false };
  const from = generation("gen", 2, { priority: 7 });
  await world.commands.act(name, { action: "restart", reason: "corrected", from }, by);
  const { spec } = await world.request("gen-v2" as RequestName);
  expect([spec.requestor, spec.priority]).toEqual([(await world.request(name)).spec.requestor, 7]);
  expect(spec.requestor).not.toBe("bob");
});
