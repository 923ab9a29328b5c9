import { renameSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { generation, makeWorld } from "../support/world.ts";

const HOUR_SEC = 3600;
/** How the clock of a server may move between two passes, when somebody sets it: by hours, either way. */
const JUMPS = [0, 0, 1, 60, 2 * HOUR_SEC, -2 * HOUR_SEC, 26 * HOUR_SEC, -26 * HOUR_SEC];

test("a clock that was two hours ahead while outputs were owed: what is owed is not left until it catches up", async () => {
  const world = await makeWorld();
  const name = await world.submit(generation("gen", 2));
  await world.pass();
  world.wait(2 * HOUR_SEC);
  world.engine.finish(world.storageDir);
  const lost = join(world.storageDir, "merged/gen/gen/mg_000000.out");
  renameSync(lost, `${lost}.away`);
  await world.pass();
  await world.expectStatus(name, "active");
  renameSync(`${lost}.away`, lost);
  world.wait(-2 * HOUR_SEC);
  for (let i = 0; i < 4; i += 1) await world.pass();
  await world.expectStatus(name, "completed");
});

test("whatever the clock does between passes and servers, requests end once it goes on as clocks do", async () => {
  const step = fc.record({
    jumpSec: fc.constantFrom(...JUMPS),
    act: fc.constantFrom("pass", "pass", "finish", "restart", "break"),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 10 }), async (steps) => {
      const world = await makeWorld();
      const name = await world.submit(generation("gen", 3));
      for (const [at, { jumpSec, act }] of steps.entries()) {
        world.wait(jumpSec);
        if (act === "restart") await world.restart(`server-${at}`);
        const isRunning = [...world.engine.runs.values()].some(({ ended }) => !ended);
        if (act === "finish" && isRunning) world.engine.finish(world.storageDir, 1);
        if (act === "break" && isRunning && at % 3 === 0) world.engine.end("failed", "broke off");
        await world.pass();
      }
      // The last server dies without a word, and the next one comes a minute later.
      world.wait(-2 * HOUR_SEC);
      await world.restart("the-last");
      for (let pass = 0; pass < 12; pass += 1) {
        world.wait(5);
        if ([...world.engine.runs.values()].some(({ ended }) => !ended)) world.engine.finish(world.storageDir);
        await world.pass();
      }
      await world.expectStatus(name, "completed");
      const { id } = await world.workflow(name);
      expect(await world.store.units.countByStatus(id)).toMatchObject({ registered: 3 });
    }),
    { numRuns: 15 },
  );
});
