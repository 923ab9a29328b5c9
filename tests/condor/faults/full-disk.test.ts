import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { fillDisk } from "../../support/level2-stories.ts";
import { asPoolRoot, inPool, poolServer, sharedDir } from "../../support/pool-server.ts";
import { SmallDisk } from "../../support/small-disk.ts";

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

  // What goes on after a release is told on the local engine (tests/real/full-disk.test.ts).
  test("fills up while jobs run: held with the path within two minutes", () => fillDisk(server, work, disk));
});
