import { invariant } from "../base/errors.ts";
import type { BanRecord } from "../domain/operator.ts";
import { json, Params } from "./columns.ts";
import type { SiteStore } from "./port.ts";
import type { Sql, SqlParam } from "./sql.ts";

const BAN = `id, site, workflow_id AS "workflowId", reason, evidence, created_by AS "createdBy",
  created_at AS "createdAt", expires_at AS "expiresAt", removed_at AS "removedAt", removed_by AS "removedBy"`;
const MANY = 1000;

type BanStore = Pick<SiteStore, "ban" | "unban" | "activeBans" | "bans" | "countActiveWorkflowBans">;

export function banStore(sql: Sql): BanStore {
  const select = (rest: string, params: readonly SqlParam[]) =>
    sql.query<BanRecord>(`SELECT ${BAN} FROM site_bans ${rest}`, params);
  return {
    ban: (ban) => sql.transaction((tx) => banSite(tx, ban)),

    unban: async ({ site, workflowId }, actor, at) => {
      const params = new Params();
      const time = `${params.add(at)}::timestamptz`;
      const where = [`site = ${params.add(site)}`, "removed_at IS NULL", `expires_at > ${time}`];
      if (workflowId !== "all") where.push(`workflow_id IS NOT DISTINCT FROM ${params.add(workflowId)}::text`);
      const lifted = await sql.query(
        `UPDATE site_bans SET removed_at = ${time}, removed_by = ${params.add(actor)}
         WHERE ${where.join(" AND ")} RETURNING 1`,
        params.values,
      );
      return lifted.length;
    },

    activeBans: (at) =>
      select("WHERE removed_at IS NULL AND expires_at > $1 AND created_at <= $1 ORDER BY created_at, site, id", [at]),

    bans: ({ sites, workflowId, includePast, at, limit }) => {
      const params = new Params();
      const where: string[] = ["true"];
      if (sites) where.push(`site = ANY(${params.add(sites)}::text[])`);
      if (workflowId !== undefined) where.push(`workflow_id IS NOT DISTINCT FROM ${params.add(workflowId)}::text`);
      if (!includePast) where.push("removed_at IS NULL", `expires_at > ${params.add(at)}::timestamptz`);
      return select(
        `WHERE ${where.join(" AND ")} ORDER BY created_at DESC, site, id LIMIT ${params.add(limit ?? MANY)}`,
        params.values,
      );
    },

    countActiveWorkflowBans: async (site, at) => {
      const [found] = await sql.query<{ count: number }>(
        `SELECT count(DISTINCT workflow_id)::int AS count FROM site_bans
         WHERE site = $1 AND removed_at IS NULL AND expires_at > $2`,
        [site, at],
      );
      return found?.count ?? 0;
    },
  };
}

/**
 * Whether a ban is active depends on the time, which no unique index can know: instead, those who ban the same site
 * wait for each other at the site's row.
 */
async function banSite(tx: Sql, ban: Parameters<SiteStore["ban"]>[0]): ReturnType<SiteStore["ban"]> {
  const { site, workflowId, reason, evidence, until, actor, at } = ban;
  await tx.query("INSERT INTO sites (name, updated_by, updated_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", [
    site,
    actor,
    at,
  ]);
  await tx.query("SELECT 1 FROM sites WHERE name = $1 FOR NO KEY UPDATE", [site]);
  const [active] = await tx.query<BanRecord>(
    `SELECT ${BAN} FROM site_bans WHERE site = $1 AND workflow_id IS NOT DISTINCT FROM $2::text
       AND removed_at IS NULL AND expires_at > $3 ORDER BY expires_at DESC, id LIMIT 1`,
    [site, workflowId, at],
  );
  if (active && active.expiresAt >= until) return { kind: "already", ban: active };
  const [stored] = active
    ? await tx.query<BanRecord>(
        `UPDATE site_bans SET expires_at = $2, reason = $3, evidence = $4::jsonb WHERE id = $1::uuid RETURNING ${BAN}`,
        [active.id, until, reason, json(evidence)],
      )
    : await tx.query<BanRecord>(
        `INSERT INTO site_bans (site, workflow_id, reason, evidence, created_by, created_at, expires_at)
         VALUES ($1, $2, $3, $4::jsonb, $5, $6, $7) RETURNING ${BAN}`,
        [site, workflowId, reason, json(evidence), actor, at, until],
      );
  invariant(stored, `the ban of ${site} vanished`);
  return { kind: active ? "extended" : "banned", ban: stored };
}
