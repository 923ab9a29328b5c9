import type { Metrics, WorkflowMetrics } from "./metrics.ts";
import type { DagId, RequestName, SiteName, UnitName, WorkflowId } from "./names.ts";
import { REQUEST_STATUSES, type RequestStatus } from "./request-status.ts";

/** As its request, which has a workflow before there is work: what is only submitted or queued is new. */
type WorkflowStatus = Exclude<RequestStatus, "submitted" | "queued">;
export const workflowStatus = (status: RequestStatus): WorkflowStatus =>
  status === "submitted" || status === "queued" ? "new" : status;
export const WORKFLOW_STATUSES = [...new Set(REQUEST_STATUSES.map(workflowStatus))];

/**
 * The work behind a request. The `next…` numbers only grow: unit, node, block, event and lumi numbers are
 * unique for the life of the request, so output names never collide between rounds.
 */
export interface Workflow {
  readonly id: WorkflowId;
  readonly requestName: RequestName;
  readonly status: WorkflowStatus;
  readonly version: number;
  /** The round being planned or run; the first is 0. */
  readonly round: number;
  readonly currentDagId: DagId | null;
  readonly nextUnit: number;
  readonly nextNode: number;
  readonly nextBlock: number;
  readonly nextFirstEvent: bigint;
  readonly nextFirstLumi: bigint;
  /** Sums over all rounds so far; aggregates only, there is no row per job. */
  readonly unitsPlanned: number;
  readonly unitsDone: number;
  /** Which share of all its work those that are planned are, from 0 to 1, as far as can be told. */
  readonly sharePlanned: number;
  /** null: none was done yet. */
  readonly lastDoneAt: Date | null;
  readonly nodesPlanned: number;
  readonly nodesDone: number;
  readonly eventsDone: bigint;
  /** Of ranges that were planned and given up, over all rounds. */
  readonly abandonedEvents: bigint;
  /** All its work is done or left out: what it made is put into its last blocks. */
  readonly hasAllUnits: boolean;
  /** What its jobs showed, round by round, as of the end of a run; null: nothing yet. */
  readonly stepMetrics: WorkflowMetrics | null;
  /** The engine its rounds are made for; another one leaves it alone. null: none was made yet. */
  readonly engine: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Units of all rounds, as far as can be told: what is not planned yet counts by its share of the work. */
export const unitsExpected = ({
  unitsPlanned,
  sharePlanned,
}: Pick<Workflow, "unitsPlanned" | "sharePlanned">): number =>
  sharePlanned >= 1
    ? unitsPlanned
    : Math.max(unitsPlanned + 1, Math.round(unitsPlanned / Math.max(sharePlanned, 1e-6)));

/** Per-file state of an input-driven workflow; every file is in exactly one. */
export const FILE_STATES = ["fresh", "attempted", "processed", "excluded"] as const;
export type FileState = (typeof FILE_STATES)[number];

/** An input file as a catalog lists it. */
export interface InputFile {
  readonly lfn: string;
  /** Where a job opens it. Equal to the LFN's path for the local catalog. */
  readonly path: string;
  readonly sizeBytes: number;
  /** null: nobody counted them. */
  readonly events: number | null;
  readonly lumis: readonly RunLumis[];
  /** Empty: anywhere. */
  readonly sites: readonly SiteName[];
}

export interface RunLumis {
  readonly run: number;
  readonly lumis: readonly number[];
}

/** An input file with what has become of it. */
export interface LedgerFile extends InputFile {
  readonly state: FileState;
}

/** An input file with its place in the work. */
export interface PlacedFile extends Pick<InputFile, "lfn" | "path"> {
  /** The unit it was last planned into; several for one file split over units. */
  readonly units: readonly UnitName[];
}

/** What a look at the catalog changed in the ledger of input files. */
export interface FileChanges {
  readonly added: number;
  /** The first of the added ones, by name. */
  readonly firstAdded: readonly string[];
  /** Still to be done, and not listed any more. */
  readonly gone: readonly string[];
}

export const BLOCK_STATUSES = ["open", "complete", "archived", "on_disk", "failed", "invalidated"] as const;
export type BlockStatus = (typeof BLOCK_STATUSES)[number];

/** Work units that are registered and archived together. */
export interface Block {
  readonly workflowId: WorkflowId;
  readonly index: number;
  readonly dataset: string;
  readonly status: BlockStatus;
  readonly unitsTotal: number;
  readonly unitsDone: number;
  /** Units that will never come: the block closes without them. */
  readonly unitsAbandoned: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** owed: finished, not yet in the catalog · registered: in the catalog · invalidated: withdrawn from it. */
export const UNIT_STATUSES = ["owed", "registered", "invalidated"] as const;
export type UnitStatus = (typeof UNIT_STATUSES)[number];

/** A finished work unit and the outputs it owes to the catalog: written before anything else. */
export interface FinishedUnit {
  readonly workflowId: WorkflowId;
  readonly name: UnitName;
  readonly dagId: DagId;
  readonly round: number;
  readonly block: number;
  readonly status: UnitStatus;
  readonly site: SiteName | null;
  readonly events: bigint;
  readonly outputs: readonly OutputFile[];
  readonly finishedAt: Date;
  readonly registeredAt: Date | null;
}

/** As it is first seen: with what its jobs showed. null: no report of them could be read. */
export interface MeasuredUnit extends FinishedUnit {
  readonly metrics?: Metrics | null;
  /** Of a graph's job; null: its report could not be read. */
  readonly proof?: JobProof | null;
}

/** What a finished job of a graph was made of. A later version credits it if all of that still holds. */
export interface JobProof {
  /** What the person called it. */
  readonly name: string;
  /** As its manifest had it. */
  readonly digest: string;
  /** As they were before it ran, and what it left behind. */
  readonly reads: readonly FileStamp[];
  readonly makes: readonly FileStamp[];
}
export interface FileStamp {
  readonly path: string;
  readonly sizeBytes: number;
  /** Seconds since 1970, with microseconds. */
  readonly mtime: number;
  /** Of what is in it; absent: nobody took it. */
  readonly checksum?: string;
  /** Of a folder: one word for the names, sizes and times of all that is in it; "": nobody looked. Absent: it is a file. */
  readonly listing?: string;
  /** Of a folder: how many files in it are not empty. Absent: nobody counted. */
  readonly files?: number;
}

/** One merged file. */
export interface OutputFile {
  readonly output: string;
  readonly dataset: string;
  readonly lfn: string;
  readonly path: string;
  readonly sizeBytes: number;
  /** "cksum:<POSIX CRC>": what every worker can compute. */
  readonly checksum: string;
  readonly events: number | null;
  readonly parents: readonly string[];
  /** Eight hex digits; absent: its worker had no program that computes it. */
  readonly adler32?: string;
  /** run → inclusive lumi ranges that are in it; absent: nobody knows. */
  readonly runLumis?: Readonly<Record<string, readonly (readonly [number, number])[]>>;
}
