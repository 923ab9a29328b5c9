import type { RequestName } from "./names.ts";
import type { RequestStatus } from "./request-status.ts";

export const IMPORT_OUTCOMES = ["imported", "refused", "passed-over"] as const;

/** A request of ReqMgr2 that we have looked at. */
export interface ImportRecord {
  readonly name: RequestName;
  readonly outcome: (typeof IMPORT_OUTCOMES)[number];
  /** Why it was refused or passed over. */
  readonly reasons: readonly string[];
  /** As it was read. */
  readonly document: Readonly<Record<string, unknown>>;
  /** How it differs now, a line for each key. Never applied. */
  readonly changes: readonly string[];
  /** Its status there, as last seen. */
  readonly theirStatus: string | null;
  /** Our status they know of; another one than the request has: they are still to be told. */
  readonly toldStatus: RequestStatus | null;
  /** Of telling them the present one. */
  readonly tries: number;
  readonly lastError: string | null;
  readonly nextTryAt: Date | null;
  readonly createdAt: Date;
  readonly lookedAt: Date;
}

/** As it is when it was just read. */
export const newImport = (
  record: Pick<ImportRecord, "name" | "outcome" | "reasons" | "document">,
  at: Date,
): ImportRecord => ({
  ...record,
  changes: [],
  theirStatus: typeof record.document.RequestStatus === "string" ? record.document.RequestStatus : null,
  toldStatus: null,
  tries: 0,
  lastError: null,
  nextTryAt: null,
  createdAt: at,
  lookedAt: at,
});
