import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RequestName } from "../../src/core/names.ts";
import type { OperatorAction } from "../../src/operations/handlers/port.ts";
import { generation, makeWorld } from "../support/world.ts";

type World = Awaited<ReturnType<typeof makeWorld>>;
const ann = { actor: "ann", version: null, dryRun: false };
const act = (world: World, name: RequestName, action: OperatorAction) =>
  world.commands.act(name, { action, reason: "looked at it" }, ann);

/** Held because the merged file of its first unit is gone; of two units, the second still runs. */
async function owesInVain() {
  const world = await makeWorld();
  const name = await world.submit(generation("gen", 2));
  await world.pass();
  world.engine.finish(world.storageDir, 1);
  const lost = join(world.storageDir, "merged/gen/gen/mg_000000.out");
  rmSync(lost);
  for (let i = 0; i < 4; i += 1) await world.pass();
  await world.expectStatus(name, "held");
  return { world, name, lost };
}

test("an output that can be registered after all: a release goes on with the run that was never stopped", async () => {
  const { world, name, lost } = await owesInVain();
  writeFileSync(lost, "mg_000000");
  expect(await act(world, name, "release")).toMatchObject({ kind: "done" });
  await world.pass();
  await world.pass();
  await world.expectStatus(name, "active");
  world.engine.finish(world.storageDir);
  await world.pass();
  await world.expectStatus(name, "completed");
  expect(await world.store.units.countByStatus((await world.workflow(name)).id)).toMatchObject({ registered: 2 });
  expect(world.engine.submitted).toHaveLength(1);
});

test("an output that cannot be registered: a release tries again, and holds again", async () => {
  const { world, name } = await owesInVain();
  await act(world, name, "release");
  for (let i = 0; i < 5; i += 1) await world.pass();
  expect((await world.request(name)).hold?.message).toMatch(/mg_000000 cannot be registered: .*is not there/);
});

test("what can never be registered does not stand in the way of an abort; what can be is", async () => {
  const { world, name } = await owesInVain();
  world.engine.finish(world.storageDir, 1);
  await act(world, name, "abort");
  for (let i = 0; i < 3; i += 1) await world.pass();
  await world.expectStatus(name, "aborted");
  const { id } = await world.workflow(name);
  expect(await world.store.units.countByStatus(id)).toMatchObject({ registered: 1, owed: 1 });
});

test("held for a bug while its run goes on: a release goes on with it, and nothing is submitted twice", async () => {
  const world = await makeWorld();
  const name = await world.submit(generation("gen", 2));
  await world.pass();
  const { recordFinished } = world.store.units;
  world.store.units.recordFinished = async () => {
    throw new TypeError("undefined is not a function");
  };
  world.engine.finish(world.storageDir, 1);
  await world.pass();
  await world.expectStatus(name, "held");
  world.store.units.recordFinished = recordFinished;
  expect(await act(world, name, "release")).toMatchObject({ kind: "done" });
  await world.pass();
  await world.pass();
  await world.expectStatus(name, "active");
  world.engine.finish(world.storageDir);
  await world.pass();
  await world.expectStatus(name, "completed");
  expect(world.engine.submitted).toHaveLength(1);
});

test("a hold while a submission is uncertain: it waits for a person, also when the run never began", async () => {
  const world = await makeWorld();
  world.engine.loseNextAnswer = true;
  const name = await world.submit(generation("gen", 2));
  await world.pass();
  await world.restart();
  world.engine.runs.clear();
  world.engine.findAnswers = { kind: "absent" };
  await act(world, name, "hold");
  for (let i = 0; i < 3; i += 1) await world.pass();
  await world.expectStatus(name, "held");
  expect((await world.request(name)).hold).toMatchObject({ code: "held-by-operator" });
  await act(world, name, "resume");
  await world.pass();
  await world.expectStatus(name, "active");
});

test("whoever deletes, sets a priority or a limit is in the audit", async () => {
  const world = await makeWorld();
  const name = await world.submit(generation("gen", 1));
  await world.commands.reprioritise(name, { priority: 7 }, { actor: "bob", version: null, dryRun: false });
  await world.commands.act(name, { action: "abort", reason: "typo" }, { actor: "ann", version: null, dryRun: false });
  await world.commands.act(name, { action: "abort", reason: "typo" }, { actor: "ann", version: null, dryRun: false });
  await world.commands.setAdmission({ maxActive: 3 }, "eve");
  const did = (await world.store.audit.list({ limit: 10 })).items.map(
    ({ actor, action, subject, reason, outcome }) => `${actor} ${action} ${subject} ${reason}: ${outcome}`,
  );
  expect(did).toEqual([
    "eve admission admission at most 3 active: done",
    "ann abort gen typo: already",
    "ann abort gen typo: done",
    "bob priority gen priority 100,000 → 7: done",
  ]);
});

/** Held for garbage in the outputs of its first unit; of three units, the third still runs. */
async function heldForGarbage() {
  const world = await makeWorld();
  const name = await world.submit(generation("gen", 3));
  await world.pass();
  world.engine.finish(world.storageDir, 2);
  const { submitDir = "" } = [...world.engine.runs.values()][0]?.run ?? {};
  writeFileSync(join(submitDir, "mg_000000", "merge_output.json"), "{");
  await world.pass();
  await world.expectStatus(name, "held");
  return { world, name };
}

test.each(["abort", "fail", "restart"] as const)(
  "%s of a request whose run goes on: the run is stopped first, and what can be read is kept",
  async (action) => {
    const { world, name } = await heldForGarbage();
    expect(await act(world, name, action)).toMatchObject({ kind: "done" });
    for (let i = 0; i < 3; i += 1) await world.pass();
    await world.expectStatus(name, action === "abort" ? "aborted" : "failed");
    expect(world.engine.calls).toContain("stop");
    const { id, currentDagId } = await world.workflow(name);
    expect(await world.store.units.countByStatus(id)).toMatchObject({ registered: 1, owed: 0 });
    expect(currentDagId && (await world.store.dags.get(currentDagId))).toMatchObject({ status: "removed" });
  },
);

test("garbage that was fixed is read after a release", async () => {
  const { world, name } = await heldForGarbage();
  world.engine.finish(world.storageDir);
  const { submitDir = "" } = [...world.engine.runs.values()][0]?.run ?? {};
  const good = readFileSync(join(submitDir, "mg_000001", "merge_output.json"), "utf8");
  writeFileSync(join(submitDir, "mg_000000", "merge_output.json"), good.replaceAll("mg_000001", "mg_000000"));
  await act(world, name, "release");
  await world.pass();
  await world.expectStatus(name, "completed");
});
