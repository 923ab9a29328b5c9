import { execFileSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { besideDag, UNIT } from "../../../src/submit-dir/names.ts";
import { eventually } from "../../support/eventually.ts";
import { FailingRequest, fillDisk } from "../../support/level2-stories.ts";
import { asPoolRoot, inPool, poolServer, sharedDir } from "../../support/pool-server.ts";
import { SmallDisk } from "../../support/small-disk.ts";

const LONG = { timeout: 700_000 };
const NODES_LOG = besideDag(UNIT.dag, "nodesLog");

const work = sharedDir("full-disk");
afterAll(() => rmSync(work, { recursive: true, force: true }));

describe.runIf(SmallDisk.canBe(join(work, "try")))("a disk of its own for the submit directories, on the pool", () => {
  const disk = new SmallDisk(join(work, "spool"), asPoolRoot);
  const server = poolServer({ spool_dir: disk.path });
  beforeAll(() => server.start());
  afterAll(async () => {
    disk.empty();
    await server.stop();
    inPool("sh", "-c", "condor_rm -all || true");
    const queue = () => inPool("condor_q", "-allusers", "-af", "ClusterId").trim();
    await eventually("nothing is left in the queue", () => queue() === "", { deadlineSec: 200, everyMs: 1000 });
    await server.remove();
    disk.remove();
  });

  // The end of a job is lost, as on a full disk: it is in no queue, and no event will ever tell what became of it.
  test("takes the end of a job with it: DAGMan finds out, and the job is repeated", LONG, async () => {
    const request = new FailingRequest(work, "lost-end", 1);
    request.close();
    await server.submit(request.document());
    await eventually("the job runs", () => request.count(0) === 1, { deadlineSec: 240 });
    const log = join(disk.path, "lost-end", readdirSync(join(disk.path, "lost-end"))[0]!, "mg_000000", NODES_LOG);
    execFileSync("chattr", ["+i", log]);
    try {
      request.heal();
      const queue = () => inPool("condor_q", "-allusers", "-af", "DAGNodeName").includes("proc_");
      await eventually("the job has left the queue", () => !queue(), { deadlineSec: 120, everyMs: 1000 });
    } finally {
      execFileSync("chattr", ["-i", log]);
    }
    await server.until("lost-end", ["completed"], 240);
    expect(request.count(0)).toBe(2);
  });

  // The last one: it leaves the disk full. What goes on after a release is told on the local engine (tests/real/full-disk.test.ts).
  test("fills up while jobs run: held with the path within two minutes", LONG, () => fillDisk(server, work, disk));
});
