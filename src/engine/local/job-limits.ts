import type { Hold } from "./transfer.ts";

export interface Limited {
  readonly memoryMb: number;
  readonly memoryAsked: boolean;
  readonly wallMinutes: number | null;
  readonly ranSec: number;
  readonly usedMb: number | null;
}

/** As in periodic_hold of our submit files: a fifth above what was asked for is let pass. */
const MEMORY_TOLERANCE = 1.2;
/** Pages of libraries count in every process: below this, a shell or two would be "over". */
const LEAST_LIMIT_MB = 64;

/** The reasons and subcodes of docs/submit-directory.md's periodic_hold, which recovery reads. */
export function checkLimits(job: Limited): Hold | null {
  if (
    job.memoryAsked &&
    job.usedMb !== null &&
    job.usedMb > Math.max(LEAST_LIMIT_MB, job.memoryMb * MEMORY_TOLERANCE)
  ) {
    return { code: 3, subcode: 50660, why: "WMS2 memory" };
  }
  if (job.wallMinutes !== null && job.ranSec > job.wallMinutes * 60) {
    return { code: 3, subcode: 50664, why: "WMS2 walltime" };
  }
  return null;
}
