import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RequestName } from "../../src/core/names.ts";
import { generation, makeWorld } from "../support/world.ts";

/**
 * What a release into the next round does with events: no range is planned twice, none is passed over, what
 * unfinished units were to make is counted as abandoned, once, and with top_up exactly as much is planned instead.
 * Read from the manifests on disk, which is what jobs go by, and from the store.
 */
type World = Awaited<ReturnType<typeof makeWorld>>;

const PER_UNIT = 20;
const FOR_GOOD = { category: "permanent", why: "row-stops" } as const;

async function running(units: number, over: Record<string, unknown> = {}) {
  const world = await makeWorld();
  const name = await world.submit(generation("gen", units, over));
  await world.pass();
  await world.expectStatus(name, "active");
  return { world, name };
}

/** The first units that are left fail for good, the others finish; the request is held. */
async function failForGood(world: World, name: RequestName, failed: number) {
  world.engine.fail(failed, FOR_GOOD);
  world.engine.finish(world.storageDir);
  await world.pass();
  await world.expectStatus(name, "held");
}

async function release(world: World, name: RequestName, topUp: boolean | null, how?: "rescue" | "next-round") {
  const modifications = topUp === null ? {} : { top_up: topUp };
  const wanted = { action: "release", reason: "go on", modifications, ...(how && { how }) } as const;
  const answer = await world.commands.act(name, wanted, { actor: "ann", version: null, dryRun: false });
  expect(answer.kind).toBe("done");
  await world.pass();
  return answer.kind === "done" ? answer.warnings : [];
}

interface Range {
  readonly unit: string;
  readonly first: number;
  readonly last: number;
}

/** Every range that was ever planned, of all rounds, by its first event. */
function planned(world: World): Range[] {
  const root = join(world.dir, "spool/gen");
  const found: Range[] = [];
  for (const round of readdirSync(root).filter((name) => /^r\d+-/.test(name)))
    for (const unit of readdirSync(join(root, round)).filter((name) => name.startsWith("mg_"))) {
      const { nodes } = JSON.parse(readFileSync(join(root, round, unit, "manifest.json"), "utf8"));
      for (const { firstEvent, lastEvent } of Object.values<{ firstEvent: unknown; lastEvent: unknown }>(nodes))
        found.push({ unit, first: Number(firstEvent), last: Number(lastEvent) });
    }
  return found.sort((a, b) => a.first - b.first);
}

const eventsIn = (ranges: readonly Range[]): number =>
  ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0);

/** The laws that hold after each release; answers the events of finished units. */
async function expectCredit(world: World, name: RequestName): Promise<number> {
  const workflow = await world.workflow(name);
  const ranges = planned(world);
  let next = 1;
  for (const { first, last } of ranges) {
    expect(first, "a range repeats events, or events were passed over").toBe(next);
    next = last + 1;
  }
  expect(Number(workflow.nextFirstEvent)).toBe(next);
  const finished: ReadonlySet<string> = await world.store.units.finishedNames(workflow.id);
  const current = new Set<string>(workflow.currentDagId === null ? [] : [...world.engine.runs.values()].at(-1)?.units);
  const leftBehind = ranges.filter(({ unit }) => !finished.has(unit) && !current.has(unit));
  expect(Number(workflow.abandonedEvents)).toBe(eventsIn(leftBehind));
  const blocks = await world.store.units.blocks(workflow.id);
  expect(blocks.reduce((sum, { unitsAbandoned }) => sum + unitsAbandoned, 0)).toBe(
    new Set(leftBehind.map(({ unit }) => unit)).size,
  );
  return eventsIn(ranges.filter(({ unit }) => finished.has(unit)));
}

test("the offset is past all that was planned, failed ranges are abandoned", async () => {
  const { world, name } = await running(10);
  await failForGood(world, name, 2);
  expect(await world.workflow(name)).toMatchObject({ nextFirstEvent: 201n, abandonedEvents: 0n });
  const warnings = await release(world, name, null);
  expect(warnings).toEqual(["the events of 2 unfinished units are given up; with top_up they are replaced"]);
  await world.pass();
  await world.expectStatus(name, "completed");
  expect(await world.workflow(name)).toMatchObject({ nextFirstEvent: 201n, abandonedEvents: 40n });
  expect(await expectCredit(world, name)).toBe(160);
});

test("what tops up fails too: it is topped up again, past the offset, and abandoned ranges are summed once", async () => {
  const { world, name } = await running(4);
  await failForGood(world, name, 3);
  expect(await release(world, name, true)).toEqual([]);
  expect(
    planned(world)
      .slice(-6)
      .map(({ first }) => first),
  ).toEqual([81, 91, 101, 111, 121, 131]);
  await failForGood(world, name, 2);
  await release(world, name, true);
  expect(await world.workflow(name)).toMatchObject({ abandonedEvents: 100n, nextFirstEvent: 181n });
  await expectCredit(world, name);
  world.engine.finish(world.storageDir);
  await world.pass();
  await world.expectStatus(name, "completed");
  expect(await expectCredit(world, name)).toBe(4 * PER_UNIT);
});

test("a unit that failed, was rescued and finished is not abandoned", async () => {
  const { world, name } = await running(10);
  await failForGood(world, name, 3);
  await release(world, name, null, "rescue");
  await world.expectStatus(name, "active");
  expect((await world.workflow(name)).abandonedEvents).toBe(0n);
  await failForGood(world, name, 1);
  await release(world, name, true, "next-round");
  expect(await world.workflow(name)).toMatchObject({ abandonedEvents: 20n, nextFirstEvent: 221n });
  await expectCredit(world, name);
});

test("what was left behind is planned no more: a completed request has all of its units, and the nodes tell whose word it was", async () => {
  const { world, name } = await running(8);
  await failForGood(world, name, 3);
  await release(world, name, true, "next-round");
  await world.expectStatus(name, "active");
  world.engine.finish(world.storageDir);
  await world.pass();
  await world.expectStatus(name, "completed");
  const { unitsPlanned, unitsDone, nodesPlanned, nodesDone } = await world.workflow(name);
  expect([unitsDone, nodesDone]).toEqual([unitsPlanned, nodesPlanned]);
  const { said = [] } = (await world.commands.attempts(name, { limit: 100 })) ?? {};
  expect(said.filter(({ what }) => what === "round closed").map(({ unit, by, reason }) => [unit, by, reason])).toEqual(
    ["mg_000000", "mg_000001", "mg_000002"].map((unit) => [unit, "ann", "go on"]),
  );
});

test.each([
  [false, 101n],
  [true, 121n],
])("the first look of an adaptive request fails: the rest follows, topped up: %s", async (topUp, nextFirstEvent) => {
  const { world, name } = await running(5, { adaptive: true });
  await failForGood(world, name, 1);
  expect(await world.workflow(name)).toMatchObject({ nextFirstEvent: 21n });
  await release(world, name, topUp);
  await world.expectStatus(name, "active");
  expect(await world.workflow(name)).toMatchObject({ abandonedEvents: 20n, nextFirstEvent });
  await expectCredit(world, name);
});

test("a server that dies after a release counts nothing twice", async () => {
  const { world, name } = await running(4);
  await failForGood(world, name, 2);
  await release(world, name, true);
  await world.restart();
  await world.pass();
  expect(await world.workflow(name)).toMatchObject({ abandonedEvents: 40n, nextFirstEvent: 121n });
  await expectCredit(world, name);
});

test("a request that tops up by itself is not told that its events are given up", async () => {
  const { world, name } = await running(4, { top_up: true });
  await failForGood(world, name, 2);
  expect(await release(world, name, null)).toEqual([]);
  expect(await world.workflow(name)).toMatchObject({ abandonedEvents: 40n, nextFirstEvent: 121n });
});

describe("its submit directory is gone", () => {
  async function gone(finished: number) {
    const { world, name } = await running(4, { adaptive: false, unit: { jobs: 2, max_units_per_block: 3 } });
    world.engine.finish(world.storageDir, finished);
    await world.pass();
    rmSync([...world.engine.runs.values()].at(-1)?.run.submitDir ?? "", { recursive: true });
    world.engine.end("lost", "no trace");
    await world.pass();
    return { world, name };
  }
  test("what finished is known, and a release says that the rest is lost and cannot be topped up", async () => {
    const { world, name } = await gone(2);
    const { hold } = await world.request(name);
    expect(hold).toMatchObject({ code: "submit-directory-gone", evidence: { unitsDone: 2, unitsTotal: 4 } });
    expect(await release(world, name, true)).toEqual([
      "the events of 2 unfinished units are given up, and top_up cannot replace them: which they were is gone with the submit directory",
    ]);
    await world.pass();
    await world.expectStatus(name, "completed");
    const { id } = await world.workflow(name);
    const blocks = await world.store.units.blocks(id);
    expect(blocks.map(({ status, unitsDone, unitsAbandoned }) => ({ status, unitsDone, unitsAbandoned }))).toEqual([
      { status: "complete", unitsDone: 2, unitsAbandoned: 1 },
      { status: "complete", unitsDone: 0, unitsAbandoned: 1 },
    ]);
  });
  test("when all of it was done, nobody needs it any more", async () => {
    const { world, name } = await gone(4);
    await world.expectStatus(name, "completed");
  });
});

test("whatever fails and however it is released: no event is repeated, none is lost in silence", {
  timeout: 120_000,
}, async () => {
  const rounds = fc.array(fc.record({ failed: fc.integer({ min: 1, max: 5 }), topUp: fc.boolean() }), {
    minLength: 1,
    maxLength: 4,
  });
  const story = fc.record({ units: fc.integer({ min: 1, max: 5 }), short: fc.integer({ min: 0, max: 19 }), rounds });
  await fc.assert(
    fc.asyncProperty(story, async ({ units, short, rounds }) => {
      const asked = units * PER_UNIT - short;
      const { world, name } = await running(units, { events: asked });
      for (const { failed, topUp } of rounds) {
        if ((await world.request(name)).status !== "active") break;
        await failForGood(world, name, failed);
        const before = await world.workflow(name);
        await release(world, name, topUp);
        const after = await world.workflow(name);
        const wanted = 1n + BigInt(asked) + (topUp ? after.abandonedEvents : 0n);
        expect(after.nextFirstEvent).toBe(wanted > before.nextFirstEvent ? wanted : before.nextFirstEvent);
        const done = await expectCredit(world, name);
        if (topUp) expect(done + Number(after.nextFirstEvent - before.nextFirstEvent)).toBe(asked);
      }
    }),
    { numRuns: 12 },
  );
});
