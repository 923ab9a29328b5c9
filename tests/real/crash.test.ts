import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RequestName } from "../../src/core/names.ts";
import { openPostgres } from "../../src/store/open.ts";
import { killAtRandomPoints, WitnessedRequest } from "../support/crash-story.ts";
import { eventually } from "../support/eventually.ts";
import { startPostgres, type TestServer } from "../support/postgres.ts";
import { ServerUnderTest } from "../support/server.ts";
import { tempDir } from "../support/temp-dir.ts";

const seed = Number(process.env.WMS2_SEED ?? Date.now() % 1_000_000);
console.log(`seed ${seed} (repeat with WMS2_SEED=${seed})`);
const story = { seed, files: 4, maxDelayMs: 1200, deadlineSec: 120 };

describe("with the embedded database", () => {
  const server = new ServerUnderTest();
  afterAll(async () => {
    await server.stop();
    await server.remove();
  });

  test("kill -9 of the server at 6 random points: all completes, nothing runs or registers twice", {
    timeout: 240_000,
  }, async () => {
    await killAtRandomPoints(server, tempDir("crash"), { ...story, times: 6 });
  });
});

describe("with PostgreSQL", () => {
  let database: TestServer;
  let server: ServerUnderTest;
  beforeAll(async () => {
    database = await startPostgres();
    server = new ServerUnderTest({ "database.url": database.url });
  });
  afterAll(async () => {
    await server.stop();
    await server.remove();
    await database.remove();
  });

  test("kill -9 of the server at 26 random points: all completes, nothing runs or registers twice", {
    timeout: 300_000,
  }, async () => {
    await killAtRandomPoints(server, tempDir("crash"), { ...story, times: 26 });
    expect(await server.get("/health")).toMatchObject({ status: "ok" });
  });

  test("a local engine of another data directory leaves the run alone; its own takes it up, also one from before engines had names", async () => {
    const request = new WitnessedRequest(tempDir("request"), "two-engines", 4);
    await server.submit(request.document());
    await server.until("two-engines", ["active"], 60);
    await server.stop();
    const store = await openPostgres(database.url);
    const { id, engine } = (await store.workflows.forRequest("two-engines" as RequestName))!;
    expect(engine).toMatch(/^local:[0-9a-f]{8}$/);
    await store.workflows.renameEngine([id], engine ?? "", "local");
    await store.close();

    const other = new ServerUnderTest({ "database.url": database.url });
    await other.start();
    const reason = async () => (await other.get("/requests/two-engines")).waiting?.reason ?? "";
    await eventually("the other server says whose it is", async () =>
      /belongs to the local engine/.test(await reason()),
    );
    await other.stop();
    await other.remove();

    await server.start();
    await server.until("two-engines", ["completed"], 60);
    request.expectExactlyOnce(`${server.dataDir}/storage`);
    expect(server.log()).toContain("engine.adopted");
  });

  test("the database goes away in mid-request: health says so, and all goes on when it is back", async () => {
    const request = new WitnessedRequest(tempDir("request"), "no-database", 6);
    await server.submit(request.document());
    await database.stop();
    const health = () => fetch(`${server.url}/api/v1/health`);
    await eventually("health is false", async () => (await health()).status === 503);
    expect(await (await health()).text()).toMatch(/database|store/);
    await database.start();
    await server.until("no-database", ["completed"], 60);
    request.expectExactlyOnce(`${server.dataDir}/storage`);
    expect((await health()).status).toBe(200);
  });
});
