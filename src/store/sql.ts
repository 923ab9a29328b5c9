import { AsyncLocalStorage } from "node:async_hooks";
import { InvariantError, invariant } from "../core/base/errors.ts";
import { translateSqlError } from "./sql-errors.ts";

/**
 * The whole of what the store asks of a database, and the rules both drivers share:
 *  - parameters are made plain text (Date, bigint) before a driver sees them, so both send the same;
 *  - int8 comes back as bigint, timestamptz as Date, json and jsonb parsed, bytea as Uint8Array;
 *  - a transaction inside a transaction joins it;
 *  - inside a transaction, the database outside of it may not be used: with one session (PGlite) that would
 *    wait for itself for ever, with several it would silently not be part of the transaction.
 */
export interface Sql {
  query<Row>(text: string, params?: readonly SqlParam[]): Promise<readonly Row[]>;
  /** Runs a script of several statements, without parameters. */
  exec(script: string): Promise<void>;
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export type SqlParam =
  | string
  | number
  | bigint
  | boolean
  | Date
  | Uint8Array
  | null
  | readonly (string | number | bigint)[];

/** What a driver has to give: the rest is done here, once. */
export interface SqlSession {
  query(text: string, params: readonly unknown[]): Promise<readonly unknown[]>;
  exec(script: string): Promise<void>;
}
interface SqlDriver extends SqlSession {
  /** For messages: "PostgreSQL at db.example:5432", "embedded database in /data". */
  readonly subject: string;
  /** Begins, runs, commits; rolls back when `work` throws. */
  transaction<T>(work: (session: SqlSession) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export function makeSql(driver: SqlDriver): Sql {
  const inside = new AsyncLocalStorage<{ open: boolean }>();
  const outside = (): void => {
    invariant(!inside.getStore()?.open, "inside a transaction, use the store the transaction was given");
  };
  const plain = sessionOf(driver, driver.subject);
  return {
    query: async (text, params) => {
      outside();
      return plain.query(text, params);
    },
    exec: async (script) => {
      outside();
      return plain.exec(script);
    },
    transaction: async (work) => {
      outside();
      let thrown: { error: unknown } | null = null;
      const scope = { open: true };
      try {
        return await driver.transaction((session) =>
          inside.run(scope, async () => {
            try {
              return await work(joined(sessionOf(session, driver.subject)));
            } catch (error) {
              thrown = { error };
              throw error;
            } finally {
              scope.open = false;
            }
          }),
        );
      } catch (error) {
        // What `work` threw is its own affair; only begin and commit are ours to explain.
        throw thrown ? (thrown as { error: unknown }).error : translateSqlError(error, driver.subject, "commit");
      }
    },
    close: () => driver.close(),
  };
}

type Session = Pick<Sql, "query" | "exec">;

function sessionOf(session: SqlSession, subject: string): Session {
  return {
    query: async <Row>(text: string, params: readonly SqlParam[] = []) => {
      try {
        return (await session.query(text, params.map(plainParam))) as readonly Row[];
      } catch (error) {
        throw translateSqlError(error, subject, text);
      }
    },
    exec: async (script) => {
      try {
        await session.exec(script);
      } catch (error) {
        throw translateSqlError(error, subject, script.slice(0, 200));
      }
    },
  };
}

function joined(session: Session): Sql {
  const sql: Sql = {
    ...session,
    transaction: (work) => work(sql),
    close: () => Promise.reject(new InvariantError("a transaction cannot be closed")),
  };
  return sql;
}

/** Text cannot hold NUL; words from outside (log tails, error messages) sometimes do. */
function plainParam(param: SqlParam): unknown {
  if (typeof param === "string") return param.includes("\0") ? param.replaceAll("\0", "\uFFFD") : param;
  if (typeof param === "bigint") return param.toString();
  if (param instanceof Date) return param.toISOString();
  if (Array.isArray(param)) return param.map(plainParam);
  return param;
}
