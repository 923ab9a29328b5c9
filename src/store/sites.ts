import { invariant } from "../core/base/errors.ts";
import type { Site } from "../core/dag.ts";
import type { BanAnswer, BanRecord } from "../core/operator.ts";
import { json, Table, Where } from "./columns.ts";
import type { NewBan, SiteStore } from "./operator-port.ts";
import type { Sql } from "./sql.ts";

const SITES = new Table<Site>(
  "sites",
  "name status cores memory_mb::float8 drain_until note status_from rses active=isActive updated_at",
);
const BANS = new Table<BanRecord>(
  "site_bans",
  "id site workflow_id reason evidence created_by created_at expires_at removed_at removed_by",
);
const MANY = 1000;

export const siteStore = (sql: Sql): SiteStore => ({
  list: () => SITES.select(sql, "ORDER BY name"),
  get: (name) => SITES.find(sql, "WHERE name = $1", [name]),

  async learn(learned, at) {
    await sql.query(
      `INSERT INTO sites (name, cores, memory_mb, updated_at)
       SELECT DISTINCT ON (name) name, cores, memory_mb, $2::timestamptz FROM ${SITES.given("$1")} ORDER BY name
       ON CONFLICT (name) DO UPDATE SET cores = excluded.cores, memory_mb = excluded.memory_mb,
         updated_at = excluded.updated_at
         WHERE (sites.cores, sites.memory_mb) IS DISTINCT FROM (excluded.cores, excluded.memory_mb)`,
      [SITES.json(learned), at],
    );
  },

  async change(name, { status, ...change }, actor, at) {
    const where = new Where().and("name = ?", name);
    // Enabled by hand is what nobody needs to say: from then on the status source is heard again.
    const said = status && { status, statusFrom: status === "enabled" ? null : ("operator" as const) };
    const wanted = { ...change, ...said, updatedAt: at };
    return (await SITES.update(sql, wanted, where, [`updated_by = ${where.add(actor)}`])) > 0;
  },

  // An operator may have spoken since it was decided: that stays.
  async sync(changes, at) {
    const rows = changes.map(({ what: _, ...site }) => site);
    await sql.query(
      `INSERT INTO sites (name, status, status_from, rses, active, updated_at)
       SELECT name, status, status_from, rses, active, $2::timestamptz FROM ${SITES.given("$1")}
       ON CONFLICT (name) DO UPDATE SET rses = excluded.rses, active = excluded.active, updated_at = excluded.updated_at,
         status = CASE WHEN sites.status_from = 'operator' THEN sites.status ELSE excluded.status END,
         status_from = CASE WHEN sites.status_from = 'operator' THEN 'operator' ELSE excluded.status_from END`,
      [SITES.json(rows), at],
    );
  },

  ban: (ban) => sql.transaction((tx) => banSite(tx, ban)),

  async unban({ site, workflowId }, actor, at) {
    const where = new Where().and("site = ?", site).and("removed_at IS NULL AND expires_at > ?::timestamptz", at);
    if (workflowId !== "all") where.and("workflow_id IS NOT DISTINCT FROM ?::text", workflowId);
    return BANS.update(sql, { removedAt: at, removedBy: actor }, where);
  },

  activeBans: (at) =>
    BANS.select(
      sql,
      "WHERE removed_at IS NULL AND expires_at > $1 AND created_at <= $1 ORDER BY created_at, site, id",
      [at],
    ),

  bans({ sites, includePast, at }) {
    const where = new Where().and("site = ANY(?::text[])", sites);
    if (!includePast) where.and("removed_at IS NULL AND expires_at > ?::timestamptz", at);
    return BANS.select(sql, `${where} ORDER BY created_at DESC, site, id LIMIT ${MANY}`, where.values);
  },
});

/**
 * Whether a ban is active depends on the time, which no unique index can know: instead, those who ban the same site
 * wait for each other at the site's row.
 */
async function banSite(tx: Sql, ban: NewBan): Promise<BanAnswer> {
  const { site, workflowId, reason, evidence, until, actor, at } = ban;
  await tx.query("INSERT INTO sites (name, updated_by, updated_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", [
    site,
    actor,
    at,
  ]);
  await tx.query("SELECT 1 FROM sites WHERE name = $1 FOR NO KEY UPDATE", [site]);
  const active = await BANS.find(
    tx,
    `WHERE site = $1 AND workflow_id IS NOT DISTINCT FROM $2::text AND removed_at IS NULL AND expires_at > $3
     ORDER BY expires_at DESC, id LIMIT 1`,
    [site, workflowId, at],
  );
  if (active && active.expiresAt >= until) return { kind: "already", ban: active };
  const [stored] = active
    ? await tx.query<BanRecord>(
        `UPDATE site_bans SET expires_at = $2, reason = $3, evidence = $4::jsonb WHERE id = $1::uuid
         RETURNING ${BANS.fields}`,
        [active.id, until, reason, json(evidence)],
      )
    : await tx.query<BanRecord>(
        `INSERT INTO site_bans (site, workflow_id, reason, evidence, created_by, created_at, expires_at)
         VALUES ($1, $2, $3, $4::jsonb, $5, $6, $7) RETURNING ${BANS.fields}`,
        [site, workflowId, reason, json(evidence), actor, at, until],
      );
  invariant(stored, `the ban of ${site} vanished`);
  return { kind: active ? "extended" : "banned", ban: stored };
}
