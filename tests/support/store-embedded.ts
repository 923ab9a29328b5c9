import { migrate, readMigrations } from "../../src/store/migrate.ts";
import { openPglite, pgliteSql } from "../../src/store/pglite.ts";
import type { Store } from "../../src/store/port.ts";
import { emptyDatabase } from "../../src/store/snapshot.ts";
import type { Sql } from "../../src/store/sql.ts";
import { openStore } from "../../src/store/store.ts";

export interface TestStore extends Store {
  readonly sql: Sql;
  /** Empties every table. */
  reset(): Promise<void>;
}

let opened: Promise<TestStore> | null = null;

/**
 * A real store, empty, in memory. One database per test file: the first call opens it (half a second), later
 * ones empty it (some milliseconds). `close` leaves it open for the next test; it goes with the process.
 */
export async function freshStore(): Promise<TestStore> {
  if (opened) {
    const store = await opened;
    await store.reset();
    return store;
  }
  opened = open();
  return opened;
}

async function open(): Promise<TestStore> {
  const migrations = await readMigrations();
  const db = await openPglite({ dataDir: "memory://", loadDataDir: await emptyDatabase(migrations) });
  const sql = pgliteSql(db, "the test's database");
  await migrate(sql, migrations);
  return testStore(sql, async () => {});
}

export function testStore(sql: Sql, close: () => Promise<void>): TestStore {
  return { ...openStore(sql), sql, close, reset: () => emptyTables(sql) };
}

/** DELETE is twenty times quicker than TRUNCATE on tables of a few rows, which is what tests have. */
async function emptyTables(sql: Sql): Promise<void> {
  await sql.exec(`
    UPDATE workflows SET current_dag_id = NULL;
    DELETE FROM audit; DELETE FROM alert_deliveries; DELETE FROM node_actions; DELETE FROM abandoned_units;
    DELETE FROM site_bans; DELETE FROM sites; DELETE FROM alerts; DELETE FROM settings; DELETE FROM leases;
    DELETE FROM operator_tokens; DELETE FROM file_units; DELETE FROM input_files; DELETE FROM unit_outputs;
    DELETE FROM work_units; DELETE FROM output_blocks; DELETE FROM imports; DELETE FROM pending_fills; DELETE FROM segment_nodes;
    DELETE FROM processing_blocks; DELETE FROM engine_intents; DELETE FROM dag_history; DELETE FROM dags;
    DELETE FROM workflows; DELETE FROM transitions; DELETE FROM request_files; DELETE FROM requests;`);
}
