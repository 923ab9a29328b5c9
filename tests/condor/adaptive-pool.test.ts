import { afterAll, beforeAll, test } from "vitest";
import { idleCoresStory, wrongHintStory } from "../support/adaptive-stories.ts";
import { poolServer } from "../support/pool-server.ts";

const server = poolServer({ "planning.probe_jobs": 1, "planning.least_memory_per_core_mb": 1 });
beforeAll(() => server.start());
afterAll(async () => {
  await server.stop();
  await server.remove();
});

test.concurrent("a hint that is half of what jobs hold is right in round 1, on the pool", async () => {
  await wrongHintStory(server, "half-of-it", 150);
});

test.concurrent("a step that leaves cores idle is cut in parts on the pool, and faster so", () =>
  idleCoresStory(server));
