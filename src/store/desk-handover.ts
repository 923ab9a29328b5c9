import { NEEDS_PERSON } from "../core/wait.ts";
import { Where } from "./columns.ts";
import type {
  DeskStore,
  HappenedGroup,
  HappenedTotal,
  HappenedWanted,
  NeedGroup,
  OpenAlertGroup,
} from "./desk-port.ts";
import { IN_NEED, WAIT_CODE } from "./request-filter.ts";
import type { Sql } from "./sql.ts";

/** What the shift report counts: over all there is, whatever its number; names and texts of a few stand for the others. */
export const handoverParts = (sql: Sql): Pick<DeskStore, "inNeed" | "openAlerts" | "happened"> => ({
  async inNeed(name) {
    const where = new Where().and(IN_NEED, NEEDS_PERSON).and("name = ?", name);
    return sql.query<NeedGroup>(
      `SELECT kind, code, count(*)::int AS count, min(since) AS since, ${first("text", "since, name")} AS text,
         ${firstNames("name", "since, name")} AS names
       FROM (
         SELECT name, CASE status WHEN 'held' THEN 'held' ELSE 'wait' END AS kind,
           CASE status WHEN 'held' THEN hold ->> 'code' ELSE ${WAIT_CODE} END AS code,
           CASE status WHEN 'held' THEN hold ->> 'message' ELSE waiting ->> 'reason' END AS text,
           CASE status WHEN 'held' THEN status_since ELSE (waiting ->> 'since')::timestamptz END AS since
         FROM requests ${where}) AS one
       GROUP BY kind, code ORDER BY count(*) DESC, kind, code`,
      where.values,
    );
  },

  async openAlerts(subject) {
    const where = new Where().and("closed_at IS NULL AND key NOT LIKE 'held:%'").and("subject = ?", subject);
    return sql.query<OpenAlertGroup>(
      `SELECT split_part(key, ':', 1) AS family, severity, acknowledged_by AS actor, count(*)::int AS count,
         min(first_at) AS since, ${first("message", "first_at, id")} AS text,
         ${firstNames("subject", "first_at, id")} AS subjects
       FROM alerts ${where} GROUP BY 1, 2, 3
       ORDER BY array_position(ARRAY['critical', 'warning', 'info'], severity), count(*) DESC, 1, 3`,
      where.values,
    );
  },

  happened: (wanted) => happened(sql, wanted),
});

const NAMED = 10;
const first = (column: string, order: string) => `(array_agg(${column} ORDER BY ${order}))[1]`;
const firstNames = (column: string, order: string) => `(array_agg(${column} ORDER BY ${order}))[1:${NAMED}]`;

/** Where a request stays, by a reason of its own; where it only passes by, the feed has it. */
const UNUSUAL = "to_status IN ('held', 'failed', 'aborted') OR reason LIKE '% left out'";
const PASSING = "to_status IN ('new', 'queued', 'planning', 'partial', 'stopping')";

/**
 * By kind: at, subject, what, who and why. What went as usual has nobody and no reason. A ban that somebody noted is an action, and a
 * request that is held has an alert, too: each is said once.
 */
const SOURCES: Readonly<Record<HappenedGroup["kind"], string>> = {
  transition: `SELECT at, request_name AS subject, to_status AS what, CASE WHEN ${UNUSUAL} THEN actor END AS actor,
      CASE WHEN ${UNUSUAL} THEN reason ELSE '' END AS text, NOT (${UNUSUAL}) AS usual
    FROM transitions WHERE at >= $1::timestamptz AND NOT (${PASSING})`,
  action: `SELECT at, subject, CASE outcome WHEN 'done' THEN action ELSE action || ' (' || outcome || ')' END AS what, actor,
      reason AS text, false AS usual
    FROM audit WHERE at >= $1::timestamptz`,
  alert: `SELECT first_at AS at, subject, severity AS what, NULL AS actor, message AS text, false AS usual
    FROM alerts WHERE first_at >= $1::timestamptz AND key NOT LIKE 'held:%'
    UNION ALL SELECT closed_at, subject, 'closed', NULL, '', true
    FROM alerts WHERE closed_at >= $1::timestamptz AND key NOT LIKE 'held:%'`,
  ban: `SELECT created_at AS at, site AS subject,
      CASE WHEN workflow_id IS NULL THEN 'banned' ELSE 'banned for one request' END AS what, created_by AS actor,
      reason AS text, false AS usual
    FROM site_bans WHERE created_at >= $1::timestamptz AND NOT EXISTS (
      SELECT 1 FROM audit WHERE subject = site AND audit.at = created_at AND action IN ('ban', 'banned', 'promoted'))`,
  run: `SELECT h.at, w.request_name AS subject, h.type AS what, NULL AS actor,
      coalesce(h.detail ->> 'reason', h.detail ->> 'text', '') AS text, true AS usual
    FROM dag_history h JOIN dags ON dags.id = h.dag_id JOIN workflows w ON w.id = dags.workflow_id
    WHERE h.at >= $1::timestamptz AND h.type IN ('ended', 'rescue', 'resized')`,
};

/** Reasons that differ only in numbers and in the name of what they are about are one. */
async function happened(sql: Sql, { since, kinds, subject, most }: HappenedWanted) {
  const where = new Where();
  where.add(since);
  const about = subject === undefined ? "" : `WHERE subject = ${where.add(subject)}`;
  const parts = Object.entries(SOURCES)
    .filter(([kind]) => !kinds || kinds.includes(kind as HappenedGroup["kind"]))
    .map(([kind, source]) => `SELECT '${kind}' AS kind, one.* FROM (${source}) AS one ${about}`);
  const every = parts.join(" UNION ALL ");
  const totals = await sql.query<HappenedTotal>(
    `SELECT kind, what, count(*)::int AS count, count(DISTINCT subject)::int AS subjects
     FROM (${every}) AS every GROUP BY kind, what ORDER BY kind, what`,
    where.values,
  );
  const groups = await sql.query<HappenedGroup>(
    `SELECT * FROM (
       SELECT *, row_number() OVER (PARTITION BY kind, usual ORDER BY count DESC, "lastAt" DESC, what, text) AS place,
         (count(*) OVER (PARTITION BY kind))::int AS "linesOfKind"
       FROM (
         SELECT kind, what, actor, usual, count(*)::int AS count, min(at) AS "firstAt", max(at) AS "lastAt",
           ${first("text", "at DESC, subject")} AS text, count(DISTINCT text)::int AS texts,
           (array_agg(DISTINCT subject))[1:${NAMED}] AS subjects, count(DISTINCT subject)::int AS "subjectsTotal"
         FROM (${every}) AS every
         GROUP BY kind, what, actor, usual, regexp_replace(replace(text, subject, ''), '[0-9]+', '#', 'g')) AS grouped
       ) AS placed WHERE place <= ${where.add(most)}::int ORDER BY kind, usual, place`,
    where.values,
  );
  return { groups, totals };
}
