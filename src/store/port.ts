import type { parts } from "./store.ts";

/**
 * Everything that outlives the process. SQL in, domain values out. Changes of state are compare-and-set:
 * they say which version they saw, and get `false` when it moved on. Any call may throw
 * WorldError("store-unreachable"). What each part can do is said where it is done: requests.ts, dags.ts, …
 */
export interface Store extends Readonly<ReturnType<typeof parts>> {
  /** All or nothing. Nested calls join the outer one. */
  transaction<T>(work: (store: Store) => Promise<T>): Promise<T>;
  ping(): Promise<void>;
  close(): Promise<void>;
}
export type SettingStore = Store["settings"];

export type { Page } from "./columns.ts";
export type { RequestChange, RequestFilter } from "./requests.ts";
export { decodeSpec, encodeSpec } from "./spec-json.ts";
