import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WorldError } from "../../src/core/base/errors.ts";
import { MIGRATIONS_DIR, migrate, readMigrations } from "../../src/store/migrate.ts";
import { openPostgres } from "../../src/store/open.ts";
import { postgresSql } from "../../src/store/postgres.ts";
import { lacksPostgres, startPostgres, type TestServer } from "../support/postgres.ts";
import { storeContract } from "../support/store-contract.ts";
import { testStore } from "../support/store-embedded.ts";
import { at, sampleSpec } from "../support/store-fixtures.ts";
import { describeSchema } from "../support/store-schema.ts";

describe.skipIf(lacksPostgres())("PostgreSQL", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.remove());

  storeContract("the store on PostgreSQL", async () => {
    const sql = postgresSql(server.url);
    await migrate(sql, await readMigrations());
    return testStore(sql, () => sql.close());
  });

  it("has the schema of migrations/schema.sql", async () => {
    const sql = postgresSql(server.url);
    await migrate(sql, await readMigrations());
    expect(await describeSchema(sql)).toBe(await readFile(join(MIGRATIONS_DIR, "schema.sql"), "utf8"));
    await sql.close();
  });

  it("servers that start together migrate once", async () => {
    const stores = await Promise.all([1, 2, 3, 4].map(() => openPostgres(server.url)));
    await Promise.all(stores.map((store) => store.ping()));
    await Promise.all(stores.map((store) => store.close()));
  });

  it("says so when the server is stopped, and works again when it is back", async () => {
    const store = await openPostgres(server.url);
    const unreachable = async (work: Promise<unknown>) => {
      const error = await work.then(
        () => null,
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(WorldError);
      expect(error).toMatchObject({ code: "store-unreachable" });
      expect((error as WorldError).cause).toBeInstanceOf(Error);
      expect((error as WorldError).message).not.toContain("wms2@");
    };
    try {
      await store.requests.create(sampleSpec("before"), "queued", [], "ada", at(0));
      // In the middle of a transaction.
      await unreachable(
        store.transaction(async (tx) => {
          await tx.requests.create(sampleSpec("during"), "queued", [], "ada", at(0));
          await server.stop();
          await tx.requests.create(sampleSpec("after"), "queued", [], "ada", at(0));
        }),
      );
      await unreachable(store.ping());
      await unreachable(store.requests.open());
      await unreachable(store.transaction((tx) => tx.ping()));
      await unreachable(openPostgres(server.url));
      await server.start();
      const names = (await store.requests.list({ limit: 10 })).items.map(({ spec }) => spec.name);
      expect(names).toContain("before");
      expect(names).not.toContain("during");
      // Stopped and started while nobody looked: the pool finds out by itself.
      await server.stop();
      await server.start();
      await store.ping();
      // Cut off inside a transaction, between two statements, with nobody listening.
      await unreachable(
        store.transaction(async (tx) => {
          await tx.ping();
          await server.stop();
          await server.start();
          await new Promise((resolve) => setTimeout(resolve, 50));
        }),
      );
      await store.ping();
    } finally {
      await server.start().catch(() => {});
      await store.close();
    }
  });

  it("names the address but never the password", async () => {
    const error = await openPostgres("postgres://ada:secret@127.0.0.1:1/db").catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "store-unreachable", subject: "PostgreSQL at 127.0.0.1:1/db" });
    expect(String(error)).not.toContain("secret");
  });
});
