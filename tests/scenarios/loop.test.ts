import { expect, test } from "vitest";
import { makeWatch } from "../../src/alerts/watch.ts";
import { makeLoop } from "../../src/lifecycle/loop.ts";
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
    places: [],
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
