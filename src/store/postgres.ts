import pg from "pg";
import { InvariantError } from "../core/base/errors.ts";
import { makeSql, type Sql, type SqlSession } from "./sql.ts";

const { types } = pg;
const INT8 = 20;
const BYTEA = 17;
const INT8_ARRAY = 1016;

/** Only this pool reads int8 as bigint; the driver's global table stays as it is. */
const PARSERS: Record<number, (text: string) => unknown> = {
  [INT8]: (text) => BigInt(text),
  [INT8_ARRAY]: (text) => (text === "{}" ? [] : text.slice(1, -1).split(",").map(BigInt)),
  [BYTEA]: (text) => new Uint8Array(Buffer.from(text.slice(2), "hex")),
};

/**
 * A pool that outlives its server: broken connections are thrown away and the next statement makes a new one.
 * Errors of idle connections are not ours to handle (the next statement will tell); unheard they would end the
 * process.
 */
export function postgresSql(url: string): Sql {
  const pool = new pg.Pool({
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    // A host that vanished without a word must not hold the loop for ever.
    query_timeout: 120_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    idle_in_transaction_session_timeout: 300_000,
    application_name: "wms2",
    types: {
      getTypeParser: ((oid: number, format?: "text") => PARSERS[oid] ?? types.getTypeParser(oid, format)) as never,
    },
  });
  pool.on("error", () => {});

  return makeSql({
    subject: `PostgreSQL at ${addressOf(url)}`,
    ...session(pool),
    transaction: async (work) => {
      const client = await pool.connect();
      const ignore = (): void => {};
      client.on("error", ignore); // a checked-out connection that drops between two statements
      let broken: Error | undefined;
      try {
        await client.query("BEGIN");
        const result = await work(session(client));
        const commit = await client.query("COMMIT");
        // PostgreSQL answers COMMIT of a failed transaction by rolling back, without an error.
        if (commit.command !== "COMMIT") throw new InvariantError("a failed transaction was committed");
        return result;
      } catch (error) {
        await client.query("ROLLBACK").catch((failure: Error) => {
          broken = failure;
        });
        throw error;
      } finally {
        client.off("error", ignore);
        client.release(broken);
      }
    },
    close: () => pool.end(),
  });
}

const session = (db: pg.Pool | pg.PoolClient): SqlSession => ({
  query: async (text, params) => (await db.query(text, params as unknown[])).rows,
  exec: async (script) => void (await db.query(script)),
});

/** Host and database without user and password. */
function addressOf(url: string): string {
  try {
    const { host, pathname, searchParams } = new URL(url);
    return `${searchParams.get("host") ?? host}${pathname}`;
  } catch {
    return "the configured address";
  }
}
