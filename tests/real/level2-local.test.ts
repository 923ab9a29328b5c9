import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import {
  abortStory,
  badFileStory,
  badSiteStory,
  cloneStory,
  holdAndReleaseStory,
  productionStepsStory,
  rescueStory,
  stopStory,
  unheardStory,
} from "../support/level2-stories.ts";
import { ServerUnderTest } from "../support/server.ts";
import { tempDir } from "../support/temp-dir.ts";

const sites = ["north", "south", "west"].map((name) => ({ name, cores: 4, memory_mb: 8000 }));
const server = new ServerUnderTest({ "engine.local.sites": sites });
beforeAll(() => server.start());
afterAll(async () => {
  await server.stop();
  await server.remove();
});

/** The server dies without warning and comes back. */
const crash = async () => {
  await server.kill("SIGKILL");
  await server.start();
};
const options = { timeout: 180_000 };

test("one of ten units fails for a while: rescued, only it is run again", options, () =>
  rescueStory(server, tempDir("level2"), crash),
);
test("three of ten fail: held, shown, released with a ban, completed elsewhere", options, () =>
  holdAndReleaseStory(server, tempDir("level2"), "north", crash),
);
test("stopped in mid-round and resumed", options, () => stopStory(server, tempDir("level2"), crash));
test("held before the engine heard that jobs are done: none runs again", options, () =>
  unheardStory(server, tempDir("level2")),
);
test("production steps demote twice", options, () => productionStepsStory(server, tempDir("level2")));
test("kill and clone", options, () => cloneStory(server, tempDir("level2")));
test("a bad file is excluded after two sites and the rest completes", options, () =>
  badFileStory(server, tempDir("level2")),
);
test("one bad site of three is left out and nobody is asked", options, () => badSiteStory(server, tempDir("level2")));
test("abort ends the jobs", options, () => {
  const dir = tempDir("level2");
  // Every job has the request's directory among its arguments.
  return abortStory(server, dir, () => spawnSync("pgrep", ["-f", join(dir, "aborted")]).status === 1);
});
