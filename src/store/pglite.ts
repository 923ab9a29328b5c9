import { PGlite, type PGliteOptions } from "@electric-sql/pglite";
import { makeTurn } from "../base/slices.ts";
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

type Turn = ReturnType<typeof makeTurn>;

/** It answers without ever leaving the present turn of the event loop: a thousand statements in a row would keep others waiting. */
const session = (db: Pick<PGlite, "query" | "exec">, turn: Turn): SqlSession => ({
  query: async (text, params) => {
    await turn();
    return (await db.query(text, params as unknown[])).rows;
  },
  exec: async (script) => void (await db.exec(script)),
});

export function pgliteSql(db: PGlite, subject: string): Sql {
  const turn = makeTurn();
  return makeSql({
    subject,
    ...session(db, turn),
    transaction: (work) => db.transaction((tx) => work(session(tx, turn))),
    close: async () => {
      if (!db.closed) await db.close();
    },
  });
}
