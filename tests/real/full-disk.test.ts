import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "vitest";
import { fullDiskStory, lostUnitStory } from "../support/disk-stories.ts";
import { fullDiskGraphStory } from "../support/graph-stories.ts";
import { ServerUnderTest } from "../support/server.ts";
import { SmallDisk } from "../support/small-disk.ts";
import { tempDir } from "../support/temp-dir.ts";

const place = mkdtempSync(join(tmpdir(), "wms2-small-disk-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));

describe.runIf(SmallDisk.canBe(join(place, "try")))("a disk of its own for the submit directories", () => {
  const disk = new SmallDisk(join(place, "spool"));
  const server = new ServerUnderTest({ spool_dir: disk.path, "lifecycle.disk_patience_sec": 3 });
  beforeAll(() => server.start());
  afterAll(async () => {
    await server.stop();
    await server.remove();
    disk.remove();
  });

  test("fills up while jobs run: held with the path, goes on when there is space", { timeout: 180_000 }, () =>
    fullDiskStory(server, tempDir("level2"), disk),
  );
  test("fills up under a graph: held with the path, and nothing runs twice", { timeout: 180_000 }, () =>
    fullDiskGraphStory(server, tempDir("level2"), disk),
  );
  test("loses a unit that has yet to run: held by name, planned again", { timeout: 180_000 }, () =>
    lostUnitStory(server, tempDir("level2")),
  );
});
