import { renameSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { etaOf, paceTimes } from "../../src/operations/http/views/how-far.ts";
import { generation, makeWorld } from "../support/world.ts";

type World = Awaited<ReturnType<typeof makeWorld>>;
const HOUR_SEC = 3600;
const SESSION_SEC = 12 * HOUR_SEC;
const signIn = (world: World, sha256: string) =>
  world.store.settings.addSession({ sha256, tokenSha256: "token", at: world.now(), until: sessionEnd(world) });
const findSession = (world: World, sha256: string) =>
  world.store.settings.findSession(sha256, world.now(), sessionEnd(world));
const sessionEnd = (world: World) => new Date(world.now().getTime() + SESSION_SEC * 1000);
const isInOrderFrom = (now: Date) => (times: readonly Date[]) =>
  [now, ...times].every((at, place, all) => place === 0 || at >= all[place - 1]!);
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

test("a submission whose answer was lost before the clock leapt two hours ahead is tried again, not held as stuck", async () => {
  const world = await makeWorld();
  const name = await world.submit(generation("gen", 2));
  world.engine.loseNextAnswer = true;
  await world.pass();
  await world.expectStatus(name, "planning");
  world.wait(2 * HOUR_SEC);
  for (let i = 0; i < 4; i += 1) {
    await world.pass();
    world.wait(5);
  }
  await world.expectStatus(name, "active");
  expect(world.engine.submitted).toHaveLength(1);
});

test("whatever the clock does between passes and servers, requests end once it goes on as clocks do", async () => {
  const step = fc.record({
    jumpSec: fc.constantFrom(...JUMPS),
    act: fc.constantFrom("pass", "pass", "finish", "restart", "break", "lose", "sign-in"),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 10 }), async (steps) => {
      const world = await makeWorld();
      const { settings, desk } = world.store;
      const name = await world.submit(generation("gen", 3));
      await settings.addToken({ sha256: "token", name: "ann", at: world.now() });
      for (const [at, { jumpSec, act }] of steps.entries()) {
        world.wait(jumpSec);
        if (act === "restart") await world.restart(`server-${at}`);
        const isRunning = [...world.engine.runs.values()].some(({ ended }) => !ended);
        if (act === "finish" && isRunning) world.engine.finish(world.storageDir, 1);
        if (act === "break" && isRunning && at % 3 === 0) world.engine.end("failed", "broke off");
        if (act === "lose") world.engine.loseNextAnswer = true;
        if (act === "sign-in") await signIn(world, `s${at}`);
        await world.pass();
        const eta = etaOf((await desk.progress([name], paceTimes(world.now()))).get(name)!, world.now());
        if (eta) expect([eta.earliest, eta.at, eta.latest ?? eta.at]).toSatisfy(isInOrderFrom(world.now()));
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
      for (const at of steps.keys()) {
        const session = await findSession(world, `s${at}`);
        if (session) expect(session.until.getTime()).toBeLessThanOrEqual(sessionEnd(world).getTime());
      }
      const { id } = await world.workflow(name);
      expect(await world.store.units.countByStatus(id)).toMatchObject({ registered: 3 });
    }),
    { numRuns: 15 },
  );
});
