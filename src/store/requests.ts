import { InvariantError } from "../core/base/errors.ts";
import type { RequestName } from "../core/names.ts";
import type { RequestFile, RequestSpec, Transition } from "../core/request.ts";
import { canMove, REQUEST_STATUSES, type RequestStatus, TERMINAL_STATUSES } from "../core/request-status.ts";
import { RESTING } from "../core/wait.ts";
import { countBy, json, pageByTime, Where } from "./columns.ts";
import type { Page } from "./page.ts";
import type { RequestStore } from "./port.ts";
import { matching, namesInOrder, WAIT_CODE } from "./request-filter.ts";
import { REQUESTS, type SpecMemory } from "./request-rows.ts";
import { encodeSpec } from "./spec-json.ts";
import type { Sql, SqlParam } from "./sql.ts";

// Written out so that PostgreSQL sees the predicate of the partial index.
export const IS_OPEN = `status NOT IN (${TERMINAL_STATUSES.map((status) => `'${status}'`).join(", ")})`;

/**
 * The names of all versions of $1, along both links: a clone names its predecessor from the beginning, the old one
 * its successor only once it was restarted. Three questions by index for each; UNION ends the walk in a circle.
 */
const CHAIN = `WITH RECURSIVE chain (name, earlier, later) AS (
    SELECT name, previous_version, superseded_by FROM requests WHERE name = $1
    UNION
    SELECT found.* FROM chain c CROSS JOIN LATERAL (
      SELECT name, previous_version, superseded_by FROM requests WHERE name IN (c.earlier, c.later)
      UNION ALL
      SELECT name, previous_version, superseded_by FROM requests WHERE superseded_by = c.name
      UNION ALL
      SELECT name, previous_version, superseded_by FROM requests WHERE previous_version = c.name) found)
  SELECT name FROM chain`;

export const requestStore = (sql: Sql, specs: SpecMemory): RequestStore => ({
  ...submissions(sql),
  ...reads(sql, specs),
  ...changes(sql),
});

type Submissions = Pick<
  RequestStore,
  "create" | "replaceDraft" | "files" | "replaceFiles" | "document" | "keepDocument"
>;

/** What people submit: a request and its files. */
const submissions = (sql: Sql): Submissions => ({
  async create(spec, status, files, actor, at) {
    if (files.length === 0) return insertRequest(sql, spec, status, actor, at);
    return sql.transaction(async (tx) => {
      if (!(await insertRequest(tx, spec, status, actor, at))) return false;
      await insertFiles(tx, spec.name, files);
      return true;
    });
  },

  // As a row of a new number: whoever remembers the spec behind the old one (SpecMemory) reads it again.
  replaceDraft: (spec, files, at) =>
    sql.transaction(async (tx) => {
      const { name, work, requestor, campaign, priority, urgent, productionSteps } = spec;
      const replaced = await tx.query(
        `UPDATE requests SET id = DEFAULT, kind = $2, requestor = $3, campaign = $4, spec = $5::jsonb, priority = $6,
           urgent = $7, production_steps = $8::jsonb, version = version + 1, updated_at = $9
         WHERE name = $1 AND status = 'new' RETURNING name`,
        [name, work.kind, requestor, campaign, json(encodeSpec(spec)), priority, urgent, json(productionSteps), at],
      );
      if (replaced.length === 0) return false;
      await tx.query("DELETE FROM request_files WHERE request_name = $1", [name]);
      await insertFiles(tx, name, files);
      return true;
    }),

  files: (name) =>
    sql.query<RequestFile>(
      "SELECT path, executable, sha256, content FROM request_files WHERE request_name = $1 ORDER BY path",
      [name],
    ),

  async document(name) {
    const [row] = await sql.query<{ document: string }>(
      "SELECT document FROM request_documents WHERE request_name = $1",
      [name],
    );
    return row?.document ?? null;
  },

  async keepDocument(name, document) {
    await sql.query(
      `INSERT INTO request_documents (request_name, document) VALUES ($1, $2)
       ON CONFLICT (request_name) DO UPDATE SET document = excluded.document`,
      [name, document],
    );
  },

  replaceFiles: (name, files) =>
    sql.transaction(async (tx) => {
      await tx.query("DELETE FROM request_files WHERE request_name = $1", [name]);
      await insertFiles(tx, name, files);
    }),
});

async function insertRequest(
  tx: Sql,
  spec: RequestSpec,
  status: RequestStatus,
  actor: string,
  at: Date,
): Promise<boolean> {
  const { name, requestor, campaign, priority, urgent, productionSteps } = spec;
  const created = await tx.query(
    `WITH made AS (
       INSERT INTO requests (name, kind, requestor, campaign, spec, status, priority, urgent, production_steps,
         created_at, updated_at, status_since)
       VALUES ($1, $2, $3, $4, $5::jsonb, $6::text, $7, $8, $9::jsonb, $10::timestamptz, $10, $10)
       ON CONFLICT (name) DO NOTHING RETURNING name),
     told AS (
       INSERT INTO transitions (request_name, to_status, reason, actor, at)
       SELECT name, $6::text, 'created', $11, $10::timestamptz FROM made)
     SELECT name FROM made`,
    [
      name,
      spec.work.kind,
      requestor,
      campaign,
      json(encodeSpec(spec)),
      status,
      priority,
      urgent,
      json(productionSteps),
      at,
      actor,
    ],
  );
  return created.length > 0;
}

async function insertFiles(tx: Sql, name: RequestName, files: readonly RequestFile[]): Promise<void> {
  for (const { path, executable, sha256, content } of files) {
    await tx.query(
      "INSERT INTO request_files (request_name, path, executable, sha256, content) VALUES ($1, $2, $3, $4, $5)",
      [name, path, executable, sha256, content],
    );
  }
}

const reads = (sql: Sql, specs: SpecMemory): Omit<RequestStore, keyof Submissions | keyof Changes> => ({
  get: async (name) => (await specs.records(sql, "WHERE name = $1", [name]))[0] ?? null,

  async list(filter) {
    const { sort = "newest" } = filter;
    if (sort !== "newest") return inOrder(sql, specs, await namesInOrder(sql, filter, sort));
    return pageByTime((rest, params) => specs.records(sql, rest, params), matching(filter), filter, {
      column: "name",
      of: ({ spec }) => spec.name,
    });
  },

  async names(filter) {
    const read = (rest: string, params: readonly SqlParam[]) =>
      sql.query<{ name: RequestName; createdAt: Date }>(
        `SELECT name, created_at AS "createdAt" FROM requests ${rest}`,
        params,
      );
    const key = { column: "name", of: ({ name }: { name: RequestName }) => name };
    const { items, nextCursor } = await pageByTime(read, matching(filter), filter, key);
    return { items: items.map(({ name }) => name), nextCursor };
  },

  versions: (name) => specs.records(sql, `WHERE name IN (${CHAIN}) ORDER BY created_at, name`, [name]),

  open: (which = "all") =>
    specs.records(sql, `WHERE ${IS_OPEN} ${which === "all" ? "" : "AND status <> 'queued'"} ORDER BY created_at, name`),

  countByStatus: () => countBy(sql, "requests", "status"),

  async resting(at) {
    const rows = await sql.query<{ name: RequestName }>(
      `SELECT name FROM requests WHERE status = 'queued' AND waiting ->> 'code' = ANY($1::text[]) AND wish IS NULL AND error IS NULL
         AND coalesce((waiting ->> 'until')::timestamptz > $2::timestamptz, true) AND NOT EXISTS (
           SELECT 1 FROM pending_fills f JOIN workflows w ON w.id = f.workflow_id WHERE w.request_name = requests.name)`,
      [RESTING, at],
    );
    return new Set(rows.map(({ name }) => name));
  },

  countByWait: () => countBy(sql, "requests", WAIT_CODE, new Where().and(`${WAIT_CODE} IS NOT NULL AND ${IS_OPEN}`)),

  transitions: (name) =>
    sql.query<Transition>(
      `SELECT from_status AS "from", to_status AS "to", reason, actor, at FROM transitions
       WHERE request_name = $1 ORDER BY id`,
      [name],
    ),
});

/** The requests of a page of names, in its order. */
async function inOrder(sql: Sql, specs: SpecMemory, { items, nextCursor }: Page<RequestName>) {
  const found = await specs.records(sql, "WHERE name = ANY($1::text[])", [items]);
  const byName = new Map(found.map((record) => [record.spec.name, record]));
  return { items: items.flatMap((name) => byName.get(name) ?? []), nextCursor };
}

type Changes = Pick<RequestStore, "change" | "remark">;

const changes = (sql: Sql): Changes => ({
  // One statement: the row as it was, the update when version and status allow it, and its transition. `seen` reads the
  // statement's snapshot; the update looks at the newest version of the row, so a concurrent change makes it find nothing.
  async change(name, version, { status, ...change }, why) {
    const where = new Where().and("name = ?", name).and("version = ?::int", version);
    const at = `${where.add(why.at)}::timestamptz`;
    const sets = [...REQUESTS.sets(change, where), "version = version + 1", `updated_at = ${at}`];
    let transition = "";
    if (status) {
      const to = `${where.add(status)}::text`;
      where.and(
        "status = ANY(?::text[])",
        REQUEST_STATUSES.filter((from) => canMove(from, status)),
      );
      // What it waited for belonged to the status it leaves.
      sets.push(`status = ${to}`, `status_since = ${at}`, "waiting = NULL");
      transition = `, moved AS (
        INSERT INTO transitions (request_name, from_status, to_status, reason, actor, at)
        SELECT $1, seen.status, ${to}, ${where.add(why.reason)}, ${where.add(why.actor)}, ${at} FROM changed, seen)`;
    }
    const [seen] = await sql.query<{ status: RequestStatus; version: number; changed: boolean }>(
      `WITH seen AS (SELECT status, version FROM requests WHERE name = $1),
       changed AS (UPDATE requests SET ${sets.join(", ")} ${where} RETURNING name)${transition}
       SELECT status, version, EXISTS (SELECT 1 FROM changed) AS changed FROM seen`,
      where.values,
    );
    if (!seen) return false;
    if (!seen.changed && seen.version === version && status && !canMove(seen.status, status))
      throw new InvariantError(`request ${name} cannot move from ${seen.status} to ${status}`, why);
    return seen.changed;
  },

  async remark(name, remark) {
    await REQUESTS.update(sql, remark, new Where().and("name = ?", name));
  },
});
