import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { cloneStory, productionStepsStory, rescueStory } from "../support/level2-stories.ts";
import { asPoolRoot, inPool, poolServer, sharedDir } from "../support/pool-server.ts";

const server = poolServer();
const work = sharedDir("level2");
beforeAll(() => server.start());
afterAll(async () => {
  await server.stop();
  server.remove();
  rmSync(work, { recursive: true, force: true });
});

/** The schedd dies in mid-round; HTCondor's master starts it again and all DAGMans recover. */
const killSchedd = async () => {
  asPoolRoot("pkill", "-9", "-x", "condor_schedd");
  await eventually("the schedd answers again", () => inPoolAnswers(), { deadlineSec: 60, everyMs: 500 });
};
const inPoolAnswers = (): boolean => {
  try {
    inPool("condor_q", "-totals");
    return true;
  } catch {
    return false;
  }
};

describe.concurrent("level 2 on the pool", () => {
  test("one of ten units fails for a while, the schedd is killed meanwhile: rescued, only it is run again", () =>
    rescueStory(server, work, killSchedd));
  test("production steps demote twice", () => productionStepsStory(server, work));
  test("kill and clone", () => cloneStory(server, work));
});
