import { rmSync } from "node:fs";
import { afterAll, beforeAll, test } from "vitest";
import { holdAndReleaseStory, stopStory } from "../support/level2-stories.ts";
import { poolServer, sharedDir } from "../support/pool-server.ts";

const server = poolServer();
const work = sharedDir("level2-crash");
beforeAll(() => server.start());
afterAll(async () => {
  await server.stop();
  server.remove();
  rmSync(work, { recursive: true, force: true });
});

/** The server dies without warning and comes back. */
const crash = async () => {
  await server.kill("SIGKILL");
  await server.start();
};

test("three of ten fail: held, shown, released with a ban, completed elsewhere", () =>
  holdAndReleaseStory(server, work, "T2_XX_Alpha", crash));
test("stopped in mid-round and resumed, the server killed meanwhile", () => stopStory(server, work, crash));
