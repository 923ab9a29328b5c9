import { expect, test } from "vitest";
import { generation, makeWorld } from "../support/world.ts";

const by = { actor: "ann", version: null, dryRun: false };
type World = Awaited<ReturnType<typeof makeWorld>>;
const ask = (world: World, name: Awaited<ReturnType<World["submit"]>>, action: "abort" | "hold" | "move") =>
  world.commands.act(name, { action, reason: "test" }, by);
/** The server is started again with another engine; the runs of the first one go on where they are. */
function change(world: World, engine: "local" | "dagman"): void {
  world.engine.name = engine;
  world.engine.calls.length = 0;
}
async function running(units: number) {
  const world = await makeWorld();
  const name = await world.submit(generation("moved", units));
  await world.pass();
  await world.expectStatus(name, "active");
  return { world, name };
}

test("a server with another engine says so and touches nothing: not lost, not rescued, not stopped", async () => {
  const { world, name } = await running(2);
  change(world, "dagman");
  for (let pass = 0; pass < 3; pass += 1) await world.pass();
  await world.expectStatus(name, "active");
  expect((await world.request(name)).waiting?.reason).toMatch(/^it belongs to the local engine, and this server has/);
  await ask(world, name, "abort");
  world.wait(3600);
  await world.pass();
  await world.expectStatus(name, "active");
  expect((await world.request(name)).waiting?.reason).toMatch(/^abort waits: it belongs to the local engine/);
  expect(world.engine.calls).toEqual([]);
  // Its own engine carries the wish out.
  change(world, "local");
  await world.pass();
  await world.pass();
  await world.expectStatus(name, "aborted");
  expect(world.engine.calls).toContain("stop");
});

test("another local engine, of another data directory, is another engine", async () => {
  const { world, name } = await running(2);
  world.engine.own = ":0badcafe";
  world.engine.calls.length = 0;
  for (let pass = 0; pass < 3; pass += 1) await world.pass();
  await world.expectStatus(name, "active");
  expect((await world.request(name)).waiting?.reason).toMatch(/^it belongs to the local engine, and this server has/);
  expect(world.engine.calls).toEqual([]);
  // The run turns out to be this one's, from before it had a name.
  const runs = await world.store.workflows.runsOf("local");
  expect(runs).toMatchObject([{ submitDir: expect.stringContaining(name) }]);
  await world.store.workflows.renameEngine([runs[0]!.workflowId], "local", world.engine.id);
  expect(await world.store.workflows.runsOf("local")).toEqual([]);
  world.engine.finish(world.storageDir);
  for (let pass = 0; pass < 3; pass += 1) await world.pass();
  await world.expectStatus(name, "completed");
});

test("nothing of what ended elsewhere is decided here, and what may run there cannot be moved", async () => {
  const { world, name } = await running(2);
  expect(await ask(world, name, "move")).toMatchObject({ kind: "refused" });
  world.engine.fail(1);
  world.engine.end("failed");
  change(world, "dagman");
  await world.pass();
  await world.expectStatus(name, "active");
  const refused = await ask(world, name, "move");
  expect(JSON.stringify(refused)).toContain("only a held request can be moved");
  // Held while its run goes on there.
  const hold = { code: "test", message: "by hand", evidence: {}, actions: [] };
  const why = { reason: "by hand", actor: "ann", at: world.ports.clock.now() };
  await world.store.requests.change(name, (await world.request(name)).version, { status: "held", hold }, why);
  expect(JSON.stringify(await ask(world, name, "move"))).toContain("its run is in the local engine, or may be");
});

test("held and moved: what finished stays, the rest is planned again for the sites of the other engine", async () => {
  const { world, name } = await running(3);
  world.engine.finish(world.storageDir, 1);
  await world.pass();
  await ask(world, name, "hold");
  for (let pass = 0; pass < 4; pass += 1) await world.pass();
  await world.expectStatus(name, "held");
  expect(await ask(world, name, "move")).toMatchObject({ kind: "already" });
  change(world, "dagman");
  const before = await world.workflow(name);
  const would = await world.commands.act(name, { action: "move", reason: "test" }, { ...by, dryRun: true });
  expect(would).toMatchObject({ kind: "would", detail: { engine: "dagman", from: "local" } });
  await world.pass();
  await world.expectStatus(name, "held");
  expect(await ask(world, name, "move")).toMatchObject({ kind: "done" });
  for (let pass = 0; pass < 3; pass += 1) await world.pass();
  await world.expectStatus(name, "active");
  const after = await world.workflow(name);
  expect([after.engine, after.round]).toEqual(["dagman", before.round + 1]);
  // The events of the two units that had not finished, under new numbers.
  expect(world.engine.submitted.at(-1)?.toRun).toEqual(["mg_000003", "mg_000004"]);
  world.engine.finish(world.storageDir);
  for (let pass = 0; pass < 4; pass += 1) await world.pass();
  await world.expectStatus(name, "completed");
  expect((await world.workflow(name)).unitsDone).toBe(3);
  const audit = await world.store.audit.list({ subject: name, limit: 10 });
  expect(audit.items.map(({ action }) => action)).toContain("move");
});
