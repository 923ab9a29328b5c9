import { InvariantError } from "../base/errors.ts";
import type { RequestName } from "../domain/names.ts";
import { canMove, REQUEST_STATUSES, type RequestStatus, TERMINAL_STATUSES } from "../domain/request-status.ts";
import { assignments, decodePlace, encodeCursor, json, jsonOrNull, Params, pageOf, same } from "./columns.ts";
import type { RequestChange, RequestFilter, RequestStore } from "./port.ts";
import type { SpecMemory } from "./request-rows.ts";
import { encodeSpec } from "./spec-codec.ts";
import type { Sql } from "./sql.ts";

const CHANGEABLE = {
  priority: ["priority", same<number>],
  urgent: ["urgent", same<boolean>],
  productionSteps: ["production_steps", json],
  hold: ["hold", jsonOrNull],
  wish: ["wish", jsonOrNull],
  supersededBy: ["superseded_by", same<string | null>],
  modifications: ["modifications", jsonOrNull],
  rescuesUsed: ["rescues_used", same<number>],
  outputState: ["output_state", same<string>],
} as const;

// Written out so that PostgreSQL sees the predicate of the partial index.
const IS_OPEN = `status NOT IN (${TERMINAL_STATUSES.map((status) => `'${status}'`).join(", ")})`;

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

export function requestStore(sql: Sql, specs: SpecMemory): RequestStore {
  return {
    create: (spec, status, files, actor, at) =>
      sql.transaction(async (tx) => {
        const created = await tx.query(
          `INSERT INTO requests (name, kind, requestor, campaign, spec, status, priority, urgent, production_steps,
             created_at, updated_at, status_since)
           VALUES ($1, $2, $3, $4, $5::jsonb, $6, $7, $8, $9::jsonb, $10, $10, $10)
           ON CONFLICT (name) DO NOTHING RETURNING name`,
          [
            spec.name,
            spec.kind,
            spec.requestor,
            spec.campaign,
            encodeSpec(spec),
            status,
            spec.priority,
            spec.urgent,
            json(spec.productionSteps),
            at,
          ],
        );
        if (created.length === 0) return false;
        await tx.query(
          "INSERT INTO transitions (request_name, to_status, reason, actor, at) VALUES ($1, $2, 'created', $3, $4)",
          [spec.name, status, actor, at],
        );
        for (const file of files) {
          await tx.query(
            "INSERT INTO request_files (request_name, path, executable, sha256, content) VALUES ($1, $2, $3, $4, $5)",
            [spec.name, file.path, file.executable, file.sha256, file.content],
          );
        }
        return true;
      }),

    get: async (name) => (await specs.records(sql, "WHERE name = $1", [name]))[0] ?? null,

    files: (name) =>
      sql.query("SELECT path, executable, sha256, content FROM request_files WHERE request_name = $1 ORDER BY path", [
        name,
      ]),

    list: async (filter) => {
      const { rest, params } = listClauses(filter);
      return pageOf(
        await specs.records(sql, rest, params.values),
        filter.limit,
        (record) => record,
        ({ createdAt, spec }) => encodeCursor(createdAt.toISOString(), spec.name),
      );
    },

    names: async (filter) => {
      const { rest, params } = listClauses(filter);
      return pageOf(
        await sql.query<{ name: RequestName; createdAt: Date }>(
          `SELECT name, created_at AS "createdAt" FROM requests ${rest}`,
          params.values,
        ),
        filter.limit,
        ({ name }) => name,
        ({ name, createdAt }) => encodeCursor(createdAt.toISOString(), name),
      );
    },

    versions: (name) => specs.records(sql, `WHERE name IN (${CHAIN}) ORDER BY created_at, name`, [name]),

    open: () => specs.records(sql, `WHERE ${IS_OPEN} ORDER BY created_at, name`),

    countByStatus: async () => {
      const rows = await sql.query<{ status: RequestStatus; count: number }>(
        "SELECT status, count(*)::int AS count FROM requests GROUP BY status",
      );
      return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
    },

    change: async (name, version, change, why) => {
      const { text, params } = changeStatement(name, version, change, why);
      const [seen] = await sql.query<{ status: RequestStatus; version: number; changed: boolean }>(text, params.values);
      if (!seen) return false;
      if (!seen.changed && seen.version === version && change.status && !canMove(seen.status, change.status)) {
        throw new InvariantError(`request ${name} cannot move from ${seen.status} to ${change.status}`, why);
      }
      return seen.changed;
    },

    remark: async (name, remark) => {
      const params = new Params();
      const key = params.add(name);
      const sets = assignments(
        remark,
        { error: ["error", jsonOrNull], waiting: ["waiting", same<string | null>] },
        params,
      );
      if (sets.length > 0) await sql.query(`UPDATE requests SET ${sets.join(", ")} WHERE name = ${key}`, params.values);
    },

    transitions: (name) =>
      sql.query(
        `SELECT from_status AS "from", to_status AS "to", reason, actor, at FROM transitions
         WHERE request_name = $1 ORDER BY id`,
        [name],
      ),
  };
}

function listClauses(filter: RequestFilter): { rest: string; params: Params } {
  const params = new Params();
  const where: string[] = [];
  if (filter.status) where.push(`status = ANY(${params.add(filter.status)}::text[])`);
  if (filter.requestor !== undefined) where.push(`requestor = ${params.add(filter.requestor)}`);
  if (filter.campaign !== undefined) where.push(`campaign = ${params.add(filter.campaign)}`);
  if (filter.nameContains) {
    const literal = filter.nameContains.replace(/[\\%_]/g, "\\$&");
    where.push(`name ILIKE ${params.add(`%${literal}%`)}`);
  }
  if (filter.cursor !== undefined) {
    const { at, key } = decodePlace(filter.cursor);
    where.push(`(created_at, name) < (${params.add(at)}::timestamptz, ${params.add(key)}::text)`);
  }
  const rest = `${where.length > 0 ? `WHERE ${where.join(" AND ")}` : ""}
    ORDER BY created_at DESC, name DESC LIMIT ${params.add(filter.limit + 1)}`;
  return { rest, params };
}

/**
 * One statement: the row as it was, the update when version and status allow it, and its transition row. `seen`
 * reads the statement's snapshot; the update itself looks at the newest version of the row, so a concurrent
 * change makes it find nothing, never overwrite.
 */
function changeStatement(
  name: string,
  version: number,
  change: RequestChange,
  why: { reason: string; actor: string; at: Date },
): { text: string; params: Params } {
  const { status, ...rest } = change;
  const params = new Params();
  const key = params.add(name);
  const old = params.add(version);
  const at = `${params.add(why.at)}::timestamptz`;
  const sets = [...assignments(rest, CHANGEABLE, params), "version = version + 1", `updated_at = ${at}`];
  let allowed = "";
  let transition = "";
  if (status) {
    const to = `${params.add(status)}::text`;
    const sources = REQUEST_STATUSES.filter((from) => canMove(from, status));
    sets.push(`status = ${to}`, `status_since = ${at}`);
    allowed = `AND status = ANY(${params.add(sources)}::text[])`;
    transition = `, moved AS (
      INSERT INTO transitions (request_name, from_status, to_status, reason, actor, at)
      SELECT ${key}, seen.status, ${to}, ${params.add(why.reason)}, ${params.add(why.actor)}, ${at}
      FROM changed, seen)`;
  }
  const text = `WITH seen AS (SELECT status, version FROM requests WHERE name = ${key}),
    changed AS (
      UPDATE requests SET ${sets.join(", ")} WHERE name = ${key} AND version = ${old}::int ${allowed} RETURNING name)
    ${transition}
    SELECT status, version, EXISTS (SELECT 1 FROM changed) AS changed FROM seen`;
  return { text, params };
}
