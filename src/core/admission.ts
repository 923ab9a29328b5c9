import type { RequestName } from "./names.ts";

/** How many requests may be in the engine at once. Changeable while the server runs, and kept. */
export interface AdmissionLimits {
  readonly maxActive: number;
}
export const DEFAULT_ADMISSION_LIMITS: AdmissionLimits = { maxActive: 300 };

/** One request in the queue and why it is still there. */
export interface QueueEntry {
  readonly requestName: RequestName;
  /** 1 is next. */
  readonly place: number;
  readonly urgent: boolean;
  readonly priority: number;
  readonly queuedSince: Date;
  readonly verdict: "start" | "wait";
  readonly reason: string;
}

export interface Queue {
  readonly active: number;
  readonly limits: AdmissionLimits;
  readonly entries: readonly QueueEntry[];
}
