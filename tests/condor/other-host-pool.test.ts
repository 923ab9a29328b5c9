import { rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { FailingRequest } from "../support/failing-request.ts";
import { moveStory } from "../support/level2-stories.ts";
import { poolServer, SecondPool, sharedDir } from "../support/pool-server.ts";
import type { ReapedServer } from "../support/reaper.ts";

/** One data directory, two submit hosts: what a site does when the first one is to be repaired. */
const here = poolServer();
const work = sharedDir("other-host");
let second: SecondPool;
let there: ReapedServer;
beforeAll(async () => {
  second = new SecondPool();
  there = poolServer({ "engine.dagman.prefix": second.prefix }, here.dataDir);
  await here.start();
});
afterAll(async () => {
  await here.stop();
  await there.stop();
  await here.remove();
  second.remove();
  rmSync(work, { recursive: true, force: true });
});

test("held in mid-round at one submit host, resumed at another: nothing is lost, nothing that finished runs again", async () => {
  await moveStory(here, work, async () => {
    await here.stop();
    await there.start();
    return there;
  });
  await there.stop();
});

test("a run that was left behind at the other submit host is not taken for lost, and not started twice", async () => {
  const request = new FailingRequest(work, "left-behind", 2);
  request.close();
  await here.start();
  await here.submit(request.document());
  await eventually("its jobs run", () => request.runs().length === 2, { deadlineSec: 120, everyMs: 200 });
  await here.stop();
  await there.start();
  await eventually(
    "it says where the run is",
    async () => JSON.stringify(await there.get("/requests/left-behind")).includes("it was submitted at pool-"),
    { deadlineSec: 120, everyMs: 200 },
  );
  expect(second.exec("condor_q", "-allusers", "-af", "ClusterId")).toBe("");
  await there.stop();
  request.heal();
  await here.start();
  await here.until("left-behind", ["completed"], 150);
  request.expectOnceEach();
});

test("the submit host is lost for good: held when it has been silent, released at the other one", async () => {
  const request = new FailingRequest(work, "host-lost", 5);
  request.close();
  await here.stop();
  await there.start();
  await there.submit(request.document({ throttles: { units: 2 } }));
  await request.pass(1);
  const outputs = async (server: ReapedServer) => (await server.get("/requests/host-lost/outputs")).items.length;
  await eventually("a unit is done", async () => (await outputs(there)) > 0, { deadlineSec: 150, everyMs: 100 });
  const { workflow } = await there.get("/requests/host-lost");
  const { submit_dir } = await there.get(`/dags/${workflow.dag_id}`);
  await there.stop();
  second.remove();
  const done = request.runs().length;
  request.heal();
  await here.start();
  const hourAgo = Date.now() / 1000 - 3600;
  for (const name of ["condor.sub", "dagman.out"])
    utimesSync(join(submit_dir, `workflow.dag.${name}`), hourAgo, hourAgo);
  const held = await here.until("host-lost", ["held"], 150);
  expect(held.hold.code).toBe("run-lost");
  const finished = await outputs(here);
  // DAGMan starts again from its log, finds that its jobs are gone and writes a rescue file; the loop goes on from there.
  await here.send("POST", "/requests/host-lost/release", { reason: "that host will not come back" });
  await here.until("host-lost", ["completed"], 150);
  expect(await outputs(here)).toBe(5);
  expect(request.runs().length - done).toBeLessThanOrEqual(5 - finished);
});
