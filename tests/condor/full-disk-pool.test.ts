import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "vitest";
import { fullDiskStory } from "../support/level2-stories.ts";
import { asPoolRoot, poolServer, sharedDir } from "../support/pool-server.ts";
import { SmallDisk } from "../support/small-disk.ts";

const work = sharedDir("full-disk");
afterAll(() => rmSync(work, { recursive: true, force: true }));

describe.runIf(SmallDisk.canBe(join(work, "try")))("a disk of its own for the submit directories, on the pool", () => {
  const disk = new SmallDisk(join(work, "spool"), asPoolRoot);
  const server = poolServer({ spool_dir: disk.path });
  beforeAll(() => server.start());
  afterAll(async () => {
    await server.stop();
    await server.remove();
    disk.remove();
  });

  test("fills up while jobs run: held with the path within two minutes, goes on when there is space", () =>
    fullDiskStory(server, work, disk));
});
