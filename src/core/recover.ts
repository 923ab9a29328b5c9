/** What a person may say about a recovery that needs no judgement (docs/guides/recover.md). */
export interface RecoverWanted {
  readonly memoryFactor: number;
  readonly timeFactor: number;
  /** Below the limits of the installation; null: only those. */
  readonly maxMemoryMb: number | null;
  readonly maxWallMinutes: number | null;
  /** Nodes ("proc_000021", "mg_000003/proc_000021") and units; null: all that failed. */
  readonly only: readonly string[] | null;
}
export const USUAL_RECOVERY: RecoverWanted = {
  memoryFactor: 1.5,
  timeFactor: 1.4,
  maxMemoryMb: null,
  maxWallMinutes: null,
  only: null,
};

/** raise: it gets more · again: as it was · ceiling: there is no more to give · unknown: a person has to look. */
export const RECOVERY_ACTIONS = ["raise", "again", "ceiling", "unknown"] as const;
export type RecoveryAction = (typeof RECOVERY_ACTIONS)[number];
