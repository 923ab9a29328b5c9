import { expect, test } from "vitest";
import { makeLoop } from "../../src/loop/loop.ts";
import { makeWatch } from "../../src/operations/upkeep/alerts/watch.ts";
import { eventually } from "../support/eventually.ts";
import { generation, makeWorld, POLICY } from "../support/world.ts";

test("one of two servers runs the loop; the other takes over when it goes silent", async () => {
  const world = await makeWorld();
  const other = makeLoop(world.ports, POLICY, "server-b");
  expect(await world.pass()).not.toBeNull();
  expect(await other.passOnce()).toBeNull();
  expect(await other.status()).toMatchObject({ leader: "server-1", isLeader: false });
  world.wait(POLICY.leaseSec + 1);
  expect(await other.passOnce()).not.toBeNull();
  expect(await world.pass()).toBeNull();
});

test("a server that stops gives the lease back at once", async () => {
  const world = await makeWorld();
  await world.pass();
  await world.loop().stop();
  expect(await makeLoop(world.ports, POLICY, "server-b").passOnce()).not.toBeNull();
});

test("health is true while passes end and false when they stop", async () => {
  const world = await makeWorld();
  const loop = world.loop();
  loop.start();
  await loop.passOnce();
  expect(await loop.status()).toMatchObject({ healthy: true, openRequests: 0 });
  world.wait(3600);
  expect(await loop.status()).toMatchObject({ healthy: false, why: "no pass ended for 3600 s" });
  await loop.stop();
  expect(await loop.status()).toMatchObject({ healthy: false });
});

test("the store goes away and comes back: passes fail, health says why, and then all goes on", async () => {
  const world = await makeWorld();
  const name = await world.submit(generation("gen", 1));
  const open = world.store.requests.open;
  world.store.requests.open = async () => {
    throw new Error("connection refused");
  };
  expect(await world.pass()).toBeNull();
  expect(await world.loop().status()).toMatchObject({
    healthy: false,
    why: expect.stringContaining("connection refused"),
  });
  world.store.requests.open = open;
  await world.pass();
  await world.expectStatus(name, "active");
});

test("a request that sits too long raises one alert and is still worked on", async () => {
  const world = await makeWorld();
  await world.commands.setAdmission({ maxActive: 0 }, "ann");
  const name = await world.submit(generation("gen", 1));
  await world.pass();
  world.wait(8 * 86_400);
  const watch = makeWatch(world.ports, {
    intervalSec: 60,
    engineAfterLooks: 3,
    moreErrorsThan: 3,
    lowDiskMb: 0,
    disks: [],
    isLeader: async () => true,
  });
  await watch.lookOnce();
  await watch.lookOnce();
  const alerts = await world.store.alerts.open();
  expect(alerts).toHaveLength(1);
  expect(alerts[0]).toMatchObject({ subject: name, key: `stuck:${name}:queued` });
  await world.commands.setAdmission({ maxActive: 1 }, "ann");
  await world.pass();
  await world.expectStatus(name, "active");
});

/** Its input is a list that takes for ever to read. */
const slow = (name: string): string =>
  JSON.stringify({
    name,
    kind: "process",
    input: { list: "/nowhere.json" },
    split: { by: "files", files_per_job: 1 },
    steps: [{ name: "s", run: ["/bin/true"] }],
    outputs: [{ name: "o", file: "o" }],
  });

test("a request that takes long to plan delays nobody, says so, obeys a wish, and is held at the limit", async () => {
  const world = await makeWorld();
  Object.assign(world.ports.catalog.datasets, {
    open: (_input: unknown, _wanted: unknown, signal: AbortSignal) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  });
  const limit = { ...POLICY, concurrency: 1, sliceSec: 0.05, workLimitSec: 3 };
  const loop = makeLoop(world.ports, limit, "server-1");
  const stays = await world.submit(slow("a-slow"));
  const leaves = await world.submit(slow("b-slow"));
  const quick = await world.submit(generation("quick", 1));
  await loop.passOnce();
  await world.expectStatus(stays, "planning");
  await eventually("the quick one runs", async () => (await world.request(quick)).status === "active");
  await world.commands.act(
    leaves,
    { action: "abort", reason: "no more" },
    { actor: "ann", version: null, dryRun: false },
  );
  await loop.passOnce();
  expect((await world.request(stays)).waiting?.reason).toContain("takes long to plan");
  await eventually("the aborted one is gone", async () => {
    await loop.passOnce();
    return (await world.request(leaves)).status === "aborted";
  });
  await eventually("it is held", async () => (await world.request(stays)).status === "held");
  expect((await world.request(stays)).hold).toMatchObject({
    code: "too-long",
    message: "working on it took more than 3 s and was stopped",
  });
  await loop.stop();
});

test("a pass that hangs loses the lease, health says so, and what wakes up later changes nothing", async () => {
  const world = await makeWorld();
  const policy = { ...POLICY, leaseSec: 0.3, stuckSec: 0.2 };
  const ports = { ...world.ports, clock: { now: () => new Date() } };
  let wake: (() => void) | null = null;
  const hangs = { ...world.store.dags, open: () => new Promise<never[]>((resume) => (wake = () => resume([]))) };
  const stuck = makeLoop({ ...ports, store: { ...world.store, dags: hangs } }, policy, "stuck");
  const other = makeLoop(ports, { ...POLICY, leaseSec: 60 }, "other");
  const name = await world.submit(generation("gen", 1));
  stuck.start();
  await eventually("it hangs", () => wake !== null);
  await eventually("the other server takes over", async () => (await other.passOnce()) !== null);
  await world.expectStatus(name, "active");
  const late = await world.submit(generation("late", 1));
  expect(await stuck.status()).toMatchObject({ healthy: false, why: expect.stringContaining("made no progress") });
  (wake as (() => void) | null)?.();
  await stuck.passOnce();
  await world.expectStatus(late, "submitted");
  await Promise.all([stuck.stop(), other.stop()]);
});

test("nudges are gathered: passes take at most a part of the time, however many come", async () => {
  const world = await makeWorld();
  let passSec = 0;
  let passes = 0;
  const metrics = {
    ...world.ports.metrics,
    observePass: (seconds: number) => {
      passSec += seconds;
      passes += 1;
    },
  };
  const loop = makeLoop({ ...world.ports, metrics, clock: { now: () => new Date() } }, POLICY, "server-1");
  const begun = performance.now();
  loop.start();
  await eventually(
    "five passes",
    async () => {
      loop.nudge();
      return passes >= 5;
    },
    { everyMs: 1 },
  );
  const seconds = (performance.now() - begun) / 1000;
  await loop.stop();
  expect(passSec / seconds).toBeLessThan(0.6);
});
