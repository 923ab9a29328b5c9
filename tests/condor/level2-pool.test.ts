import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import * as stories from "../support/level2-stories.ts";
import { inPool, poolServer, sharedDir } from "../support/pool-server.ts";

/** All stories at once, and all the while the server is killed with -9 at random points. */
const server = poolServer();
const work = sharedDir("level2");
const seed = Number(process.env.WMS2_SEED ?? Date.now() % 1_000_000);
beforeAll(async () => {
  console.log(`seed ${seed} (repeat with WMS2_SEED=${seed})`);
  await server.start();
  server.reap(seed, { minSec: 1, maxSec: 8, times: 16 });
});
afterAll(async () => {
  await server.spare();
  console.log(`the server was killed ${server.deaths} times`);
  await server.stop();
  await server.remove();
  rmSync(work, { recursive: true, force: true });
});
const nothing = async () => {};
const isGone = (dagId: string) => !inPool("condor_q", "-allusers", "-af", "JobBatchName").includes(dagId);

describe.concurrent("level 2 on the pool, the server killed again and again", { timeout: 600_000 }, () => {
  test("one of ten units fails for a while: rescued, only it is run again", () =>
    stories.rescueStory(server, work, nothing));
  test("three of ten fail: held, shown, released with a ban, completed elsewhere", () =>
    stories.holdAndReleaseStory(server, work, "T2_XX_Alpha", nothing));
  test("one bad site of three is left out and nobody is asked", () => stories.badSiteStory(server, work));
  test("a bad file is excluded after two sites and the rest completes", () => stories.badFileStory(server, work));
  test("stopped in mid-round and resumed", () => stories.stopStory(server, work, nothing));
  test("production steps demote twice", () => stories.productionStepsStory(server, work));
  test("kill and clone", () => stories.cloneStory(server, work));
  test("abort takes the whole tree out of the queue", () => stories.abortStory(server, work, isGone));
  test("meanwhile the server died more than five times", () =>
    eventually("the sixth death", () => server.deaths > 5, { deadlineSec: 500, everyMs: 500 }));
});
