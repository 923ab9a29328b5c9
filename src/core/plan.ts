import type { GraphPlan, JobPlan } from "./graph.ts";
import type { Figures, RequestedSizes, StepRun } from "./metrics.ts";
import type { DagId, NodeName, RequestName, SiteName, UnitName } from "./names.ts";
import type { GpuKind, OutputSpec, RetrySpec, StepSpec, ThrottleSpec } from "./request.ts";
import type { NodeRole, Shape } from "./roles.ts";
import type { InputFile } from "./workflow.ts";

/**
 * A planned round: so specific that rendering has no choices left. Units are an iterable that can be walked
 * again and again and is never collected, so a million nodes need no more memory than a thousand.
 */
export interface DagPlan {
  readonly dagId: DagId;
  readonly requestName: RequestName;
  readonly round: number;
  readonly priority: number;
  /** Of every unit. */
  readonly shape: Shape;
  readonly steps: readonly PlannedStep[];
  readonly outputs: readonly PlannedOutput[];
  readonly retries: RetrySpec;
  readonly throttles: ThrottleSpec;
  /** What a job of each role asks for; landing asks for what processing does, so it lands where the work can run. */
  readonly resources: Readonly<Record<NodeRole, NodeResources>>;
  /** Sites to stay away from; matters only for units that may run anywhere, the others name their sites. */
  readonly avoidSites: readonly SiteName[];
  /** What processing asks for, with the reasons. */
  readonly requested: RequestedSizes;
  /** What earlier rounds measured, for the payload; null in round 0. */
  readonly stepProfile: Figures | null;
  readonly units: Iterable<UnitPlan>;
  /** Of a flat shape: what its jobs share. */
  readonly graph?: GraphPlan;
  readonly summary: PlanSummary;
}

export interface PlannedStep extends StepSpec {
  /** Absent: in one instance, with the threads it takes. */
  readonly run?: StepRun;
  /** The same for probes. */
  readonly probe?: StepRun;
  /** A lumi is not cut in parts; absent: jobs have no lumis to give. */
  readonly eventsPerLumi?: number;
}

export interface PlannedOutput extends Omit<OutputSpec, "naming"> {
  /** /Primary/Processed/TIER or a name of the local catalog. */
  readonly dataset: string;
}

export interface UnitPlan {
  readonly name: UnitName;
  readonly index: number;
  readonly block: number;
  /** Where it may run; empty: anywhere. */
  readonly sites: readonly SiteName[];
  /** Higher goes first: units of a begun block before those of a new one. */
  readonly priority: number;
  readonly nodes: readonly ProcessingNodePlan[];
  readonly resources: NodeResources;
  readonly expectedOutputBytes: number;
}

export interface NodeResources {
  readonly cores: number;
  readonly memoryMb: number;
  readonly diskMb: number;
  readonly wallMinutes: number;
  readonly gpus: number;
  readonly gpuKind?: GpuKind;
}

export interface ProcessingNodePlan {
  readonly name: NodeName;
  readonly index: number;
  readonly inputs: readonly InputFile[];
  /** Inclusive. Within the file for input (from 0), global for generation (from 1). null: all of it. */
  readonly firstEvent: bigint | null;
  readonly lastEvent: bigint | null;
  readonly firstLumi: bigint | null;
  readonly lastLumi: bigint | null;
  /** run → inclusive lumi ranges this job is to process; null: all. */
  readonly runLumis: Readonly<Record<string, readonly (readonly [number, number])[]>> | null;
  /** Expected number of events; null when unknown. */
  readonly events: number | null;
  /** Differs from its unit only for probes. */
  readonly resources: NodeResources;
  /** It tries how its steps do in several instances; absent: it does not. */
  readonly isProbe?: true;
  readonly seed: bigint;
  /** Of a flat shape: what it runs. */
  readonly job?: JobPlan;
}

/** A node's events, as its manifest says; inclusive. */
export interface PlannedRange {
  readonly unit: string;
  readonly firstEvent: bigint;
  readonly lastEvent: bigint;
}

export interface PlanSummary {
  readonly units: number;
  readonly blocks: readonly BlockPlan[];
  /** The inner nodes of all units. */
  readonly nodes: number;
  /** Of the roles its shape has. */
  readonly nodesByRole: Readonly<Partial<Record<NodeRole, number>>>;
  readonly inputFiles: number;
  readonly events: bigint;
  /** 0: unknown. */
  readonly expectedBytes: number;
  /** What the workflow's counters are after this round. */
  readonly next: {
    readonly unit: number;
    readonly node: number;
    readonly block: number;
    readonly firstEvent: bigint;
    readonly firstLumi: bigint;
  };
  readonly warnings: readonly string[];
}

export interface BlockPlan {
  readonly index: number;
  readonly dataset: string;
  readonly units: number;
  readonly expectedBytes: number;
}

/** A file that stays out of the plan: it becomes excluded, for this reason. */
export interface UnplannedFile {
  readonly lfn: string;
  readonly code: "not-selected" | "no-lumis" | "too-big" | "no-site";
  readonly reason: string;
}

export type PlanOutcome =
  | { readonly kind: "planned"; readonly plan: DagPlan; readonly unplanned: readonly UnplannedFile[] }
  /** All work has been planned before; what is left of the input is not wanted. */
  | { readonly kind: "nothing-left"; readonly unplanned: readonly UnplannedFile[] }
  | { readonly kind: "refused"; readonly refusal: PlanRefusal };

/** Why a round cannot be planned; a person has to change something. */
export interface PlanRefusal {
  readonly code:
    | "no-input-files"
    | "no-site"
    | "nothing-selected"
    | "too-many-nodes"
    | "contradiction"
    | "memory-beyond-limit";
  readonly message: string;
  readonly evidence: Readonly<Record<string, unknown>>;
}

/** Limits on what a job may ask for. */
export interface MemoryLimits {
  readonly maxMemoryPerCoreMb: number;
  /** However many cores; null: no such limit. */
  readonly maxMemoryMb?: number | null;
}
export const mostMemoryMb = ({ maxMemoryPerCoreMb, maxMemoryMb }: MemoryLimits, cores: number): number =>
  Math.min(maxMemoryPerCoreMb * cores, maxMemoryMb ?? Number.POSITIVE_INFINITY);
