import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RequestName, SiteName } from "../../src/domain/names.ts";
import type { OperatorRequest } from "../../src/operators/port.ts";
import { generation, makeWorld } from "../support/world.ts";

type World = Awaited<ReturnType<typeof makeWorld>>;

const ask = (
  world: World,
  name: RequestName,
  wanted: Partial<OperatorRequest> & Pick<OperatorRequest, "action">,
  dryRun = false,
) => world.commands.act(name, { reason: "because", ...wanted }, { actor: "ann", version: null, dryRun });

async function running(units: number, over: Record<string, unknown> = {}) {
  const world = await makeWorld();
  const name = await world.submit(generation("gen", units, over));
  await world.pass();
  await world.expectStatus(name, "active");
  return { world, name };
}

/** Ends the run with failures and looks at it. */
async function endWith(world: World, failed: number, how = {}) {
  world.engine.fail(failed, how);
  world.engine.finish(world.storageDir);
  await world.pass();
}

test("one failed unit of ten is rescued: only it is run again, and the request completes", async () => {
  const { world, name } = await running(10);
  await endWith(world, 1);
  await world.expectStatus(name, "active");
  expect(world.engine.submitted.map(({ toRun }) => toRun.length)).toEqual([10, 1]);
  world.engine.finish(world.storageDir);
  await world.pass();
  await world.expectStatus(name, "completed");
  expect(await world.workflow(name)).toMatchObject({ unitsDone: 10 });
  const dags = (await world.store.dags.list({ limit: 10 })).items;
  expect(dags.map(({ rescueKind }) => rescueKind)).toEqual(["failure", null]);
  expect(dags[0]?.parentDagId).toBe(dags[1]?.id);
});

test("three of ten are too many: held with the evidence, nothing is run again by itself", async () => {
  const { world, name } = await running(10);
  await endWith(world, 3);
  await world.expectStatus(name, "held");
  const { hold } = await world.request(name);
  expect(hold?.code).toBe("failure-threshold");
  expect(hold?.message).toContain("3 of 10 units failed: 30 %");
  expect(hold?.actions).toContain("release");
  for (let i = 0; i < 3; i += 1) await world.pass();
  expect(world.engine.submitted).toHaveLength(1);
  expect((await world.commands.queue()).active).toBe(0);
});

test("a unit that fails through its site is placed elsewhere by the rescue", async () => {
  const { world, name } = await running(6);
  await endWith(world, 1, { changeSite: true, avoidSites: ["north"], category: "infrastructure", why: "site" });
  await world.expectStatus(name, "active");
  const { run } = [...world.engine.runs.values()].at(-1) ?? {};
  const inc = readFileSync(join(run?.submitDir ?? "", "mg_000000", "group.inc"), "utf8");
  expect(inc).toContain('My.DESIRED_Sites = "south"');
});

test("permanent failures are not tried again: held at once", async () => {
  const { world, name } = await running(10);
  await endWith(world, 1, { category: "permanent", why: "row-stops" });
  await world.expectStatus(name, "held");
  expect((await world.request(name)).hold?.code).toBe("permanent-failures");
});

test("rescues are counted: after three the request is held", async () => {
  const { world, name } = await running(10);
  for (let rescue = 0; rescue <= 3; rescue += 1) await endWith(world, 1);
  await world.expectStatus(name, "held");
  expect((await world.request(name)).hold?.code).toBe("rescues-used-up");
  expect(world.engine.submitted).toHaveLength(4);
});

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
  await world.pass();
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

test("stop keeps what finished and goes on from its rescue; it is not counted", async () => {
  const { world, name } = await running(10);
  world.engine.finish(world.storageDir, 4);
  await ask(world, name, { action: "stop" });
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

test("the errors view says what failed first and most", async () => {
  const { world, name } = await running(10);
  await endWith(world, 3);
  const view = await world.commands.errors(name);
  expect(view).toMatchObject({ unitsFailed: 3, unitsDone: 7, first: { unit: "mg_000000", node: "proc_000000" } });
  expect(view?.codes[0]).toMatchObject({ exitCode: 8021, failures: 3 });
  expect(existsSync(join(world.dir, "spool"))).toBe(true);
});

const THROUGH_SITE = { changeSite: true, avoidSites: ["north"], category: "infrastructure", why: "site" } as const;
const incOf = (world: World, unit: string): string => {
  const { run } = [...world.engine.runs.values()].at(-1) ?? {};
  return readFileSync(join(run?.submitDir ?? "", unit, "group.inc"), "utf8");
};
const activeBans = async (world: World) =>
  (await world.store.sites.activeBans(world.ports.clock.now())).map(({ site }) => site);

test("one bad site of three does not hold the request: banned, its units placed elsewhere", async () => {
  const { world, name } = await running(9);
  await endWith(world, 3, THROUGH_SITE);
  await world.expectStatus(name, "active");
  expect(await activeBans(world)).toEqual(["north"]);
  expect(world.engine.submitted.at(-1)?.toRun).toHaveLength(3);
  for (const unit of ["mg_000000", "mg_000001", "mg_000002"])
    expect(incOf(world, unit)).toContain('DESIRED_Sites = "south"');
  world.engine.finish(world.storageDir);
  await world.pass();
  await world.expectStatus(name, "completed");
});

test("the ban is decided before the hold, and the hold and the suggestion name it", async () => {
  const { world, name } = await running(10);
  world.engine.fail(5, THROUGH_SITE);
  await endWith(world, 2, { site: "south" });
  await world.expectStatus(name, "held");
  const { hold } = await world.request(name);
  expect(hold?.message).toMatch(/7 of 10 units failed, 5 of them only for their site: 20 %.*; north banned/);
  expect(hold?.evidence).toMatchObject({ bannedSites: ["north"] });
  expect(await activeBans(world)).toEqual(["north"]);
  expect((await world.commands.errors(name))?.suggestion.reason).toMatch(/at north, which is banned/);
});

test.each(["stop", "hold"] as const)(
  "a ban and a drain set after a %s are obeyed by the next run, which says so",
  async (action) => {
    const { world, name } = await running(4);
    const dir = [...world.engine.runs.values()].at(-1)?.run.submitDir ?? "";
    // mg_000001 has landed in the north, the others have yet to land.
    writeFileSync(join(dir, "mg_000001/group.inc"), 'My.DESIRED_Sites = "north"\n');
    writeFileSync(join(dir, "mg_000001/group.dag.rescue001"), "DONE landing\n");
    await ask(world, name, { action: "hold" });
    await world.pass();
    await world.pass();
    await world.expectStatus(name, "held");
    const by = { actor: "ann", dryRun: false };
    if (action === "stop")
      await world.commands.banSite("north" as SiteName, { request: null, days: 1, reason: "broken" }, by);
    else await world.commands.changeSite("north" as SiteName, { status: "draining" }, "ann");
    await ask(world, name, { action: "resume" });
    await world.pass();
    await world.expectStatus(name, "active");
    for (const unit of ["mg_000000", "mg_000001", "mg_000003"])
      expect(incOf(world, unit)).toContain('DESIRED_Sites = "south"');
    expect(existsSync(join(dir, "mg_000001/group.dag.rescue001"))).toBe(false);
    const said = (await world.store.requests.transitions(name)).at(-1)?.reason;
    expect(said).toContain(
      `1 unit placed anew, 3 units kept away: north (${action === "stop" ? "banned" : "draining"})`,
    );
  },
);

test("when no site is left for the next run, it is held and says which are closed", async () => {
  const { world, name } = await running(2);
  await ask(world, name, { action: "hold" });
  await world.pass();
  await world.pass();
  for (const site of ["north", "south"])
    await world.commands.changeSite(site as SiteName, { status: "draining" }, "ann");
  await ask(world, name, { action: "resume" });
  await world.pass();
  await world.expectStatus(name, "held");
  expect((await world.request(name)).hold).toMatchObject({
    code: "no-site-left",
    message: expect.stringContaining("north (draining), south (draining)"),
  });
  await world.commands.changeSite("south" as SiteName, { status: "enabled" }, "ann");
  await ask(world, name, { action: "release" });
  await world.pass();
  await world.expectStatus(name, "active");
});

const dirOf = (world: World): string => [...world.engine.runs.values()].at(-1)?.run.submitDir ?? "";
const cutShort = (path: string) => writeFileSync(path, readFileSync(path, "utf8").slice(0, -20));

test.each<[string, (unit: string) => void, RegExp]>([
  ["is gone", (unit) => rmSync(unit, { recursive: true }), /mg_000001: it is not there/],
  ["has no DAG", (unit) => rmSync(join(unit, "group.dag")), /group\.dag: it is not there/],
  ["has half a DAG", (unit) => cutShort(join(unit, "group.dag")), /group\.dag: it was cut short/],
  ["has half a manifest", (unit) => cutShort(join(unit, "manifest.json")), /manifest\.json: it was cut short/],
  ["has no include file", (unit) => rmSync(join(unit, "group.inc")), /group\.inc: it is not there/],
  [
    "has a ledger nobody can read",
    (unit) => {
      rmSync(join(unit, "ledger.jsonl"), { force: true });
      mkdirSync(join(unit, "ledger.jsonl"));
    },
    /ledger\.jsonl: it is (a directory|not a plain file)/,
  ],
])("a unit that %s is held at once, by name and path; a release plans its work anew", async (_what, spoil, words) => {
  const { world, name } = await running(4);
  world.engine.finish(world.storageDir, 1);
  world.engine.fail(1);
  spoil(join(dirOf(world), "mg_000001"));
  await endWith(world, 0);
  await world.expectStatus(name, "held");
  const { hold } = await world.request(name);
  expect(hold).toMatchObject({ code: "unit-directory-damaged", message: expect.stringMatching(words) });
  expect(hold?.evidence.damaged).toEqual([{ unit: "mg_000001", path: expect.any(String), why: expect.any(String) }]);
  expect(world.engine.submitted).toHaveLength(1);
  expect((await world.commands.errors(name))?.suggestion).toMatchObject({
    action: "release",
    reason: expect.stringContaining("plans its work anew"),
  });
  expect(await ask(world, name, { action: "rescue" })).toMatchObject({ kind: "refused" });
  expect(await ask(world, name, { action: "release" })).toMatchObject({ kind: "done", warnings: [] });
  await world.pass();
  await world.expectStatus(name, "active");
  expect(world.engine.submitted.at(-1)?.toRun).toEqual(["mg_000004"]);
  world.engine.finish(world.storageDir);
  await world.pass();
  await world.expectStatus(name, "completed");
  expect(await world.workflow(name)).toMatchObject({ unitsDone: 4, abandonedEvents: 20n });
});

test("a unit that was damaged while its request was held is found before it runs", async () => {
  const { world, name } = await running(3);
  await ask(world, name, { action: "hold" });
  await world.pass();
  await world.pass();
  rmSync(join(dirOf(world), "mg_000002"), { recursive: true });
  await ask(world, name, { action: "resume" });
  await world.pass();
  await world.expectStatus(name, "held");
  expect((await world.request(name)).hold?.message).toContain("mg_000002");
  expect(world.engine.submitted).toHaveLength(1);
  await ask(world, name, { action: "release" });
  await world.pass();
  await world.expectStatus(name, "active");
  expect(world.engine.submitted.at(-1)?.toRun).toHaveLength(3);
});
