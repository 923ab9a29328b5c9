import { afterEach, beforeEach, expect, test } from "vitest";
import { makeCmsWorld, SITES, stepChain } from "../support/cms-world.ts";

let world: Awaited<ReturnType<typeof makeCmsWorld>>;
beforeEach(async () => {
  world = await makeCmsWorld();
});
afterEach(() => world.close());

const blocks = async () => (await world.store.outputs.list({ limit: 100 })).items;
const rows = (table: string) => Object.values(world.services.state()[table] ?? {}) as Record<string, unknown>[];
const rulesOf = (name: string) => rows("rucio.rules").filter((rule) => rule.name === name);
const dbsBlock = (name: string) => rows("dbs.blocks").find((block) => block.block_name === name);

test("a request goes from finished units to closed blocks with source and tape rules", async () => {
  const { pass } = world.server();
  const name = await world.submit(stepChain("chain", 3));
  await pass();
  world.engine.site = SITES[0];
  world.engine.finish(world.storageDir, 2);
  await pass();
  expect((await blocks()).map(({ status, units, isSealed }) => [status, units.registered, isSealed])).toEqual([
    ["open", 2, false],
    ["open", 2, false],
  ]);
  world.engine.site = SITES[1];
  world.engine.finish(world.storageDir);
  await pass();
  await world.expectStatus(name, "completed");
  const all = await blocks();
  expect(all.map(({ status, site, units }) => [status, site, units.registered]).sort()).toEqual([
    ["done", SITES[0], 2],
    ["done", SITES[0], 2],
    ["done", SITES[1], 1],
    ["done", SITES[1], 1],
  ]);
  for (const block of all) {
    expect(dbsBlock(block.name)).toMatchObject({ open_for_writing: 0, file_count: block.files });
    const source = block.site === SITES[0] ? `${SITES[0]}_Disk` : SITES[1];
    expect(rulesOf(block.name).map((rule) => rule.rse_expression)).toEqual([source, `${SITES[0]}_Tape`]);
  }
  expect((await world.store.units.blocks((await world.workflow(name)).id))[0]).toMatchObject({ status: "archived" });
  const calls = world.services.calls().length;
  await pass();
  await pass();
  expect(world.services.calls()).toHaveLength(calls);
}, 60_000);

test("Rucio is away: the request waits and says so, its next round goes on, and it is completed when Rucio is back", async () => {
  const { pass } = world.server();
  const name = await world.submit(stepChain("away", 1));
  await pass();
  world.services.outage("rucio", 3600);
  world.engine.site = SITES[0];
  world.engine.finish(world.storageDir);
  await pass();
  await world.expectStatus(name, "active");
  expect((await world.request(name)).waiting).toMatchObject({ code: "outputs", who: "service" });
  expect((await world.request(name)).waiting?.words).toMatch(
    /0 of 2 blocks archived; rucio .*next try 2026-01-01 00:01/,
  );
  world.services.outage("rucio", 0);
  await pass();
  await world.expectStatus(name, "active");
  world.wait(61);
  await world.server().pass();
  world.wait(61);
  await world.server().pass();
  await world.expectStatus(name, "completed");
}, 60_000);
