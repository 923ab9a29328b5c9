import { WorldError } from "../core/base/errors.ts";
import { decodeCursor, encodeCursor, pageOf, Where } from "./columns.ts";
import type { DeskStore, FeedEntry, FeedWanted, Found, RunAround } from "./desk-port.ts";
import type { Sql } from "./sql.ts";

/** Each gives at, key (unique among those of one moment), subject, what, actor, text; `time` is its indexed column. */
const SOURCES: Readonly<Record<string, { kind: FeedEntry["kind"]; time: string; select: string }>> = {
  transition: {
    kind: "transition",
    time: "at",
    select: `'t' || id AS key, request_name AS subject, coalesce(from_status || ' → ', '') || to_status AS what, actor,
      reason AS text FROM transitions WHERE true`,
  },
  action: {
    kind: "action",
    time: "at",
    select: `'a' || id AS key, subject, CASE outcome WHEN 'done' THEN action ELSE action || ' (' || outcome || ')' END AS what,
      actor, reason AS text FROM audit WHERE true`,
  },
  opened: {
    kind: "alert",
    time: "first_at",
    select: `'o' || id AS key, subject, severity AS what, NULL AS actor, message AS text FROM alerts WHERE true`,
  },
  closed: {
    kind: "alert",
    time: "closed_at",
    select: `'c' || id AS key, subject, 'closed' AS what, NULL AS actor, message AS text FROM alerts
      WHERE closed_at IS NOT NULL`,
  },
  banned: {
    kind: "ban",
    time: "created_at",
    select: `'b' || id AS key, site AS subject, CASE WHEN workflow_id IS NULL THEN 'banned' ELSE 'banned for one request' END
      AS what, created_by AS actor, reason AS text FROM site_bans WHERE true`,
  },
  run: {
    kind: "run",
    time: "at",
    select: `'d' || h.id AS key, w.request_name AS subject, h.type AS what, NULL AS actor,
      coalesce(h.detail ->> 'reason', nullif(h.detail ->> 'text', ''), h.detail ->> 'verdict', '') AS text
      FROM dag_history h JOIN dags ON dags.id = h.dag_id JOIN workflows w ON w.id = dags.workflow_id
      WHERE h.type IN ('ended', 'rescue', 'resized')`,
  },
};

/** The engine gives a number before we note the time. */
const NOTED_LATE = "interval '10 minutes'";

export const feedParts = (sql: Sql): Pick<DeskStore, "feed" | "search" | "runsAround"> => ({
  feed: (wanted) => feed(sql, wanted),

  search(text, limit) {
    const part = `%${text.replace(/[\\%_]/g, "\\$&")}%`;
    return sql.query<Found>(
      `(SELECT 'request' AS kind, name, name AS "requestName", status || ', ' || kind AS text FROM requests
        WHERE name ILIKE $1 ORDER BY (name = $2) DESC, created_at DESC LIMIT $3::int)
       UNION ALL
       (SELECT 'site', name, NULL, status FROM sites WHERE name ILIKE $1 ORDER BY name LIMIT $3::int)
       UNION ALL
       (SELECT 'run', dags.id, request_name, dags.status || ', round ' || dags.round || coalesce(', engine ' || engine_id, '')
        FROM dags JOIN workflows ON workflows.id = dags.workflow_id WHERE dags.id = $2 OR engine_id = $2
        ORDER BY dags.created_at DESC LIMIT $3::int)
`,
      [part, text, limit],
    );
  },

  // An engine counts up: a job has a higher number than its run, and was submitted between the runs with the next lower and the next
  // higher one. Those that were in the engine at that time are few, however many there have been.
  runsAround: (number, limit) =>
    sql.query<RunAround>(
      `WITH numbered AS (
         SELECT dags.*, engine_id::bigint AS number FROM dags
         WHERE engine_id ~ '^[0-9]{1,18}$' AND submitted_at IS NOT NULL),
       around AS (
         SELECT engine, max(submitted_at) FILTER (WHERE number <= $1::bigint) AS after,
           min(submitted_at) FILTER (WHERE number > $1::bigint) AS before
         FROM numbered GROUP BY engine)
       SELECT DISTINCT ON (submit_dir) submit_dir AS "submitDir", request_name AS "requestName", numbered.workflow_id AS "workflowId",
         around.after - ${NOTED_LATE} AS since
       FROM numbered JOIN around USING (engine) JOIN workflows ON workflows.id = numbered.workflow_id
       WHERE number < $1::bigint AND (before IS NULL OR submitted_at <= before)
         AND (ended_at IS NULL OR ended_at >= after - ${NOTED_LATE})
       ORDER BY submit_dir, number DESC LIMIT $2::int`,
      [number, limit],
    ),
});

/** Each source reads one page by its own index; the merge sorts those few. */
async function feed(sql: Sql, { since, kinds, subject, limit, cursor }: FeedWanted) {
  const where = new Where();
  const from = cursor === undefined ? null : placeIn(cursor);
  const at = where.add(from?.at ?? since);
  const after = from && where.add(from.key);
  const about = subject === undefined ? null : where.add(subject);
  const most = where.add(limit + 1);
  const parts = Object.values(SOURCES)
    .filter(({ kind }) => !kinds || kinds.includes(kind))
    .map(({ kind, time, select }) => {
      const column = kind === "run" ? `h.${time}` : time;
      return `(SELECT * FROM (SELECT ${column} AS at, '${kind}' AS kind, ${select} AND ${column} >= ${at}::timestamptz) AS one
        WHERE ${after ? `(at, key) > (${at}::timestamptz, ${after}::text)` : "true"} ${about ? `AND subject = ${about}` : ""}
        ORDER BY at, key LIMIT ${most}::int)`;
    });
  const rows = await sql.query<FeedEntry & { key: string }>(
    `SELECT * FROM (${parts.join(" UNION ALL ")}) AS merged ORDER BY at, key LIMIT ${most}::int`,
    where.values,
  );
  return pageOf(rows, limit, (row) => encodeCursor(row.at.toISOString(), row.key));
}

function placeIn(cursor: string): { at: Date; key: string } {
  const [at, key] = decodeCursor(cursor);
  const date = new Date(String(at));
  if (Number.isNaN(date.getTime()) || typeof key !== "string")
    throw new WorldError("bad-usage", "cursor", "the cursor is not one that a page of this list ended with");
  return { at: date, key };
}
