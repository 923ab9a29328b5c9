import type { Site } from "../domain/dag.ts";
import type { SiteName } from "../domain/names.ts";
import { Table, Where } from "./columns.ts";
import { banStore } from "./site-bans.ts";
import type { Sql } from "./sql.ts";

const SITES = new Table<Site>("sites", "name status cores memory_mb::float8 drain_until note updated_at");

export const siteStore = (sql: Sql) => ({
  ...banStore(sql),

  list: () => SITES.select(sql, "ORDER BY name"),
  get: (name: SiteName) => SITES.find(sql, "WHERE name = $1", [name]),

  /** Adds the sites an engine reports; leaves an operator's status alone. */
  async learn(learned: readonly { name: SiteName; cores: number; memoryMb: number }[], at: Date): Promise<void> {
    await sql.query(
      `INSERT INTO sites (name, cores, memory_mb, updated_at)
       SELECT DISTINCT ON (name) name, cores, memory_mb, $2::timestamptz FROM ${SITES.given("$1")} ORDER BY name
       ON CONFLICT (name) DO UPDATE SET cores = excluded.cores, memory_mb = excluded.memory_mb,
         updated_at = excluded.updated_at
         WHERE (sites.cores, sites.memory_mb) IS DISTINCT FROM (excluded.cores, excluded.memory_mb)`,
      [SITES.json(learned), at],
    );
  },

  async change(
    name: SiteName,
    change: Partial<Pick<Site, "status" | "drainUntil" | "note">>,
    actor: string,
    at: Date,
  ): Promise<boolean> {
    const where = new Where().and("name = ?", name);
    const sets = [...SITES.sets({ ...change, updatedAt: at }, where), `updated_by = ${where.add(actor)}`];
    const changed = await sql.query(`UPDATE sites SET ${sets.join(", ")} ${where} RETURNING 1`, where.values);
    return changed.length > 0;
  },
});
