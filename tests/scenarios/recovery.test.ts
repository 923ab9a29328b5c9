import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { SiteName } from "../../src/core/names.ts";
import { ask, endWith, running, type World } from "../support/active-request.ts";

const ANN = { actor: "ann", dryRun: false };

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
    else await world.commands.changeSite("north" as SiteName, { status: "draining" }, ANN);
    await ask(world, name, { action: "resume" });
    await world.pass();
    await world.expectStatus(name, "active");
    for (const unit of ["mg_000000", "mg_000001", "mg_000003"])
      expect(incOf(world, unit)).toContain('DESIRED_Sites = "south"');
    expect(existsSync(join(dir, "mg_000001/group.dag.rescue001"))).toBe(false);
    const said = (await world.store.requests.transitions(name)).at(-1)?.reason;
    expect(said).toContain(
      `1 unit placed elsewhere, 3 units kept away: north (${action === "stop" ? "banned" : "draining"})`,
    );
  },
);

test("when no site is left for the next run, it is held and says which are closed", async () => {
  const { world, name } = await running(2);
  await ask(world, name, { action: "hold" });
  await world.pass();
  await world.pass();
  for (const site of ["north", "south"]) await world.commands.changeSite(site as SiteName, { status: "draining" }, ANN);
  await ask(world, name, { action: "resume" });
  await world.pass();
  await world.expectStatus(name, "held");
  expect((await world.request(name)).hold).toMatchObject({
    code: "no-site-left",
    message: expect.stringContaining("north (draining), south (draining)"),
  });
  await world.commands.changeSite("south" as SiteName, { status: "enabled" }, ANN);
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
])("a unit that %s is held at once, by name and path; a release plans its work again", async (_what, spoil, words) => {
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
    reason: expect.stringContaining("plans its work again"),
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

test("a run whose DAGMan breaks off though no job failed goes on by repairs of its own, then waits for a person, and goes on", async () => {
  const { world, name } = await running(4, { recovery: { max_rescues: 1 } });
  world.engine.finish(world.storageDir, 1);
  const text = "DAGMan ended with exit code 1 and left no metrics: ERROR: aborting DAG because of bad event";
  for (let repair = 1; repair <= 5; repair += 1) {
    world.engine.end("failed", text);
    for (let i = 0; i < 3; i += 1) await world.pass();
    await world.expectStatus(name, "active");
    expect((await world.request(name)).rescuesUsed).toBe(0);
  }
  world.engine.end("failed", text);
  for (let i = 0; i < 3; i += 1) await world.pass();
  await world.expectStatus(name, "held");
  const { hold } = await world.request(name);
  expect(hold).toMatchObject({ code: "run-broken", message: expect.stringContaining(text) });
  expect(hold?.message).toContain("after 5 repairs, and no job had failed");
  await ask(world, name, { action: "release" });
  for (let i = 0; i < 3; i += 1) await world.pass();
  await world.expectStatus(name, "active");
  // The count begins anew, and what is done was never run again.
  world.engine.end("failed", text);
  for (let i = 0; i < 3; i += 1) await world.pass();
  await world.expectStatus(name, "active");
  world.engine.finish(world.storageDir);
  for (let i = 0; i < 3; i += 1) await world.pass();
  await world.expectStatus(name, "completed");
  expect(world.engine.submitted.map(({ toRun }) => toRun.length)).toEqual([4, 3, 3, 3, 3, 3, 3, 3]);
});
