import { existsSync, rmSync } from "node:fs";
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
  await server.remove();
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

test("a request says why it does not move: jobs a user holds, jobs that fit no worker", async () => {
  const one = (name: string, more: object) => ({
    ...{ name, kind: "generate", events: 10, split: { by: "events", events_per_job: 10 } },
    ...{ steps: [{ name: "gen", run: ["sh", "-c", 'umask 0; : >"$1"; sleep 300', "gen", join(work, name)] }] },
    ...{ outputs: [{ name: "gen", file: "gen.out" }], ...more },
  });
  await server.submit(one("waits-held", {}));
  await server.submit(one("waits-large", { resources: { cores: 500, memory: "2 GB", time: "10 min" } }));
  const seen = (name: string, what: string, is: (waiting: { code: string; reason: string; who: string }) => boolean) =>
    eventually(
      what,
      async () => {
        const { waiting } = await server.get(`/requests/${name}`);
        return waiting !== null && is(waiting) ? waiting : null;
      },
      { deadlineSec: 90, everyMs: 500 },
    );
  await seen("waits-held", "a job runs", ({ code }) => code === "running");
  await eventually("it is the job that runs, not the landing", () => existsSync(join(work, "waits-held")), {
    deadlineSec: 90,
  });
  inPool("condor_hold", "-constraint", 'WMS2_Request == "waits-held" && JobUniverse != 7');
  const held = await seen("waits-held", "the hold is told", ({ code }) => code === "job-held-by-hand");
  expect(held).toMatchObject({ who: "operator", reason: expect.stringContaining("via condor_hold") });
  const { workflow } = await server.get("/requests/waits-held");
  const status = await server.get(`/workflows/${workflow.id}/status`);
  expect(status).toMatchObject({ estimated_completion: null, work_units: { running: 0 }, dag: { nodes_running: 0 } });
  const large = await seen("waits-large", "nobody can take it", ({ code }) => code === "too-large");
  expect(large.reason).toContain("500 cores");
  for (const name of ["waits-held", "waits-large"])
    await server.send("POST", `/requests/${name}/abort`, { reason: "seen" });
  await server.until("waits-held", ["aborted"], 60);
  await server.until("waits-large", ["aborted"], 60);
});

test("kill -9 of the server at random points, on the pool", async () => {
  const seed = Number(process.env.WMS2_SEED ?? Date.now() % 1_000_000);
  console.log(`seed ${seed} (repeat with WMS2_SEED=${seed})`);
  await server.stop();
  await killAtRandomPoints(server, work, { times: 5, seed, files: 2, maxDelayMs: 6000, deadlineSec: 180 });
});
