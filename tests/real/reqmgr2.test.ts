import { afterEach, beforeEach, expect, test } from "vitest";
import type { RequestName } from "../../src/core/names.ts";
import { DEFAULT_INTAKE_RULES } from "../../src/core/submission.ts";
import { makePoller } from "../../src/operations/upkeep/reqmgr2/poll.ts";
import { makeWriteBack } from "../../src/operations/upkeep/reqmgr2/write-back.ts";
import { makeCmsWorld, SITES, stepChain } from "../support/cms-world.ts";
import { POLICY } from "../support/world.ts";

/** The same stories as tests/scenarios/reqmgr2.test.ts, where they matter over HTTPS. */
const NAME = "pdmv_chain_260101_120000_7" as RequestName;
let world: Awaited<ReturnType<typeof makeCmsWorld>>;
beforeEach(async () => {
  world = await makeCmsWorld();
  world.services.seed({ requests: { [NAME]: { ...JSON.parse(stepChain(NAME, 1)), RequestStatus: "assigned" } } });
});
afterEach(() => world.close());

/** A server that polls and tells. */
function importing() {
  const { pass, ports } = world.server();
  const source = ports.catalog.requests!;
  const work = { ...ports, policy: POLICY };
  const options = { pollSec: 60, rules: DEFAULT_INTAKE_RULES, nudge() {} };
  return { pass, ...makePoller(work, source, options), ...makeWriteBack(work, source) };
}
const there = () => world.services.state()["reqmgr2.requests"]?.[NAME] as Record<string, unknown>;
const told = () => (there().RequestTransition as { Status: string }[]).map(({ Status }) => Status);

test("assigned in ReqMgr2: imported once by two servers, run, completed there", async () => {
  const [first, second] = [importing(), importing()];
  const polls = await Promise.all([first.pollOnce(), second.pollOnce()]);
  expect(polls.flatMap(({ imported }) => imported)).toContain(NAME);
  expect(polls.flatMap(({ imported }) => imported).filter((name) => name === NAME)).toHaveLength(1);
  await first.pass();
  await world.expectStatus(NAME, "active");
  await first.tellOnce();
  world.engine.site = SITES[0];
  world.engine.finish(world.storageDir);
  await first.pass();
  await world.expectStatus(NAME, "completed");
  await first.tellOnce();
  expect(told()).toEqual([
    ...["assigned", "staging", "staged", "acquired", "running-open", "running-closed", "completed"],
  ]);
  expect((await second.pollOnce()).imported).not.toContain(NAME);
}, 60_000);

test("a reply that got lost is no second move, and half an answer is no answer", async () => {
  const server = importing();
  world.services.faults({ do: "half", service: "reqmgr2", method: "GET", path: "detail=false", times: 1 });
  await server.pollOnce().catch(() => server.pollOnce());
  await server.pass();
  world.services.faults({ do: "lost-reply", service: "reqmgr2", method: "PUT", times: 2 });
  for (let tries = 0; tries < 5; tries += 1) {
    await server.tellOnce();
    world.wait(10_000);
  }
  expect(told()).toEqual(["assigned", "staging", "staged", "acquired", "running-open"]);
  expect(await world.store.imports.get(NAME)).toMatchObject({ toldStatus: "active", lastError: null });
}, 60_000);
