import type { Measured } from "../domain/plan.ts";
import { roleOfNode } from "../domain/roles.ts";
import type { FinishedUnit } from "../domain/workflow.ts";

/** One finished unit and the attempts that made it. */
export interface UnitSample {
  readonly unit: Pick<FinishedUnit, "events" | "outputs">;
  readonly attempts: readonly SampledAttempt[];
}
export interface SampledAttempt {
  readonly node: string;
  readonly decision: string;
  readonly wallSec: number | null;
  readonly peakMemoryMb: number | null;
}

/** What finished units showed: peak memory, time and merged size per event. Sizes the next round. */
export function measure(samples: readonly UnitSample[]): Measured | null {
  let peakMb: number | null = null;
  let wallSec = 0;
  let bytes = 0;
  let events = 0;
  let jobs = 0;
  for (const { unit, attempts } of samples) {
    for (const line of attempts) {
      if (line.decision !== "done" || roleOfNode(line.node) !== "processing") continue;
      jobs += 1;
      wallSec += line.wallSec ?? 0;
      if (line.peakMemoryMb !== null) peakMb = Math.max(peakMb ?? 0, line.peakMemoryMb);
    }
    events += Number(unit.events);
    bytes += unit.outputs.reduce((sum, output) => sum + output.sizeBytes, 0);
  }
  if (jobs === 0) return null;
  const secondsPerEvent = events > 0 && wallSec > 0 ? wallSec / events : null;
  const kbPerEvent = events > 0 ? bytes / 1000 / events : null;
  const stepProfile = { jobs, events, peakMemoryMb: peakMb, secondsPerEvent, kbPerEvent };
  return { memoryMb: peakMb, secondsPerEvent, kbPerEvent, stepProfile };
}
