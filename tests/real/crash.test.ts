import { afterAll, expect, test } from "vitest";
import { killAtRandomPoints } from "../support/crash-story.ts";
import { ServerUnderTest } from "../support/server.ts";
import { tempDir } from "../support/temp-dir.ts";

const server = new ServerUnderTest();
afterAll(async () => {
  await server.stop();
  server.remove();
});

test("kill -9 of the server at 30 random points: everything completes, nothing runs or registers twice", {
  timeout: 300_000,
}, async () => {
  const seed = Number(process.env.WMS2_SEED ?? Date.now() % 1_000_000);
  console.log(`seed ${seed} (repeat with WMS2_SEED=${seed})`);
  await killAtRandomPoints(server, tempDir("crash"), {
    times: 30,
    seed,
    files: 4,
    maxDelayMs: 1200,
    deadlineSec: 120,
  });
  expect(await server.get("/health")).toMatchObject({ status: "ok" });
});
