import type { RequestName, UnitName } from "../core/names.ts";
import { json, Where } from "./columns.ts";
import type { CauseFilter, CauseRow, DeskStore, FailureLook, SiteHour, SiteRate } from "./desk-port.ts";
import { IS_OPEN } from "./requests.ts";
import type { Sql } from "./sql.ts";

/** What is not known is "" in the tables, so that it can be part of a key. */
const blank = (value: string | null): string => value ?? "";
const NAMED = 20;
/** Attempts of earlier days are for the history of sites only. */
const HOURS_KEPT = "7 days";

/** Those that have a run whose failures say something; the rest of the open ones are about to get another. */
const FAILS_NOW = "r.status IN ('active', 'partial', 'stopping', 'resubmitting', 'held')";

/** As whoever looks writes it (operators/watch-failures.ts). */
const STAMP = `concat_ws(' ', d.id, d.status, d.nodes ->> 'done', d.nodes ->> 'failed', d.nodes ->> 'held')`;

export const failureParts = (
  sql: Sql,
): Pick<
  DeskStore,
  "lastLooks" | "oldestLook" | "keepLook" | "lookAgain" | "causes" | "siteRates" | "siteHours" | "unitEnds"
> => ({
  async lastLooks() {
    const rows = await sql.query<{ name: RequestName; stamp: string; lookedAt: Date }>(
      `SELECT request_name AS name, stamp, looked_at AS "lookedAt" FROM failure_looks
       JOIN requests ON name = request_name WHERE ${IS_OPEN}`,
    );
    return new Map(rows.map(({ name, ...look }) => [name, look]));
  },

  // A look at a run in which nothing ended since is as good as one now.
  async oldestLook(now) {
    const [found] = await sql.query<{ at: Date | null }>(
      `SELECT min(CASE WHEN stamp = ${STAMP} THEN $1::timestamptz ELSE looked_at END) AS at
       FROM failure_looks l JOIN requests r ON r.name = l.request_name
       JOIN workflows w ON w.request_name = r.name JOIN dags d ON d.id = w.current_dag_id WHERE ${FAILS_NOW}`,
      [now],
    );
    return found?.at ?? null;
  },

  keepLook: (name, look, at) => sql.transaction((tx) => keepLook(tx, name, look, at)),
  async lookAgain(name) {
    await sql.query("UPDATE failure_looks SET stamp = '' WHERE request_name = $1", [name]);
  },
  causes: (wanted) => findCauses(sql, wanted),
  siteRates: (wanted) => findRates(sql, wanted),

  async unitEnds(workflowId) {
    const [found] = await sql.query<{ rows: readonly (readonly [UnitName, string | null, number])[] | null }>(
      `SELECT json_agg(json_build_array(name, site, extract(epoch FROM finished_at))) AS rows
       FROM work_units WHERE workflow_id = $1`,
      [workflowId],
    );
    return new Map(
      (found?.rows ?? []).map(([name, site, sec]) => [name, { site, finishedAt: new Date(Number(sec) * 1000) }]),
    );
  },

  siteHours: (since) =>
    sql.query<SiteHour>(
      `SELECT site, hour, sum(done)::int AS done, sum(failed)::int AS failed, sum(blamed)::int AS blamed,
         sum(busy_sec)::int AS "busySec"
       FROM site_hours WHERE hour >= $1::timestamptz GROUP BY site, hour ORDER BY site, hour`,
      [since],
    ),
});

async function keepLook(
  tx: Sql,
  name: RequestName,
  { stamp, failing, rows, hours }: FailureLook,
  at: Date,
): Promise<void> {
  await tx.query("DELETE FROM request_failures WHERE request_name = $1", [name]);
  await tx.query(
    `INSERT INTO request_failures SELECT * FROM json_populate_recordset(NULL::request_failures, $1::json)`,
    [
      json(
        rows.map(({ exitCode, rule, cause, category, site, file, firstAt, lastAt, ...row }) => ({
          ...row,
          request_name: name,
          exit_code: exitCode,
          rule: blank(rule),
          cause: blank(cause),
          category,
          site: blank(site),
          file: blank(file),
          first_at: firstAt,
          last_at: lastAt,
        })),
      ),
    ],
  );
  await tx.query(
    `WITH old AS (DELETE FROM site_hours WHERE hour < $2::timestamptz - interval '${HOURS_KEPT}')
     INSERT INTO site_hours SELECT * FROM json_populate_recordset(NULL::site_hours, $1::json)
     ON CONFLICT (request_name, site, hour) DO UPDATE
       SET done = excluded.done, failed = excluded.failed, blamed = excluded.blamed, busy_sec = excluded.busy_sec`,
    [json(hours.map(({ busySec, ...hour }) => ({ ...hour, busy_sec: busySec, request_name: name }))), at],
  );
  await tx.query(
    `INSERT INTO failure_looks (request_name, stamp, looked_at, failing) VALUES ($1, $2, $3, $4)
     ON CONFLICT (request_name) DO UPDATE
       SET stamp = excluded.stamp, looked_at = excluded.looked_at, failing = excluded.failing`,
    [name, stamp, at, failing],
  );
}

/** Failures of those that fail now, on `f` and `r`. */
function failing({ site, code, overSince }: Omit<CauseFilter, "limit">): Where {
  const where = new Where().and("f.site = ?", site).and("exit_code = ?::int", code);
  return overSince === undefined
    ? where.and(FAILS_NOW)
    : where.and(
        `(${FAILS_NOW} OR (r.status IN ('failed', 'aborted') AND r.status_since >= ?::timestamptz))`,
        overSince,
      );
}

const KIND = "exit_code, rule, cause, category";

async function findRates(sql: Sql, wanted: Omit<CauseFilter, "limit" | "site">): Promise<readonly SiteRate[]> {
  const where = failing(wanted);
  return sql.query<SiteRate>(
    `WITH failing AS MATERIALIZED (
       SELECT f.* FROM request_failures f JOIN requests r ON r.name = f.request_name ${where}),
     good AS MATERIALIZED (
       SELECT request_name, site, sum(done) AS done FROM site_hours
       WHERE request_name IN (SELECT request_name FROM failing) GROUP BY 1, 2)
     SELECT exit_code AS "exitCode", nullif(rule, '') AS rule, nullif(cause, '') AS cause, category, site,
       sum(failed)::int AS failed, sum(done)::int AS done
     FROM (
       SELECT ${KIND}, site, failures + retrying AS failed, 0 AS done FROM failing
       UNION ALL
       SELECT ${KIND}, good.site, 0, good.done
       FROM (SELECT DISTINCT ${KIND}, request_name FROM failing) AS kinds JOIN good USING (request_name)) AS places
     WHERE site <> '' GROUP BY ${KIND}, site`,
    where.values,
  );
}

async function findCauses(sql: Sql, { limit, apart, ...wanted }: CauseFilter): Promise<CauseRow[]> {
  const where = failing(wanted);
  // Whoever asks for one site has all that is told there.
  const sites = json(
    (apart ?? []).map(({ exitCode, rule, cause, category, site }) => [
      String(exitCode),
      blank(rule),
      blank(cause),
      category,
      site,
    ]),
  );
  const at =
    wanted.site === undefined && apart !== undefined
      ? `CASE WHEN ${where.add(sites)}::jsonb @> jsonb_build_array(jsonb_build_array(exit_code::text, rule, cause, category, f.site))
           THEN f.site ELSE '' END`
      : "f.site";
  const [found] = await sql.query<{
    rows: readonly (CauseRow & { firstAt: string | null; lastAt: string | null })[] | null;
  }>(
    `SELECT json_agg(one) AS rows FROM (
       SELECT exit_code AS "exitCode", nullif(rule, '') AS rule, nullif(cause, '') AS cause, category,
         nullif(place, '') AS site, nullif(file, '') AS file, sum(failures)::int AS failures,
         sum(retrying)::int AS retrying, sum(unclassified)::int AS unclassified, sum(units)::int AS units,
         min(first_at) AS "firstAt", max(last_at) AS "lastAt", count(*)::int AS requests,
         (array_agg(name ORDER BY failures DESC, name))[1:${NAMED}] AS names,
         array_agg(DISTINCT kind) AS kinds, (count(*) FILTER (WHERE status = 'held'))::int AS held,
         (array_agg(example || jsonb_build_object('requestName', name) ORDER BY failures DESC, name))[1] AS example
       FROM (
         SELECT ${KIND}, ${at} AS place, file, r.name, r.kind, r.status, sum(failures) AS failures,
           sum(retrying) AS retrying, sum(unclassified) AS unclassified, sum(units) AS units,
           min(first_at) AS first_at, max(last_at) AS last_at, (array_agg(example ORDER BY failures DESC))[1] AS example
         FROM request_failures f JOIN requests r ON r.name = f.request_name ${where}
         GROUP BY ${KIND}, place, file, r.name, r.kind, r.status) AS each
       GROUP BY ${KIND}, place, file
       ORDER BY sum(failures) DESC, exit_code, place, file LIMIT ${where.add(limit)}) AS one`,
    where.values,
  );
  const time = (at: string | Date | null) => (at === null ? null : new Date(at));
  return (found?.rows ?? []).map((row) => ({ ...row, firstAt: time(row.firstAt), lastAt: time(row.lastAt) }));
}
