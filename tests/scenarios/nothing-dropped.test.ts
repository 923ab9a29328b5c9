import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isTerminal } from "../../src/core/request-status.ts";
import { EVERYTHING } from "../../src/loop/gather-fill.ts";
import type { World } from "../support/active-request.ts";
import { documentOf, inEngine, NAME, perform, type Step, step } from "../support/any-state.ts";
import { makeWorld } from "../support/world.ts";

/**
 * Nothing is dropped silently, of graphs and model runs: whatever happened, every job and product is done, waits with a
 * reason, failed with a cause, or is left out by name, and the headline says so. (Processing and generating: laws.test.ts.)
 */
const release: fc.Arbitrary<Step> = fc.record({
  do: fc.constant("act" as const),
  action: fc.constantFrom("release" as const, "rescue" as const),
  how: fc.constantFrom("rescue" as const, "next-round" as const),
});
const steps = fc.array(fc.oneof({ arbitrary: step, weight: 3 }, { arbitrary: release, weight: 1 }), { maxLength: 10 });
const isGentle = (each: Step): boolean => !(each.do === "act" && each.action === "abort");

/** Whatever does not move says why, at any moment. */
async function expectSaid(world: World, story: string): Promise<void> {
  const { status, waiting, hold, error } = await world.request(NAME);
  if (status === "held") expect(hold?.message, story).toBeTruthy();
  else if (!isTerminal(status)) expect(waiting?.reason ?? error?.message, `${story}: ${status}`).toBeTruthy();
}

/** The engine does all that is left, however often it is asked to. */
async function settle(world: World): Promise<void> {
  for (let turn = 0; turn < 6; turn += 1) {
    inEngine(world, { count: 9, how: null });
    await world.pass();
    world.wait(1000);
    await world.pass();
  }
}

const runs = Number(process.env.WMS2_LAW_RUNS ?? 15);

test("of a graph, every job is done, or left out and counted in the headline", { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (told) => {
      const world = await makeWorld();
      await world.submit(JSON.stringify(documentOf("graph")));
      await world.pass();
      for (const each of told.filter(isGentle)) {
        await perform(world, [each]);
        await expectSaid(world, JSON.stringify(told));
      }
      await settle(world);
      await expectSaid(world, JSON.stringify(told));
      const { status, waiting } = await world.request(NAME);
      if (status !== "completed") return;
      const { id, nextUnit } = await world.workflow(NAME);
      const [done, left] = [await world.store.units.finishedNames(id), await world.store.units.abandonedNames(id)];
      expect(new Set([...done, ...left]).size, JSON.stringify([told, [...done], [...left]])).toBe(nextUnit);
      expect(await world.store.units.unaccounted(id)).toBe(0);
      const headline = left.size > 0 ? `${left.size} of ${nextUnit} jobs left out` : undefined;
      expect(waiting?.reason, JSON.stringify(told)).toBe(headline);
    }),
    { numRuns: runs },
  );
});

/** What the jobs that run now are to make is there. */
async function makeProducts(world: World, directory: string): Promise<void> {
  const { id } = await world.workflow(NAME);
  for await (const rows of world.store.segmentNodes.rows(id))
    for (const row of rows.filter(({ state }) => state === "submitted")) {
      const file = `${directory}/out/${row.id.replaceAll("/", ".")}.csv`;
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, "x\n".repeat(12 * Number(/-(\d)y/.exec(row.id)?.[1] ?? 2)));
    }
}

test("of a model run, every product is done, to be made, or kept from it by something named", {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.boolean(), async (told, isMade) => {
      const world = await makeWorld();
      const document = documentOf("segments");
      await world.submit(JSON.stringify(document));
      await world.pass();
      for (const each of told.filter(isGentle)) {
        if (isMade && each.do === "finish") await makeProducts(world, String(document.directory));
        await perform(world, [each]);
        await expectSaid(world, JSON.stringify(told));
        const answer = await world.commands.fillPlan(NAME, EVERYTHING);
        if (answer.kind !== "found") throw new Error(JSON.stringify(answer));
        const { rows, actions, obstacles, done, holes } = answer.plan;
        const cells = rows.flatMap((row) => row.cells);
        const reasons = new Map([
          ...obstacles.map(({ node, reason }) => [node, reason] as const),
          ...actions.map(({ node, reason }) => [node, reason] as const),
        ]);
        for (const { node, state } of cells)
          if (state !== "done") expect(reasons.get(node), `${node} ${state}: ${JSON.stringify(told)}`).toBeTruthy();
        expect(done + holes, JSON.stringify(told)).toBe(cells.length);
        const { status, waiting } = await world.request(NAME);
        if (status === "completed") expect(holes, JSON.stringify(told)).toBe(0);
        if (waiting?.code === "products-held") expect(waiting.reason).toMatch(/\d held \(atmos\//);
      }
    }),
    { numRuns: runs },
  );
});
