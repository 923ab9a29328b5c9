import type { JobSpec } from "../../dag/job-spec.ts";
import type { JobWatch, Removal } from "../../dag/runner.ts";
import type { DirectJob } from "./direct/job.ts";

/** A job of the process runner, from its queue to its end. */
export interface Job {
  readonly spec: JobSpec;
  /** Run without a worker program around it. */
  direct: DirectJob | null;
  memory: { close(): void } | null;
  readonly watch: JobWatch;
  state: "idle" | "staging" | "running";
  site: string;
  startedMs: number;
  /** The same by the clock that only moves forward. */
  begunAt: number;
  peakMb: number | null;
  /** Started by an earlier engine. */
  adopted: boolean;
  /** This very attempt was begun again before, for it vanished. */
  readonly evicted: boolean;
  /** Why it is being ended by us. */
  removal: Removal | null;
  /** It is over, and others have its place. */
  freed: boolean;
}

export type Begun = Pick<Job, "spec" | "watch" | "state" | "site" | "startedMs" | "adopted" | "evicted">;

export const makeJob = (begun: Begun): Job => ({
  ...begun,
  begunAt: performance.now() - Math.max(0, Date.now() - begun.startedMs),
  peakMb: null,
  removal: null,
  direct: null,
  memory: null,
  freed: false,
});
