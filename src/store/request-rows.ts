import type { RequestName } from "../domain/names.ts";
import type { OutputState, ReleaseModifications } from "../domain/operator.ts";
import type {
  HoldReason,
  PassError,
  ProductionStep,
  RequestRecord,
  RequestSpec,
  RequestWish,
} from "../domain/request.ts";
import type { RequestStatus } from "../domain/request-status.ts";
import { decodeSpec } from "./spec-codec.ts";
import type { Sql, SqlParam } from "./sql.ts";

/** Everything of a request but its spec, in the order of `RequestRow`. */
const COLUMNS = `id, name, status, version, priority, urgent, production_steps, hold, wish, error, waiting,
  superseded_by, modifications, rescues_used, output_state, created_at, updated_at, status_since`;

type RequestRow = readonly [
  id: number,
  name: RequestName,
  status: RequestStatus,
  version: number,
  priority: number,
  urgent: boolean,
  productionSteps: readonly ProductionStep[],
  hold: HoldReason | null,
  wish: (Omit<RequestWish, "at"> & { at: string }) | null,
  error: (Omit<PassError, "since"> & { since: string }) | null,
  waiting: string | null,
  supersededBy: RequestName | null,
  modifications: ReleaseModifications | null,
  rescuesUsed: number,
  outputState: OutputState,
  createdAt: string,
  updatedAt: string,
  statusSince: string,
];

/**
 * The rows that `rest` (WHERE, ORDER BY, LIMIT) chooses, as one JSON value: drivers spend most of their time on
 * single fields, and this is read by every pass and every look at a list.
 */
async function selectRows(sql: Sql, rest: string, params: readonly SqlParam[]): Promise<readonly RequestRow[]> {
  const [found] = await sql.query<{ rows: readonly RequestRow[] | null }>(
    `SELECT json_agg(json_build_array(${COLUMNS})) AS rows FROM (SELECT ${COLUMNS} FROM requests ${rest}) AS chosen`,
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

function recordOf(row: RequestRow, spec: RequestSpec): RequestRecord {
  const [, , status, version, priority, urgent, productionSteps, hold, wish, error, waiting, ...rest] = row;
  const [supersededBy, modifications, rescuesUsed, outputState, createdAt, updatedAt, statusSince] = rest;
  return {
    spec,
    status,
    version,
    priority,
    urgent,
    productionSteps,
    hold,
    wish: wish && { ...wish, at: new Date(wish.at) },
    error: error && { ...error, since: new Date(error.since) },
    waiting,
    supersededBy,
    modifications,
    rescuesUsed,
    outputState,
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
    statusSince: new Date(statusSince),
  };
}
