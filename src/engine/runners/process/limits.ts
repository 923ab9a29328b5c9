import type { JobSpec } from "../../dag/job-spec.ts";
import type { Hold } from "../../dag/runner.ts";
import { groupMemoryMb } from "./proc.ts";

/** A running job, as far as limits go. */
export interface Limited {
  readonly spec: JobSpec;
  readonly startedMs: number;
  peakMb: number | null;
}

const EVERY_MS = 1000;
/** As in periodic_hold of our submit files: a fifth above what was asked for is let pass. */
const MEMORY_TOLERANCE = 1.2;
/** Pages of libraries count in every process: below this, a shell or two would be "over". */
const LEAST_LIMIT_MB = 64;

/** Looks at the memory and the time of running jobs while there are jobs, and ends those that use more than they asked for. */
export class LimitWatch<J extends Limited> {
  private readonly running: () => readonly J[] | null;
  private readonly groupOf: (cluster: number) => number | null;
  private readonly end: (job: J, hold: Hold) => void;
  private timer: NodeJS.Timeout | null = null;

  /** `running` null: there are no jobs at all. */
  constructor(
    running: () => readonly J[] | null,
    groupOf: (cluster: number) => number | null,
    end: (job: J, hold: Hold) => void,
  ) {
    this.running = running;
    this.groupOf = groupOf;
    this.end = end;
  }

  watch(): void {
    this.timer ??= setInterval(() => this.look(), EVERY_MS);
  }

  close(): void {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
  }

  private look(): void {
    const running = this.running();
    if (running === null) this.close();
    const memory = running?.some((job) => job.spec.memoryAsked) ? groupMemoryMb() : new Map<number, number>();
    for (const job of running ?? []) {
      const group = this.groupOf(job.spec.cluster);
      const usedMb = group === null ? undefined : memory.get(group);
      if (usedMb !== undefined) job.peakMb = Math.max(job.peakMb ?? 0, Math.ceil(usedMb));
      const hold = overLimit(job, usedMb ?? 0);
      if (hold) this.end(job, hold);
    }
  }
}

/** The reasons and subcodes of docs/submit-directory.md's periodic_hold, which recovery reads. */
function overLimit({ spec, startedMs }: Limited, usedMb: number): Hold | null {
  if (spec.memoryAsked && usedMb > Math.max(LEAST_LIMIT_MB, spec.memoryMb * MEMORY_TOLERANCE)) {
    return { code: 3, subcode: 50660, why: "WMS2 memory" };
  }
  const overdue = spec.wallMinutes !== null && Date.now() - startedMs > spec.wallMinutes * 60_000;
  return overdue ? { code: 3, subcode: 50664, why: "WMS2 walltime" } : null;
}
