import { PGlite, type PGliteOptions } from "@electric-sql/pglite";
import { makeSql, type Sql, type SqlSession } from "./sql.ts";

const INT8 = 20;

/**
 * PostgreSQL as a library, in this process. It never calls fsync: a crash of this process (kill -9 included)
 * loses nothing that was committed, a power cut or a crash of the machine may lose the last commits. It has one
 * session, so statements and transactions wait for each other, and a statement blocks the event loop while it
 * runs: keep them short. Two processes on one directory silently lose rows: see disk/lock.ts.
 */
export const openPglite = (options: PGliteOptions): Promise<PGlite> =>
  PGlite.create({ ...options, parsers: { [INT8]: (text: string) => BigInt(text) } });

const session = (db: Pick<PGlite, "query" | "exec">): SqlSession => ({
  query: async (text, params) => (await db.query(text, params as unknown[])).rows,
  exec: async (script) => void (await db.exec(script)),
});

export function pgliteSql(db: PGlite, subject: string): Sql {
  return makeSql({
    subject,
    ...session(db),
    transaction: (work) => db.transaction((tx) => work(session(tx))),
    close: async () => {
      if (!db.closed) await db.close();
    },
  });
}
