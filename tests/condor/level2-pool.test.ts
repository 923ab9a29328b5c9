import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, test } from "vitest";
import { badFileStory, cloneStory, productionStepsStory } from "../support/level2-stories.ts";
import { poolServer, sharedDir } from "../support/pool-server.ts";

const server = poolServer();
const work = sharedDir("level2");
beforeAll(() => server.start());
afterAll(async () => {
  await server.stop();
  server.remove();
  rmSync(work, { recursive: true, force: true });
});

describe.concurrent("level 2 on the pool", () => {
  test("production steps demote twice", () => productionStepsStory(server, work));
  test("a bad file is excluded after two sites and the rest completes", () => badFileStory(server, work));
  test("kill and clone", () => cloneStory(server, work));
});
