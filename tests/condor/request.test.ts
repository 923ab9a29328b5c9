import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { killAtRandomPoints, WitnessedRequest } from "../support/crash-story.ts";
import { eventually } from "../support/eventually.ts";
import { inPool, poolServer, sharedDir } from "../support/pool-server.ts";

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

test("abort takes the whole tree out of the queue", async () => {
  const request = new WitnessedRequest(work, "aborted", 2);
  const slow = request.document() as { steps: { run: string[] }[] };
  (slow.steps[0] as { run: string[] }).run = ["sleep", "600"];
  await server.submit(slow);
  const dag = await eventually(
    "its jobs run",
    async () => {
      const { workflow } = await server.get("/requests/aborted");
      const seen = workflow && (await server.get(`/workflows/${workflow.id}/status`)).dag;
      return seen?.nodes_running > 0 ? seen : false;
    },
    { deadlineSec: 90, everyMs: 250 },
  );
  await server.send("POST", "/requests/aborted/abort", { reason: "test" });
  await server.until("aborted", ["aborted"], 60);
  expect(inPool("condor_q", "-allusers", "-af", "JobBatchName")).not.toContain(dag.id);
});

test("kill -9 of the server at random points, on the pool", async () => {
  const seed = Number(process.env.WMS2_SEED ?? Date.now() % 1_000_000);
  console.log(`seed ${seed} (repeat with WMS2_SEED=${seed})`);
  await server.stop();
  await killAtRandomPoints(server, work, { times: 5, seed, files: 2, maxDelayMs: 6000, deadlineSec: 180 });
});
