import { COUNTS } from "./desk-counts.ts";
import type { DeskStore, HistorySample } from "./desk-port.ts";
import { IS_OPEN } from "./requests.ts";
import type { Sql } from "./sql.ts";

/** Every five minutes for two days, then every hour for thirty. */
const STEP = "5 minutes";
const FINE = "2 days";
const COARSE = "30 days";

export const historyParts = (sql: Sql): Pick<DeskStore, "sample" | "history"> => ({
  // One statement: what is now, in place of what was noted in the same five minutes. A request that stands still adds nothing.
  async sample(at) {
    await sql.query(
      `WITH now AS (
         SELECT requests.name, ${Object.entries(COUNTS)
           .map(([field, count]) => `${count} AS ${field}`)
           .join(", ")}
         , requests.${IS_OPEN} OR requests.status_since > $1::timestamptz - interval '10 minutes' AS is_moving
         FROM requests JOIN workflows ON workflows.request_name = requests.name
         LEFT JOIN dags ON dags.id = workflows.current_dag_id),
       all_too AS (
         SELECT name, total, done, failed, running FROM now WHERE is_moving UNION ALL
         SELECT '', coalesce(sum(total), 0), coalesce(sum(done), 0), coalesce(sum(failed), 0), coalesce(sum(running), 0)
         FROM now),
       changed AS (
         SELECT all_too.* FROM all_too LEFT JOIN LATERAL (
           SELECT * FROM history_samples WHERE request_name = all_too.name ORDER BY at DESC LIMIT 1) AS last ON true
         WHERE all_too.name = '' OR last.at IS NULL
           OR (last.units_total, last.units_done, last.units_failed, last.units_running)
             IS DISTINCT FROM (total::int, done::int, failed::int, running::int)),
       old AS (
         DELETE FROM history_samples WHERE at < $1::timestamptz - interval '${COARSE}'
           OR (at < $1::timestamptz - interval '${FINE}' AND date_part('minute', at) <> 0))
       INSERT INTO history_samples (request_name, at, units_total, units_done, units_failed, units_running)
       SELECT name, date_bin('${STEP}', $1::timestamptz, 'epoch'), total, done, failed, running FROM changed
       ON CONFLICT (request_name, at) DO UPDATE SET units_total = excluded.units_total,
         units_done = excluded.units_done, units_failed = excluded.units_failed, units_running = excluded.units_running`,
      [at],
    );
  },

  async history(name, since) {
    const [found] = await sql.query<{ rows: readonly (Omit<HistorySample, "at"> & { at: string })[] | null }>(
      `SELECT json_agg(one ORDER BY one.at) AS rows FROM (
         SELECT at, units_total AS total, units_done AS done, units_failed AS failed, units_running AS running
         FROM history_samples WHERE request_name = $1 AND at >= $2::timestamptz) AS one`,
      [name ?? "", since],
    );
    return (found?.rows ?? []).map((row) => ({ ...row, at: new Date(row.at) }));
  },
});
