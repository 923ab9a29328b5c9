import type { RequestName } from "../core/names.ts";
import { unitsExpected } from "../core/workflow.ts";
import { COUNTS, DAG_COUNT, IS_RUNNING } from "./desk-counts.ts";
import { failureParts } from "./desk-failures.ts";
import { feedParts } from "./desk-feed.ts";
import { handoverParts } from "./desk-handover.ts";
import { historyParts } from "./desk-history.ts";
import {
  type DeskStore,
  FACETS,
  type FacetName,
  type Facets,
  type HistorySample,
  type RequestChoice,
  type RequestProgress,
  type UnitCounts,
} from "./desk-port.ts";
import { BESIDE, matching, WAIT_CODE } from "./request-filter.ts";
import type { Sql } from "./sql.ts";

export const deskStore = (sql: Sql): DeskStore => ({
  ...listParts(sql),
  ...historyParts(sql),
  ...failureParts(sql),
  ...feedParts(sql),
  ...handoverParts(sql),
});

interface ProgressRow extends UnitCounts {
  readonly name: RequestName;
  readonly round: number;
  readonly share: number;
  readonly lastDoneAt: string | null;
  readonly failing: number;
  readonly since: string | null;
  readonly ownDone: number;
  readonly samples: readonly (Omit<HistorySample, "at"> & { at: string })[] | null;
}
const listParts = (sql: Sql): Pick<DeskStore, "progress" | "facets"> => ({
  async progress(names, sampledAt) {
    if (names.length === 0) return new Map();
    const times = sampledAt.map((at) => at.toISOString());
    const [found] = await sql.query<{ rows: readonly ProgressRow[] | null }>(
      `SELECT json_agg(one) AS rows FROM (
         SELECT requests.name, workflows.round, ${COUNTS.total} AS total, ${COUNTS.done} AS done, ${COUNTS.failed} AS failed,
           ${COUNTS.running} AS running, coalesce(failing, 0) AS failing, share_planned AS share,
           last_done_at AS "lastDoneAt",
           CASE WHEN ${IS_RUNNING} THEN dags.submitted_at END AS since, ${DAG_COUNT("done")} AS "ownDone",
           CASE WHEN ${IS_RUNNING} THEN (
             SELECT json_agg(sample) FROM unnest($2::timestamptz[]) AS wanted (at) CROSS JOIN LATERAL (
               SELECT wanted.at, units_total AS total, h.units_done AS done, units_failed AS failed,
                 units_running AS running
               FROM history_samples h WHERE h.request_name = requests.name AND h.at <= wanted.at
               ORDER BY h.at DESC LIMIT 1) AS sample) END AS samples
         FROM requests ${BESIDE} WHERE requests.name = ANY($1::text[]) AND workflows.id IS NOT NULL) AS one`,
      [names, times],
    );
    return new Map((found?.rows ?? []).map((row) => [row.name, progressOf(row)]));
  },

  async facets(choice, wanted = FACETS) {
    const { counts, requests, units } = await countFacets(sql, choice, wanted);
    const others = await Promise.all(
      Object.entries(OWN_FIELD).map(async ([facet, field]) => {
        if (choice[field] === undefined || !wanted.includes(facet as FacetName)) return {};
        const { [field]: _, ...rest } = choice;
        const only = facet as FacetName;
        return { [only]: (await countFacets(sql, rest, [only])).counts[only] };
      }),
    );
    return { counts: Object.assign({}, counts, ...others), requests, units };
  },
});

function progressOf({ name: _, since, ownDone, samples, share, lastDoneAt, ...row }: ProgressRow): RequestProgress {
  return {
    ...row,
    expected: unitsExpected({ unitsPlanned: row.total, sharePlanned: share }),
    lastDoneAt: lastDoneAt === null ? null : new Date(lastDoneAt),
    run: since === null ? null : { since: new Date(since), done: ownDone },
    samples: (samples ?? []).map((sample) => ({ ...sample, at: new Date(sample.at) })),
  };
}

/** What is filtered by itself: its own counts are taken without that. */
const OWN_FIELD: Readonly<Partial<Record<FacetName, keyof RequestChoice>>> = {
  status: "status",
  hold: "holdCode",
  wait: "waitCode",
  kind: "kind",
  requestor: "requestor",
  campaign: "campaign",
  site: "site",
};
const FACET_COLUMNS: Readonly<Record<Exclude<FacetName, "site">, string>> = {
  status: "status",
  hold: "hold",
  wait: "wait",
  kind: "kind",
  requestor: "requestor",
  campaign: "campaign",
};
/** Names beyond these are of no use to choose from. */
const MOST_VALUES = 200;

async function countFacets(sql: Sql, choice: RequestChoice, wanted: readonly FacetName[]): Promise<Facets> {
  const where = matching(choice);
  const columns = wanted.filter((name) => name !== "site").map((name) => FACET_COLUMNS[name]);
  const counted = columns.map(
    (column) => `(SELECT json_object_agg(value, number) FROM (
       SELECT ${column} AS value, count(*) AS number FROM chosen WHERE ${column} IS NOT NULL GROUP BY 1
       ORDER BY 2 DESC, 1 LIMIT ${MOST_VALUES}) AS by_${column}) AS ${column}`,
  );
  const sites = `(SELECT json_object_agg(site, number) FROM (
      SELECT site, count(*) AS number FROM (
        SELECT request_name, site FROM site_hours UNION SELECT request_name, site FROM request_failures) AS places
      JOIN chosen ON chosen.name = places.request_name WHERE site <> '' GROUP BY 1 ORDER BY 2 DESC, 1
      LIMIT ${MOST_VALUES}) AS by_site) AS site`;
  const sums = Object.keys(COUNTS).map(
    (field) => `(SELECT coalesce(sum(${field}), 0)::float8 FROM chosen) AS "${field}Units"`,
  );
  const [found] = await sql.query<Readonly<Record<string, unknown>>>(
    `WITH chosen AS MATERIALIZED (
       SELECT requests.name, requests.status, kind, requestor, campaign, hold ->> 'code' AS hold,
         ${WAIT_CODE} AS wait, ${Object.entries(COUNTS)
           .map(([field, sum]) => `coalesce(${sum}, 0) AS ${field}`)
           .join(", ")}
       FROM requests ${BESIDE} ${where})
     SELECT (SELECT count(*)::int FROM chosen) AS requests,
       ${[...counted, ...(wanted.includes("site") ? [sites] : []), ...sums].join(", ")}`,
    where.values,
  );
  const counts = Object.fromEntries(FACETS.map((name) => [name, found?.[name] ?? {}])) as Facets["counts"];
  const units = Object.fromEntries(Object.keys(COUNTS).map((field) => [field, Number(found?.[`${field}Units`])]));
  return { counts, requests: Number(found?.requests), units: units as unknown as UnitCounts };
}
