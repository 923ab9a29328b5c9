import { PGlite, type PGliteOptions } from "@electric-sql/pglite";
import { turn } from "../core/base/slices.ts";
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

/** It answers without ever leaving the present turn of the event loop: a thousand statements in a row would keep others waiting. */
const session = (db: Pick<PGlite, "query" | "exec">): SqlSession => ({
  query: async (text, params) => {
    await turn();
    return (await db.query(text, params as unknown[])).rows;
  },
  exec: async (script) => void (await db.exec(script)),
});

/** One after the other, and each looks whose turn it is when its own has come, not when it was asked for. */
function inOrder() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
}

export function pgliteSql(db: PGlite, subject: string): Sql {
  const own = session(db);
  const order = inOrder();
  return makeSql({
    subject,
    query: (text, params) => order(() => own.query(text, params)),
    exec: (script) => order(() => own.exec(script)),
    transaction: (work) => order(() => db.transaction((tx) => work(session(tx)))),
    close: async () => {
      if (!db.closed) await db.close();
    },
  });
}
