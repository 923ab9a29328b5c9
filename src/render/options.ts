/** How a plan becomes files: the installation's part, which the plan does not decide. Paths are absolute. */
export interface RenderOptions {
  /** How often DAGMan rewrites its status files. */
  readonly statusIntervalSec: number;
  /** How often DAGMan looks at job events. */
  readonly scanIntervalSec: number;
  /** Jobs one DAGMan has in the queue at once. */
  readonly maxJobsSubmitted: number;
  /** After how long a job on hold is removed, so that POST runs and recovery can decide. */
  readonly holdRemovalSec: number;
  /** A job that uses this much more memory than it asked for is put on hold. */
  readonly memoryFactor: number;
  /** A job the pool had to start more often than this is removed. */
  readonly maxStarts: number;
  /** A job that found no machine for so long is removed. */
  readonly maxIdleSec: number;
  /** Below it each unit has a directory for what its jobs stage out. */
  readonly unmergedDir: string;
  /** Below it merged files end up. */
  readonly mergedDir: string;
  /** What LFNs of merged files begin with. */
  readonly lfnPrefix: string;
}

export const RENDER_DEFAULTS = {
  statusIntervalSec: 15,
  scanIntervalSec: 5,
  maxJobsSubmitted: 2000,
  holdRemovalSec: 300,
  memoryFactor: 1.2,
  maxStarts: 5,
  maxIdleSec: 7 * 86_400,
  lfnPrefix: "/store/wms2",
} as const satisfies Partial<RenderOptions>;

/** A file of the submit directory, as text in pieces: no file has to fit in memory. */
export interface RenderedFile {
  /** Relative to the submit directory. */
  readonly path: string;
  readonly chunks: Iterable<string>;
}
