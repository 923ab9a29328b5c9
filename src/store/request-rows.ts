import type { RequestRecord, RequestSpec } from "../core/request.ts";
import { Table } from "./columns.ts";
import { decodeSpec } from "./spec-json.ts";
import type { Sql, SqlParam } from "./sql.ts";

/** Everything of a request but its spec. */
export const REQUESTS = new Table<Omit<RequestRecord, "spec">>(
  "requests",
  `status version priority urgent production_steps hold wish error waiting superseded_by modifications rescues_used
   output_state created_at updated_at status_since`,
);

/** The number of the row and its fields, in the order of the table's columns. */
type RequestRow = readonly [id: number, ...values: readonly unknown[]];

/**
 * The rows that `rest` (WHERE, ORDER BY, LIMIT) chooses, as one JSON value: drivers spend most of their time on
 * single fields, and this is read by every pass and every look at a list.
 */
async function selectRows(sql: Sql, rest: string, params: readonly SqlParam[]): Promise<readonly RequestRow[]> {
  const columns = `id, ${REQUESTS.columns}`;
  const [found] = await sql.query<{ rows: readonly RequestRow[] | null }>(
    `SELECT json_agg(json_build_array(${columns})) AS rows FROM (SELECT ${columns} FROM requests ${rest}) AS chosen`,
    params,
  );
  return found?.rows ?? [];
}

/**
 * Specs never change, and they are most of a request's bytes: those seen are remembered by the row's number,
 * which is never used again. A list or a pass then reads only what can change.
 */
export class SpecMemory {
  readonly #specs = new Map<number, RequestSpec>();
  readonly #limit: number;

  constructor(limit = 20_000) {
    this.#limit = limit;
  }

  async records(sql: Sql, rest: string, params: readonly SqlParam[] = []): Promise<readonly RequestRecord[]> {
    const rows = await selectRows(sql, rest, params);
    const specs = new Map<number, RequestSpec>();
    const unseen: number[] = [];
    for (const [id] of rows) {
      const spec = this.#specs.get(id);
      if (spec) specs.set(id, spec);
      else unseen.push(id);
    }
    if (unseen.length > 0) {
      const found = await sql.query<{ id: bigint; spec: unknown }>(
        "SELECT id, spec FROM requests WHERE id = ANY($1::bigint[])",
        [unseen],
      );
      for (const { id, spec } of found) specs.set(Number(id), this.#remember(Number(id), decodeSpec(spec)));
    }
    return rows.flatMap((row) => {
      const spec = specs.get(row[0]);
      return spec ? [recordOf(row, spec)] : []; // deleted between the two statements
    });
  }

  #remember(id: number, spec: RequestSpec): RequestSpec {
    if (this.#specs.size >= this.#limit) {
      const oldest = this.#specs.keys().next();
      if (!oldest.done) this.#specs.delete(oldest.value);
    }
    this.#specs.set(id, spec);
    return spec;
  }
}

/** Lists and passes make many of these: field by field into one object, without copies in between. */
function recordOf(row: RequestRow, spec: RequestSpec): RequestRecord {
  const record: Record<string, unknown> = { spec };
  REQUESTS.keys.forEach((key, place) => {
    record[key] = row[place + 1];
  });
  for (const key of TIMES) record[key] = new Date(record[key] as string);
  const { wish, error, waiting } = record as unknown as RequestRecord;
  if (wish) record.wish = { ...wish, at: new Date(wish.at) };
  if (error) record.error = { ...error, since: new Date(error.since) };
  if (waiting) {
    const until = waiting.until && new Date(waiting.until);
    record.waiting = { ...waiting, since: new Date(waiting.since), until };
  }
  return record as unknown as RequestRecord;
}
const TIMES = ["createdAt", "updatedAt", "statusSince"];
