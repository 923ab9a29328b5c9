import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WitnessedRequest } from "../support/crash-story.ts";
import { ServerUnderTest } from "../support/server.ts";
import { tempDir } from "../support/temp-dir.ts";

const server = new ServerUnderTest();
beforeAll(() => server.start());
afterAll(async () => {
  await server.stop();
  await server.remove();
});

test("a request runs on the local engine from submission to registered outputs", async () => {
  const request = new WitnessedRequest(tempDir("request"), "on-local", 5);
  await server.submit(request.document());
  await server.until("on-local", ["completed"], 60);
  request.expectExactlyOnce(join(server.dataDir, "storage"));
  const { items } = await server.get("/requests/on-local/outputs");
  expect(items).toHaveLength(3);
});

test("a missing executable is a clear reason on the request, not a silent wait", async () => {
  const request = new WitnessedRequest(tempDir("request"), "no-program", 1);
  const document = { ...(request.document() as object), steps: [{ name: "gone", run: ["/nowhere/program"] }] };
  await server.submit(document);
  const held = await server.until("no-program", ["held"], 90);
  expect(held.hold.code).toBe("permanent-failures");
  expect(held.hold.message).toMatch(/127/);
});
