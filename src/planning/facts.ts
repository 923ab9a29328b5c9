import type { DagId, SiteName } from "../core/names.ts";
import type { MemoryLimits, PlanSummary } from "../core/plan.ts";
import type { RequestSpec } from "../core/request.ts";
import type { FillPlan, NodeId, NodeRow } from "../core/segments.ts";
import type { Work } from "../core/work.ts";
import type { FileStamp, FileState, InputFile } from "../core/workflow.ts";
import type { RoundSizing } from "./size-round.ts";

/** Everything a round is planned from. */
export interface PlanFacts<W extends Work = Work> {
  readonly spec: RequestSpec<W>;
  readonly dagId: DagId;
  readonly round: number;
  /** Now, if somebody changed it since the spec was written. */
  readonly priority?: number;
  /** Input that is still to be done, if the work has any; processed and excluded files are left out here too. */
  readonly files: readonly PlanFile[];
  /** The first numbers no round has used yet. */
  readonly next: Counters;
  /** Known sites minus disabled, draining and banned ones; null: the engine has no named sites. */
  readonly usableSites: readonly SiteName[] | null;
  readonly policy: PlanPolicy;
  /** By what finished units showed; absent: the request alone says how large jobs are. */
  readonly sizing?: RoundSizing;
  /** Jobs of a graph that were done before and still hold, by index: they are left out, and what waits for them goes on. */
  readonly credited?: ReadonlySet<number>;
  /** Files that travel with the request: path → sha256. Absent: none. */
  readonly attached?: ReadonlyMap<string, string>;
  /** Of folders that jobs of a graph read and none of them makes: what they have now. Absent: there are none. */
  readonly folders?: readonly FileStamp[];
  /** What a round of products is to make, and what is kept about them. Absent: there are none. */
  readonly fill?: { readonly plan: FillPlan; readonly rows: ReadonlyMap<NodeId, NodeRow> };
  /** Events that were planned and given up; made again when the work tops up. */
  readonly abandonedEvents?: bigint;
  /** What was seen while they were gathered and people should know. */
  readonly warnings?: readonly string[];
}

export interface PlanFile extends InputFile {
  /** Absent: fresh. Attempted files follow all fresh ones and share no unit with them. */
  readonly state?: FileState;
}

export type Counters = PlanSummary["next"];

export interface PlanPolicy extends MemoryLimits {
  /** Units in round 0 of an adaptive request. */
  readonly roundZeroUnits: number;
  /** Jobs at the top of the memory window in round 0 of an adaptive request. */
  readonly probeJobs: number;
  /** Jobs that must have been measured before a round that still runs is sized again. */
  readonly minSampledJobs: number;
  /** Threads per core that a step may get which leaves some of its cores idle; 1: no more than cores. */
  readonly overcommitMax: number;
  /** A job never asks for less per core. */
  readonly leastMemoryPerCoreMb: number;
  /** Most units in any round; absent: as many as there are. */
  readonly maxUnitsPerRound?: number | null;
  /** Most processing nodes in a round, and in all rounds of a request. */
  readonly maxNodesPerRound: number;
  readonly maxNodesPerRequest: number;
  /** Most disk a job may ask for, and the longest it may run. */
  readonly maxDiskMb: number;
  readonly maxWallMinutes: number;
}
