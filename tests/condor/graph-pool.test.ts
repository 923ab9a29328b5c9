import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, test } from "vitest";
import * as stories from "../support/graph-stories.ts";
import { poolServer, sharedDir } from "../support/pool-server.ts";

const server = poolServer();
const work = sharedDir("graph");
beforeAll(() => server.start(180), 200_000);
afterAll(async () => {
  await server.stop();
  await server.remove();
  rmSync(work, { recursive: true, force: true });
});

describe.concurrent("graphs on the pool", { timeout: 300_000 }, () => {
  test("a diamond over files runs in order and completes without a catalog", () => stories.diamondStory(server, work));
  test("what waits for an end runs whatever came before; a rescue runs it again, and nothing that is done", () =>
    stories.endedStory(server, work));
  test("a failed job is resubmitted by its own name while others run, and frees what it blocked", () =>
    stories.resubmitStory(server, work));
  test("errors say what failed by its name, and which jobs it blocks", () => stories.blockedStory(server, work));
});
