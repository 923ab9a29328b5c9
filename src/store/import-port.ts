import type { ImportRecord } from "../core/import.ts";
import type { RequestName } from "../core/names.ts";
import type { RequestStatus } from "../core/request-status.ts";
import type { Page, PageWanted } from "./page.ts";

/** What came from ReqMgr2, or did not, and what it is still to be told. */
export interface ImportStore {
  /** Instead of what was known of that name. */
  record(record: ImportRecord): Promise<void>;
  get(name: RequestName): Promise<ImportRecord | null>;
  /** Which of these names we have looked at. */
  known(names: readonly string[]): Promise<ReadonlySet<string>>;
  list(filter: PageWanted & { outcome?: ImportRecord["outcome"] }): Promise<Page<ImportRecord>>;
  /** Refused, changed since, or not to be told. */
  trouble(): Promise<readonly ImportRecord[]>;
  /** Forgets what was not imported and is no more among these: should it come back, it is looked at again. */
  forget(assigned: readonly string[]): Promise<number>;
  /** Imported requests that are not over, longest unseen first. */
  leastLookedAt(limit: number): Promise<readonly ImportRecord[]>;
  /** Imported requests whose present status ReqMgr2 does not know, and which may be tried now. */
  untold(
    now: Date,
    limit: number,
  ): Promise<readonly { readonly record: ImportRecord; readonly status: RequestStatus }[]>;
  change(
    name: RequestName,
    change: Partial<Omit<ImportRecord, "name" | "outcome" | "document" | "createdAt">>,
  ): Promise<void>;
}
