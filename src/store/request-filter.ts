import type { RequestName } from "../core/names.ts";
import { NEEDS_PERSON } from "../core/wait.ts";
import { decodeCursor, encodeCursor, pageOf, Where } from "./columns.ts";
import type { RequestChoice, RequestFilter, RequestSort } from "./desk-port.ts";
import type { Page } from "./page.ts";
import type { Sql } from "./sql.ts";

const part = (text: string | undefined) => (text ? `%${text.replace(/[\\%_]/g, "\\$&")}%` : undefined);

/** What a request waits for; a held one for a person, also before a pass has said so. */
export const WAIT_CODE = "CASE requests.status WHEN 'held' THEN 'person' ELSE waiting ->> 'code' END";
export const IN_NEED = `${WAIT_CODE} = ANY(?::text[])`;

/** The conditions of a choice, on `requests`. */
export function matching(choice: RequestChoice): Where {
  const { status, requestor, campaign, nameContains, kind, holdCode, waitCode, needs, text, code, site, file } = choice;
  const where = new Where()
    .and("requests.status = ANY(?::text[])", status)
    .and("requestor = ?", requestor)
    .and("campaign = ?", campaign)
    .and("requests.name ILIKE ?", part(nameContains))
    .and("kind = ?", kind)
    .and("hold ->> 'code' = ANY(?::text[])", holdCode)
    .and(`${WAIT_CODE} = ANY(?::text[])`, waitCode)
    .and(IN_NEED, needs && NEEDS_PERSON)
    .and(
      `concat_ws(' ', requests.name, requestor, campaign, hold ->> 'code', hold ->> 'message', waiting ->> 'reason')
       ILIKE ?`,
      part(text),
    );
  const wanted = Object.entries({ "exit_code = ?::int": code, "file = ?": file, "site = ?": site }).filter(
    ([, value]) => value !== undefined,
  );
  if (wanted.length === 0) return where;
  const values = wanted.map(([, value]) => value);
  const own = `EXISTS (SELECT 1 FROM request_failures WHERE request_name = requests.name AND ${wanted.map(([one]) => one).join(" AND ")})`;
  if (code !== undefined || file !== undefined) return where.and(own, ...values);
  const ran = "EXISTS (SELECT 1 FROM site_hours WHERE request_name = requests.name AND site = ?)";
  return where.and(`(${own} OR ${ran})`, ...values, site);
}

interface Order {
  readonly key: string;
  readonly type: "timestamptz" | "text" | "bigint" | "float8" | "int";
  readonly direction: "ASC" | "DESC";
}
const ORDERS: Readonly<Record<Exclude<RequestSort, "newest">, Order>> = {
  oldest: { key: "requests.created_at", type: "timestamptz", direction: "ASC" },
  name: { key: "requests.name", type: "text", direction: "ASC" },
  updated: { key: "requests.updated_at", type: "timestamptz", direction: "DESC" },
  waiting: { key: "requests.status_since", type: "timestamptz", direction: "ASC" },
  priority: { key: "(urgent::int::bigint << 32) + priority", type: "bigint", direction: "DESC" },
  progress: { key: "coalesce(units_done::float8 / nullif(units_planned, 0), 0)", type: "float8", direction: "ASC" },
  failing: {
    key: "coalesce((dags.nodes ->> 'failed')::int, 0) + coalesce(failing, 0)",
    type: "int",
    direction: "DESC",
  },
};
export const BESIDE = `LEFT JOIN workflows ON workflows.request_name = requests.name
  LEFT JOIN dags ON dags.id = workflows.current_dag_id
  LEFT JOIN failure_looks ON failure_looks.request_name = requests.name`;

/** A page of names in another order than by time. The key of the last row is part of the cursor, so nothing is met twice. */
export async function namesInOrder(
  sql: Sql,
  { limit, cursor, ...filter }: RequestFilter,
  sort: Exclude<RequestSort, "newest">,
): Promise<Page<RequestName>> {
  const { key, type, direction } = ORDERS[sort];
  const where = matching(filter);
  if (cursor !== undefined) {
    const [last, name] = decodeCursor(cursor);
    const after = direction === "ASC" ? ">" : "<";
    where.and(`(${key}, requests.name) ${after} (?::${type}, ?::text)`, String(last), String(name));
  }
  const needsMore = sort === "progress" || sort === "failing";
  const rows = await sql.query<{ name: RequestName; key: string }>(
    `SELECT requests.name, (${key})::text AS key FROM requests ${needsMore ? BESIDE : ""} ${where}
     ORDER BY ${key} ${direction}, requests.name ${direction} LIMIT ${where.add(limit + 1)}`,
    where.values,
  );
  const page = pageOf(rows, limit, ({ key, name }) => encodeCursor(key, name));
  return { ...page, items: page.items.map(({ name }) => name) };
}
