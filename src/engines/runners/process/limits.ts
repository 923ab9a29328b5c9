import type { JobSpec } from "../../dag/job-spec.ts";
import type { Hold } from "../../dag/runner.ts";
import { groupMemoryMb } from "./proc.ts";

/** A running job, as far as limits go. */
interface Limited {
  readonly spec: JobSpec;
  /** By the clock that only moves forward, and stands still while the machine sleeps: a clock that is set takes nobody's time. */
  readonly begunAt: number;
  peakMb: number | null;
}

/** As in periodic_hold of our submit files: a fifth above what was asked for is let pass. */
const MEMORY_TOLERANCE = 1.2;
/** Pages of libraries count in every process: below this, a shell or two would be "over". */
const LEAST_LIMIT_MB = 64;

/** Looks at memory and time of running jobs; those that use more than they asked for, with the reason to end them. */
export function findOverLimit<J extends Limited>(
  running: readonly J[],
  groupOf: (cluster: number) => number | null,
  now = performance.now(),
): { readonly job: J; readonly hold: Hold }[] {
  const memory = running.some(({ spec }) => spec.memoryAsked) ? groupMemoryMb() : new Map<number, number>();
  return running.flatMap((job) => {
    const usedMb = memory.get(groupOf(job.spec.cluster) ?? -1);
    if (usedMb !== undefined) job.peakMb = Math.max(job.peakMb ?? 0, Math.ceil(usedMb));
    const hold = overLimit(job, usedMb ?? 0, now);
    return hold ? [{ job, hold }] : [];
  });
}

const EVERY_MS = 1000;

/** Looks every second, while anything runs. */
export class LimitsWatch {
  private readonly look: () => void;
  private timer: NodeJS.Timeout | null = null;

  constructor(
    running: () => readonly Limited[],
    groupOf: (cluster: number) => number | null,
    end: (cluster: number, hold: Hold) => void,
  ) {
    this.look = () => {
      const jobs = running();
      for (const { job, hold } of findOverLimit(jobs, groupOf)) end(job.spec.cluster, hold);
      if (jobs.length === 0) this.close();
    };
  }

  watch(): void {
    this.timer ??= setInterval(this.look, EVERY_MS);
  }

  close(): void {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
  }
}

/** The reasons and subcodes of docs/submit-directory.md's periodic_hold, which recovery reads. */
function overLimit({ spec, begunAt }: Limited, usedMb: number, now: number): Hold | null {
  if (spec.memoryAsked && usedMb > Math.max(LEAST_LIMIT_MB, spec.memoryMb * MEMORY_TOLERANCE)) {
    return { code: 3, subcode: 50660, why: "WMS2 memory" };
  }
  const overdue = spec.wallMinutes !== null && now - begunAt > spec.wallMinutes * 60_000;
  return overdue ? { code: 3, subcode: 50664, why: "WMS2 walltime" } : null;
}
