import type { Site } from "../domain/dag.ts";
import { assignments, json, Params, same } from "./columns.ts";
import type { SiteStore } from "./port.ts";
import { banStore } from "./site-bans.ts";
import type { Sql, SqlParam } from "./sql.ts";

const SITE = `name, status, cores, memory_mb AS "memoryMb", drain_until AS "drainUntil", note, updated_at AS "updatedAt"`;
const CHANGEABLE = {
  status: ["status", same<string>],
  drainUntil: ["drain_until", same<Date | null>],
  note: ["note", same<string | null>],
} as const;

export function siteStore(sql: Sql): SiteStore {
  const sites = async (rest: string, params: readonly SqlParam[] = []): Promise<readonly Site[]> => {
    const rows = await sql.query<Omit<Site, "memoryMb"> & { memoryMb: bigint | null }>(
      `SELECT ${SITE} FROM sites ${rest}`,
      params,
    );
    return rows.map((row) => ({ ...row, memoryMb: row.memoryMb === null ? null : Number(row.memoryMb) }));
  };
  return {
    ...banStore(sql),
    list: () => sites("ORDER BY name"),
    get: async (name) => (await sites("WHERE name = $1", [name]))[0] ?? null,
    learn: async (learned, at) => {
      await sql.query(
        `INSERT INTO sites (name, cores, memory_mb, updated_at)
         SELECT DISTINCT ON (name) name, cores, "memoryMb", $2::timestamptz
         FROM json_to_recordset($1::json) AS g (name text, cores int, "memoryMb" bigint) ORDER BY name
         ON CONFLICT (name) DO UPDATE SET cores = excluded.cores, memory_mb = excluded.memory_mb,
           updated_at = excluded.updated_at
           WHERE (sites.cores, sites.memory_mb) IS DISTINCT FROM (excluded.cores, excluded.memory_mb)`,
        [json(learned), at],
      );
    },
    change: async (name, change, actor, at) => {
      const params = new Params();
      const key = params.add(name);
      const sets = [
        ...assignments(change, CHANGEABLE, params),
        `updated_by = ${params.add(actor)}`,
        `updated_at = ${params.add(at)}`,
      ];
      const changed = await sql.query(
        `UPDATE sites SET ${sets.join(", ")} WHERE name = ${key} RETURNING name`,
        params.values,
      );
      return changed.length > 0;
    },
  };
}
