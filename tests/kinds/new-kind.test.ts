import { expect, test } from "vitest";
import { kindsOf } from "../../src/kinds/kind.ts";
import { KINDS } from "../../src/kinds/table.ts";
import { fakeApi } from "../support/api-fakes.ts";
import { makeWorld } from "../support/world.ts";
import { sweepKind } from "./sweep-kind.ts";

const KINDS_AND_MINE = kindsOf(...KINDS.values(), sweepKind);

const document = (over: Record<string, unknown> = {}): string =>
  JSON.stringify({
    name: "scan",
    points: { from: "9007199254740993", to: "9007199254740998" },
    unit: { jobs: 2 },
    steps: [{ name: "scan", run: ["/bin/true"] }],
    outputs: [{ name: "scan", file: "scan.out" }],
    adaptive: true,
    production_steps: [{ fraction: 0.5, priority: 5 }],
    ...over,
  });

test("a kind from elsewhere goes from submission to completed, in two rounds, without a line of WMS2", async () => {
  const world = await makeWorld(KINDS_AND_MINE);
  const name = await world.submit(document());
  expect((await world.request(name)).spec.work).toEqual({
    kind: "sweep",
    from: 9_007_199_254_740_993n,
    to: 9_007_199_254_740_998n,
  });
  await world.pass();
  await world.expectStatus(name, "active");
  expect(await world.workflow(name)).toMatchObject({ unitsPlanned: 1, nextFirstEvent: 9_007_199_254_740_995n });
  world.engine.finish(world.storageDir);
  await world.pass();
  await world.expectStatus(name, "active");
  world.engine.finish(world.storageDir);
  await world.pass();
  await world.expectStatus(name, "completed");
  expect(await world.workflow(name)).toMatchObject({ unitsPlanned: 3, unitsDone: 3, round: 1 });
});

test("it is described like the others, refused like the others, and held by a server that does not know it", async () => {
  const world = await makeWorld(KINDS_AND_MINE);
  const { store, engine, commands, ports } = world;
  const name = await world.submit(document());
  const { app } = fakeApi({ store, engine, commands, clock: ports.clock, kinds: ports.kinds });
  const view = (await app.inject({ url: "/api/v1/requests/scan" })).json();
  const summary = "points 9007199254740993 to 9007199254740998";
  expect(view).toMatchObject({ kind: "sweep", work: { kind: "sweep", summary, from: "9007199254740993" } });
  expect(view.spec).toMatchObject({ input: null, split: null, generation: null });

  const problemsOf = async (text: string) => JSON.stringify(await commands.check({ text, format: "json" }, "ann"));
  expect(await problemsOf(document({ name: "b", points: { from: 5, to: 2 } }))).toContain("must be at least 5 (got 2)");
  expect(await problemsOf(document({ name: "c", kind: "sweep", events: 5 }))).toContain(
    "belongs to kind: generate, and this is kind: sweep",
  );

  Object.assign(ports, { kinds: KINDS });
  for (let pass = 0; pass < 4; pass++) await world.pass();
  await world.expectStatus(name, "held");
  expect((await world.request(name)).hold?.message).toContain("does not know requests of kind sweep");
});
