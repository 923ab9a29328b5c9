import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { besideDag, UNIT } from "../../../src/submit-dir/names.ts";
import { fullDiskStory } from "../../support/disk-stories.ts";
import { eventually } from "../../support/eventually.ts";
import { FailingRequest } from "../../support/failing-request.ts";
import { asPoolRoot, inPool, poolServer, sharedDir } from "../../support/pool-server.ts";
import { SmallDisk } from "../../support/small-disk.ts";

const LONG = { timeout: 700_000 };

const work = sharedDir("full-disk");
afterAll(() => rmSync(work, { recursive: true, force: true }));

describe.runIf(SmallDisk.canBe(join(work, "try")))("a disk of its own for the submit directories, on the pool", () => {
  const disk = new SmallDisk(join(work, "spool"), asPoolRoot);
  const server = poolServer({ spool_dir: disk.path, "lifecycle.disk_patience_sec": 15 });
  beforeAll(() => server.start());
  afterAll(async () => {
    disk.empty();
    await server.stop();
    const ours = `substr(Iwd, 0, ${disk.path.length}) == "${disk.path}"`;
    inPool("sh", "-c", `condor_rm -constraint '${ours}' || true`);
    const queue = () => inPool("condor_q", "-allusers", "-constraint", ours, "-af", "ClusterId").trim();
    await eventually("nothing is left in the queue", () => queue() === "", { deadlineSec: 200, everyMs: 1000 });
    await server.remove();
    disk.remove();
  });

  const besideUnit = (name: string, kind: "nodesLog" | "lock" | "out"): string =>
    join(disk.path, name, readdirSync(join(disk.path, name))[0]!, "mg_000000", besideDag(UNIT.dag, kind));

  // The end of a job is lost, as on a full disk: it is in no queue, and no event will ever tell what became of it.
  test.concurrent("takes the end of a job with it: DAGMan finds out, and the job is repeated", LONG, async () => {
    const request = new FailingRequest(work, "lost-end", 1);
    request.close();
    await server.submit(request.document());
    await eventually("the job runs", () => request.count(0) === 1, { deadlineSec: 240 });
    const log = besideUnit("lost-end", "nodesLog");
    execFileSync("chattr", ["+i", log]);
    try {
      request.heal();
      const queue = () =>
        inPool("condor_q", "-allusers", "-constraint", 'WMS2_Request == "lost-end"', "-af", "DAGNodeName").includes(
          "proc_",
        );
      await eventually("the job has left the queue", () => !queue(), { deadlineSec: 120, everyMs: 1000 });
    } finally {
      execFileSync("chattr", ["-i", log]);
    }
    await server.until("lost-end", ["completed"], 240);
    expect(request.count(0)).toBe(2);
  });

  // An event is lost between others. A DAGMan that recovers from such a log ends at once, and its job goes on alone.
  test.concurrent(
    "leaves a gap in the log of a unit: its next DAGMan begins anew, and repeats nothing that is done",
    LONG,
    async () => {
      const request = new FailingRequest(work, "gap", 1);
      request.close();
      await server.submit(request.document());
      await eventually("the job runs", () => request.count(0) === 1, { deadlineSec: 240 });
      const log = besideUnit("gap", "nodesLog");
      const events = readFileSync(log, "utf8").split(/^(?=\d{3} \()/m);
      // Of the landing: the first job of the unit that ended.
      const end = events.find((event) => event.startsWith("005 "));
      expect(end).toBeDefined();
      const [, pid = ""] = /^PID = (\d+)/m.exec(readFileSync(besideUnit("gap", "lock"), "utf8")) ?? [];
      asPoolRoot("kill", "-STOP", pid);
      writeFileSync(log, events.filter((event) => event !== end).join(""));
      asPoolRoot("kill", "-KILL", pid);
      const said = () => readFileSync(besideUnit("gap", "out"), "utf8").includes("DAG semantics violated");
      await eventually("its DAGMan gives up", said, { deadlineSec: 120 });
      request.heal();
      await server.until("gap", ["completed"], 240);
      const { items } = await server.get("/requests/gap/attempts?limit=100");
      expect(items.filter(({ node }: { node: string }) => node === "landing")).toHaveLength(1);
      // Its job ended well, but nobody was there to say so.
      expect(request.count(0)).toBe(2);
    },
  );

  test("fills up while jobs run: held with the path within two minutes, goes on when there is space", LONG, () =>
    fullDiskStory(server, work, disk),
  );
});
