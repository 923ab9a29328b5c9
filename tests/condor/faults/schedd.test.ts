import { rmSync } from "node:fs";
import { afterAll, beforeAll, test } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { rescueStory } from "../../support/level2-stories.ts";
import { asPoolRoot, inPool, poolServer, sharedDir } from "../../support/pool-server.ts";

const server = poolServer();
const work = sharedDir("faults");
beforeAll(() => server.start());
afterAll(async () => {
  await server.stop();
  await server.remove();
  rmSync(work, { recursive: true, force: true });
});

/** The schedd dies in mid-round; HTCondor's master starts it again and all DAGMans recover. */
const killSchedd = async () => {
  asPoolRoot("pkill", "-9", "-x", "condor_schedd");
  await eventually("the schedd answers again", scheddAnswers, { deadlineSec: 60, everyMs: 500 });
};

const scheddAnswers = (): boolean => {
  try {
    inPool("condor_q", "-totals");
    return true;
  } catch {
    return false;
  }
};

test("the schedd is killed in mid-round and one of ten units fails for a while: rescued, only it is run again", () =>
  rescueStory(server, work, killSchedd));
