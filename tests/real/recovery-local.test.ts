import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { MisfortuneRequest } from "../support/recovery-request.ts";
import { expectEnds, FIRST, LATER, liveThrough, QUICK } from "../support/recovery-stories.ts";
import { ServerUnderTest } from "../support/server.ts";
import { tempDir } from "../support/temp-dir.ts";

const server = new ServerUnderTest({
  ...QUICK,
  "engine.local.sites": ["T2_XX_Alpha", "T2_XX_Beta"].map((name) => ({ name, cores: 8, memory_mb: 4000 })),
});
beforeAll(() => server.start());
afterAll(async () => {
  await server.stop();
  server.remove();
});

test("every misfortune ends as the table says, and the ledger tells why", async () => {
  const work = tempDir("misfortunes");
  const request = new MisfortuneRequest(work, join(server.dataDir, "spool"), "misfortunes", FIRST, LATER);
  await liveThrough(server, request, { killedPost: async () => {}, deadlineSec: 50 });
  await expectEnds(request, 1.05);
});
