import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { unheardStory } from "../support/level2-stories.ts";
import { inPool, poolServer, sharedDir } from "../support/pool-server.ts";
import { MisfortuneRequest } from "../support/recovery-request.ts";
import { expectEnds, FIRST, failAlike, LATER, liveThrough, processesIn, QUICK } from "../support/recovery-stories.ts";

const server = poolServer(QUICK);
const work = sharedDir("misfortunes");
beforeAll(() => server.start());
afterAll(async () => {
  await server.stop();
  await server.remove();
  rmSync(work, { recursive: true, force: true });
});

const request = new MisfortuneRequest(
  work,
  join(server.dataDir, "spool"),
  `misfortunes-${process.pid}`,
  [...FIRST, "evicted", "removed"],
  LATER,
);

/** The unit's own DAGMan: the schedd starts it again, and it runs what had not ended. */
async function killDagman(): Promise<void> {
  const pids = processesIn(await request.unitDir("post-killed"), "condor_dagman");
  expect(pids.length).toBeGreaterThan(0);
  for (const pid of pids) process.kill(pid, "SIGKILL");
}

/** Once the job has begun to do its work. */
async function disturb(story: string, ...command: string[]): Promise<void> {
  await eventually(`${story} runs`, () => existsSync(join(request.dir, `${story}.runs`)), { deadlineSec: 60 });
  const which = `DAGNodeName == "${request.node(story)}" && WMS2_Request == "${request.name}"`;
  inPool(...command, inPool("condor_q", "-allusers", "-constraint", which, "-af", "ClusterId").trim());
}

test.concurrent("every misfortune ends as the table says, and the ledger tells why", async () => {
  await liveThrough(server, request, {
    killedPost: killDagman,
    others: () => Promise.all([disturb("evicted", "condor_vacate_job", "-fast"), disturb("removed", "condor_rm")]),
    deadlineSec: 120,
  });
  await expectEnds(request, "dagman");
  expect(await request.attempts("evicted"), "evicted").toMatchObject([{ decision: "done", rrn: 1, retry: 0 }]);
  expect(await request.attempts("removed"), "removed").toMatchObject([
    { cause: "evicted", exitCode: 99400, decodedFrom: "remove", rule: "removed-by-hand", decision: "retry", rrn: 0 },
    { decision: "done", rrn: 1 },
  ]);
});

test.concurrent("nodes that fail alike for good end their unit early, and no other", () =>
  failAlike(server, work, 120));

test.concurrent("held before DAGMan heard that jobs are done: none runs again", () => unheardStory(server, work));
