import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { killAtRandomPoints, WitnessedRequest } from "../support/crash-story.ts";
import { poolServer, sharedDir } from "../support/pool-server.ts";

const server = poolServer();
const work = sharedDir("pool-work");
beforeAll(() => server.start());
afterAll(async () => {
  await server.stop();
  server.remove();
  rmSync(work, { recursive: true, force: true });
});

test("a request runs on the pool from submission to registered outputs, each unit at one site", async () => {
  const request = new WitnessedRequest(work, "on-pool", 5);
  await server.submit(request.document());
  await server.until("on-pool", ["completed"], 120);
  request.expectExactlyOnce(join(server.dataDir, "storage"));
  const { items } = await server.get("/requests/on-pool/outputs");
  expect(items).toHaveLength(3);
});

test("kill -9 of the server at random points, on the pool", async () => {
  const seed = Number(process.env.WMS2_SEED ?? Date.now() % 1_000_000);
  console.log(`seed ${seed} (repeat with WMS2_SEED=${seed})`);
  await server.stop();
  await killAtRandomPoints(server, work, { times: 5, seed, files: 2, maxDelayMs: 6000, deadlineSec: 180 });
});
