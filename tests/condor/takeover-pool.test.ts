import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WitnessedRequest } from "../support/crash-story.ts";
import { eventually } from "../support/eventually.ts";
import { FailingRequest } from "../support/failing-request.ts";
import { poolServer, poolStatus, sharedDir } from "../support/pool-server.ts";
import { lacksPostgres, startPostgres, type TestServer } from "../support/postgres.ts";
import type { ReapedServer } from "../support/reaper.ts";

/** Two servers on one PostgreSQL and one spool; a submission of the first hangs while the second takes over. */
const work = sharedDir("takeover");
const at = (name: string): string => join(work, name);
const SLOW = at("slow-command.sh");

/** `way`: the call takes its time to get to the submit host. `there`: condor_submit_dag itself hangs, with the lock. */
function layTraps(): void {
  copyFileSync(join(import.meta.dirname, "../support/slow-command.sh"), SLOW);
  mkdirSync(at("bin"));
  const trap = `#!/bin/sh\nexec sh ${SLOW} ${work} there ' workflow.dag ' /usr/bin/condor_submit_dag "$@"\n`;
  writeFileSync(at("bin/condor_submit_dag"), trap);
  chmodSync(at("bin/condor_submit_dag"), 0o755);
  chmodSync(SLOW, 0o755);
}
const letGo = (mark: string): void => writeFileSync(at(`${mark}.go`), "");

function twoServers(url: string): ReapedServer[] {
  const path = `PATH=${at("bin")}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`;
  const prefix = ["sh", SLOW, work, "way", " bin/submit run ", ...poolStatus().prefix, "env", path];
  const settings = {
    "engine.dagman.prefix": prefix,
    "database.url": url,
    spool_dir: at("spool"),
    storage_dir: at("storage"),
    "lifecycle.lease_sec": 3,
  };
  return [poolServer(settings), poolServer(settings)];
}

describe.skipIf(lacksPostgres())("a submission hangs while another server takes over", () => {
  let database: TestServer;
  let first: ReapedServer;
  let second: ReapedServer;
  beforeAll(async () => {
    for (const dir of ["spool", "storage"]) {
      mkdirSync(at(dir));
      chmodSync(at(dir), 0o777);
    }
    layTraps();
    database = await startPostgres();
    [first, second] = twoServers(database.url) as [ReapedServer, ReapedServer];
    await first.start();
    await leads(first);
    await second.start();
  });
  afterAll(async () => {
    for (const mark of ["way", "there"]) letGo(mark);
    if (second?.pid) process.kill(second.pid, "SIGCONT");
    for (const server of [first, second]) {
      await server?.stop();
      server?.remove();
    }
    await database?.remove();
    rmSync(work, { recursive: true, force: true });
  });
  const leads = (server: ReapedServer) =>
    eventually("it leads", async () => (await server.get("/lifecycle/status")).is_leader, { deadlineSec: 60 });
  const directory = async (name: string): Promise<string> => {
    const { workflow } = await second.get(`/requests/${name}`);
    return (await second.get(`/dags/${workflow.dag_id}`)).submit_dir;
  };
  const submissions = (dir: string): number =>
    readFileSync(join(dir, "workflow.dag.dagman.log"), "utf8").match(/^000 \(/gm)?.length ?? 0;

  test("on its way, its server killed: the other one submits, and the late call comes to nothing", async () => {
    const request = new WitnessedRequest(work, "hung", 8);
    writeFileSync(at("way"), "");
    await first.submit(request.document());
    await eventually("the submission hangs", () => existsSync(at("way.held")), { deadlineSec: 60 });
    await first.kill("SIGKILL");
    await second.until("hung", ["completed", "held"], 150);
    const dir = await directory("hung");
    const { items } = await second.get("/requests/hung/outputs");
    const before = items.map(({ path }: { path: string }) => statSync(path).mtimeMs);
    letGo("way");
    await eventually("the late call ended", () => existsSync(at("way.code")), { deadlineSec: 60 });
    expect(readFileSync(at("way.code"), "utf8")).toBe("77\n");
    expect((await second.get("/requests/hung")).status).toBe("completed");
    request.expectExactlyOnce(at("storage"));
    expect(submissions(dir)).toBe(1);
    expect(items.map(({ path }: { path: string }) => statSync(path).mtimeMs)).toEqual(before);
  });

  test("a rescue hangs in condor_submit_dag, its server stopped: the other one waits with the reason, then adopts", async () => {
    const request = new FailingRequest(work, "rescued", 3);
    request.fail(1, "gate");
    await leads(second);
    await first.start();
    await second.submit(request.document({ retries: { processing: 1 } }));
    const run = await eventually("its first run", () => directory("rescued").catch(() => null), { deadlineSec: 60 });
    await eventually("it runs", () => existsSync(join(run, "workflow.dag.dagman.log")), { deadlineSec: 60 });
    writeFileSync(at("there"), "");
    request.fail(1, "kill", 2);
    await eventually("the rescue hangs", () => existsSync(at("there.held")), { deadlineSec: 120 });
    process.kill(second.pid ?? Number.NaN, "SIGSTOP");
    const words = () => first.get("/requests/rescued").then((seen) => JSON.stringify(seen));
    await eventually("it says why it waits", async () => (await words()).includes("is under way, by process"), {
      deadlineSec: 60,
      describe: words,
    });
    letGo("there");
    await first.until("rescued", ["completed", "held"], 150);
    process.kill(second.pid ?? Number.NaN, "SIGCONT");
    expect((await first.get("/requests/rescued")).status).toBe("completed");
    const late = async () => !(await second.get("/lifecycle/status")).is_leader;
    await eventually("the late server knows that it leads no more", late, { deadlineSec: 60 });
    request.expectOnceEach([1]);
    expect(request.count(1)).toBe(3);
    expect(submissions(run)).toBe(2);
    expect((await first.get("/requests/rescued")).status).toBe("completed");
  });
});
