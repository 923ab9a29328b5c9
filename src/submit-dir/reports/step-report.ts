/**
 * How one step of a job went, whatever ran it: cmsRun's own report, or what the wrapper saw of any other command. null: nobody
 * measured it.
 */
export interface StepReport {
  /** 0: it succeeded. 50115: its report is missing or cut short. */
  readonly code: number;
  /** The error that a report which was cut short still names. */
  readonly hint: number | null;
  readonly errors: readonly StepError[];
  readonly wallSec: number | null;
  /** Summed over threads and children. */
  readonly cpuSec: number | null;
  readonly threads: number;
  readonly streams: number;
  readonly peakRssMb: number | null;
  readonly peakPssMb: number | null;
  readonly peakVsizeMb: number | null;
  readonly eventsPerSec: number | null;
  readonly initSec: number | null;
  readonly loopSec: number | null;
  /** Of primary files only: mixed-in files would count a thousandfold. null: it read none. */
  readonly eventsRead: number | null;
  readonly lumisRead: RunLumiEvents;
  readonly outputs: readonly StepOutput[];
  readonly skippedFiles: readonly string[];
  readonly storage: StepStorage | null;
}

export interface StepError {
  readonly code: number;
  readonly type: string;
  readonly message: string;
}

export interface StepOutput {
  readonly module: string;
  /** The LFN, else where it was written. */
  readonly file: string;
  /** 0 is legal: a filter may leave nothing. */
  readonly events: number | null;
  readonly lumis: RunLumiEvents;
}

/** run → lumi → events in it; null: they were not counted. */
export type RunLumiEvents = ReadonlyMap<number, ReadonlyMap<number, number | null>>;

/** How the input was read. */
export interface StepStorage {
  readonly technology: string;
  readonly readMb: number;
  readonly readSec: number;
  readonly readMbPerSec: number | null;
}

/** CPU time over the time its threads could have used; null: one of them was not measured. */
export const cpuEfficiency = ({
  cpuSec,
  wallSec,
  threads,
}: Pick<StepReport, "cpuSec" | "wallSec" | "threads">): number | null =>
  cpuSec === null || !wallSec ? null : cpuSec / (wallSec * Math.max(1, threads));
