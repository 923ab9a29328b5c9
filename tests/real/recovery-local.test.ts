import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { MisfortuneRequest } from "../support/recovery-request.ts";
import { expectEnds, FIRST, failAlike, LATER, liveThrough, QUICK } from "../support/recovery-stories.ts";
import { ServerUnderTest } from "../support/server.ts";

const server = new ServerUnderTest({
  ...QUICK,
  "engine.local.sites": ["T2_XX_Alpha", "T2_XX_Beta"].map((name) => ({ name, cores: 8, memory_mb: 4000 })),
});
const work = mkdtempSync(join(tmpdir(), "wms2-misfortunes-"));
beforeAll(() => server.start());
afterAll(async () => {
  await server.stop();
  await server.remove();
  rmSync(work, { recursive: true, force: true });
});

test.concurrent("every misfortune ends as the table says, and the ledger tells why", async () => {
  const request = new MisfortuneRequest(work, join(server.dataDir, "spool"), "misfortunes", FIRST, LATER);
  await liveThrough(server, request, { killedPost: async () => {}, deadlineSec: 50 });
  await expectEnds(request, "local");
});

test.concurrent("nodes that fail alike for good end their unit early, and no other", () => failAlike(server, work, 50));
