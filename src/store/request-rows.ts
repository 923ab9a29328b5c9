import type { RequestName } from "../domain/names.ts";
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
import type { Sql } from "./sql.ts";

/** Everything of a request but its spec. */
export const REQUEST_COLUMNS = `id, name, status, version, priority, urgent, production_steps, hold, wish, error,
  waiting, superseded_by, created_at, updated_at, status_since`;

export interface RequestRow {
  id: bigint;
  name: RequestName;
  status: RequestStatus;
  version: number;
  priority: number;
  urgent: boolean;
  production_steps: readonly ProductionStep[];
  hold: HoldReason | null;
  wish: (Omit<RequestWish, "at"> & { at: string }) | null;
  error: (Omit<PassError, "since"> & { since: string }) | null;
  waiting: string | null;
  superseded_by: RequestName | null;
  created_at: Date;
  updated_at: Date;
  status_since: Date;
}

/**
 * Specs never change, and they are most of a request's bytes: those seen are remembered by the row's number,
 * which is never used again. A list or a pass then reads only what can change.
 */
export class SpecMemory {
  readonly #specs = new Map<bigint, RequestSpec>();
  readonly #limit: number;

  constructor(limit = 20_000) {
    this.#limit = limit;
  }

  /** The records of these rows, in their order. */
  async records(sql: Sql, rows: readonly RequestRow[]): Promise<readonly RequestRecord[]> {
    const specs = new Map<bigint, RequestSpec>();
    const unseen: bigint[] = [];
    for (const { id } of rows) {
      const spec = this.#specs.get(id);
      if (spec) specs.set(id, spec);
      else unseen.push(id);
    }
    if (unseen.length > 0) {
      const found = await sql.query<{ id: bigint; spec: unknown }>(
        "SELECT id, spec FROM requests WHERE id = ANY($1::bigint[])",
        [unseen],
      );
      for (const { id, spec } of found) specs.set(id, this.#remember(id, decodeSpec(spec)));
    }
    return rows.flatMap((row) => {
      const spec = specs.get(row.id);
      return spec ? [recordOf(row, spec)] : []; // deleted between the two statements
    });
  }

  #remember(id: bigint, spec: RequestSpec): RequestSpec {
    if (this.#specs.size >= this.#limit) {
      const oldest = this.#specs.keys().next();
      if (!oldest.done) this.#specs.delete(oldest.value);
    }
    this.#specs.set(id, spec);
    return spec;
  }
}

function recordOf(row: RequestRow, spec: RequestSpec): RequestRecord {
  return {
    spec,
    status: row.status,
    version: row.version,
    priority: row.priority,
    urgent: row.urgent,
    productionSteps: row.production_steps,
    hold: row.hold,
    wish: row.wish && { ...row.wish, at: new Date(row.wish.at) },
    error: row.error && { ...row.error, since: new Date(row.error.since) },
    waiting: row.waiting,
    supersededBy: row.superseded_by,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    statusSince: row.status_since,
  };
}
