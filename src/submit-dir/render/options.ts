import type { StorageDirs } from "../manifest.ts";

/** How a plan becomes files: the installation's part, which the plan does not decide. */
export interface RenderOptions extends StorageDirs {
  /** How often DAGMan rewrites the status files of large DAGs. */
  readonly statusIntervalSec: number;
  /** How often DAGMan looks at job events. */
  readonly scanIntervalSec: number;
  /** Jobs one DAGMan has in the queue at once. */
  readonly maxJobsSubmitted: number;
  /** After how long a job on hold is removed, so that POST runs and recovery can decide. */
  readonly holdRemovalSec: number;
  /** After how long without an event DAGMan looks whether its jobs are still in the queue. */
  readonly lostJobSec: number;
  /** How often DAGMan asks again whether a node that cools off, or a POST that could not write, may go on. */
  readonly deferPollSec: number;
  /** How long a node waits for another worker than those it failed on. */
  readonly avoidHostSec: number;
}

/**
 * The file is written whole, whatever changed: 200 nodes (34 kB) a second may be, and nobody looks more often than every 2 s. A graph
 * may have 100,000 nodes (17 MB): no more than some 60 kB a second are written, whatever was asked for.
 */
export const statusInterval = (
  nodes: number,
  { statusIntervalSec }: Pick<RenderOptions, "statusIntervalSec">,
): number =>
  Math.max(Math.min(statusIntervalSec, Math.max(2, Math.ceil(nodes / 200))), nodes > MANY ? Math.ceil(nodes / 333) : 0);
const MANY = 5000;
