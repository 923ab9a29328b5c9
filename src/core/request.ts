import type { CmsSpec } from "./cms.ts";
import type { RequestName, SiteName } from "./names.ts";
import type { OutputState, WishKind } from "./operator.ts";
import type { ReleaseModifications } from "./release.ts";
import type { RequestStatus } from "./request-status.ts";
import type { NodeRole, ThrottledRole } from "./roles.ts";
import type { Wait } from "./wait.ts";
import type { Work } from "./work.ts";

/** What a person asked for, normalised by intake. Never changed afterwards; units are in the names. */
export interface RequestSpec<W extends Work = Work> {
  readonly name: RequestName;
  /** What is to be done: the part that its kind reads, plans and counts. */
  readonly work: W;
  readonly requestor: string;
  readonly requestorDn: string | null;
  readonly group: string;
  readonly campaign: string;
  readonly acquisitionEra: string;
  readonly processingString: string;
  readonly processingVersion: number;
  readonly priority: number;
  readonly urgent: boolean;
  readonly productionSteps: readonly ProductionStep[];
  readonly steps: readonly StepSpec[];
  readonly outputs: readonly OutputSpec[];
  readonly resources: ResourceSpec;
  readonly sites: SitesSpec;
  readonly unit: UnitSpec;
  readonly retries: RetrySpec;
  readonly throttles: ThrottleSpec;
  /** Round 0 is small and later rounds are sized by what it measured. */
  readonly adaptive: boolean;
  readonly recovery: RecoverySpec;
  readonly cleanupPolicy: "keep_until_replaced" | "immediate_cleanup";
  readonly previousVersion: RequestName | null;
  /** Of requests in ReqMgr2's form: what CMS's software and services need to know. */
  readonly cms?: CmsSpec;
  /** Carried for others (CMSSW release, global tag, ReqMgr2 fields); never acted upon. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface SitesSpec {
  readonly allow: readonly SiteName[];
  readonly deny: readonly SiteName[];
  /** Input is read from wherever it is: jobs run at any site the request may use. */
  readonly trust?: boolean;
}

export const allowsSite = ({ allow, deny }: SitesSpec, site: SiteName): boolean =>
  (allow.length === 0 || allow.includes(site)) && !deny.includes(site);

export interface ProductionStep {
  /** Share of all work units, between 0 and 1, after which the rest is demoted. */
  readonly fraction: number;
  readonly priority: number;
}

/** One command of a job. `argv` is run as it is: no shell of ours ever reads it. */
export interface StepSpec {
  readonly name: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** It does just the events of its range, so that several of it can run at once, each with a part. */
  readonly parallel?: "by-events";
}

export interface OutputSpec {
  readonly name: string;
  /** The file a job leaves in its working directory. */
  readonly file: string;
  readonly merge: MergeSpec;
  /** Whether the merged result is kept and registered. */
  readonly keep: boolean;
  /** Where its dataset is called otherwise than the request's names would have it. */
  readonly naming?: OutputNaming;
  /** "/store/mc": its merged files are called by CMS's rules, below this; absent: by ours. */
  readonly lfnBase?: string;
}
interface OutputNaming {
  readonly primary?: string;
  readonly era?: string;
  /** Which part of the events it holds, as the output module calls it: between era and string. */
  readonly filter?: string;
  readonly string?: string;
  /** Added to the request's processing version, so that a restart moves it on too. */
  readonly versionOffset?: number;
  readonly tier?: string;
}
export type MergeSpec =
  | { readonly how: "concat" }
  | { readonly how: "command"; readonly argv: readonly string[] }
  | { readonly how: "none" };

export interface ResourceSpec {
  readonly cores: number;
  readonly memoryMb: number;
  readonly wallMinutes: number;
  readonly diskMb: number;
  readonly gpus: number;
  /** Which GPUs will do; absent: any. */
  readonly gpuKind?: GpuKind;
  /** Hints for sizing; null when nobody knows. */
  readonly secondsPerEvent: number | null;
  readonly kbPerEvent: number | null;
}

/** What a GPU must be able to do; what is null does not matter. */
export interface GpuKind {
  /** CUDA's compute capabilities, "8.0": any of them will do; empty: every one does. */
  readonly capabilities: readonly string[];
  readonly memoryMb: number | null;
  /** The newest CUDA runtime that its driver must support, "12.2". */
  readonly runtime: string | null;
  readonly name: string | null;
}

/** How many processing jobs make a work unit: a fixed number, or as many as fill a merged file. */
export interface UnitSpec {
  readonly jobsPerUnit: number | null;
  readonly targetMergedBytes: number;
  readonly blockTargetBytes: number;
  readonly maxUnitsPerBlock: number;
}

export type RetrySpec = Readonly<Record<NodeRole, number>>;

/** `units`: work units in flight at once within one DAG. */
export type ThrottleSpec = Readonly<Record<"units" | ThrottledRole, number>>;

export interface RecoverySpec {
  readonly holdThreshold: number;
  readonly maxRescues: number;
  readonly pendingClassification: boolean;
  /** Jobs that lacked memory or time, or lost their host, are recovered without asking anybody (docs/guides/recover.md). */
  readonly auto: boolean;
  readonly handlers: readonly FailureHandler[];
}

export interface FailureHandler {
  readonly name: string;
  readonly roles: readonly string[];
  readonly rules: readonly FailureRule[];
}

/** What a rule may say, in a request's handlers and in an installation's policy alike. */
export const RULE_LIMITS = {
  maxRetries: { min: 0, max: 100 },
  delaySec: { min: 0, max: 7 * 86_400 },
  factor: { min: 1, max: 100 },
} as const;

export interface FailureRule {
  readonly exitCodes: readonly number[];
  readonly matchAllExitCodes: boolean;
  readonly causes: readonly string[];
  readonly stderr: string | null;
  readonly maxRetries: number;
  readonly delaySec: number | null;
  readonly memoryFactor: number | null;
  readonly wallFactor: number | null;
  readonly script: string | null;
}

/** A file that travels with the request: a script or a small input, staged into every submit directory. */
export interface RequestFile {
  readonly path: string;
  readonly executable: boolean;
  readonly sha256: string;
  readonly content: Uint8Array;
}

/** A document that passed intake and is not a request yet: it may correct one that is. */
export interface Draft {
  readonly spec: RequestSpec;
  readonly files: readonly RequestFile[];
  /** As a person wrote it. */
  readonly document?: string | undefined;
}

/** What a corrected request changes of one that has begun. */
export type Revision = Pick<RequestSpec, "steps" | "outputs" | "resources" | "retries" | "recovery">;

/** Why a request waits for a person, what the evidence is, and what that person may do. */
export interface HoldReason {
  /** Stable word for programs: "engine-rejected", "no-input-files", … */
  readonly code: string;
  readonly message: string;
  readonly evidence: Readonly<Record<string, unknown>>;
  readonly actions: readonly string[];
}

/** A request as it stands in the store. `version` grows with every change: the compare-and-set key. */
export interface RequestRecord {
  readonly spec: RequestSpec;
  readonly status: RequestStatus;
  readonly version: number;
  readonly priority: number;
  readonly urgent: boolean;
  readonly productionSteps: readonly ProductionStep[];
  readonly hold: HoldReason | null;
  /** What an operator asked for and the loop has yet to carry out. */
  readonly wish: RequestWish | null;
  /** The last pass over this request failed: what, since when, how often in a row. */
  readonly error: PassError | null;
  /** Why it is not moving just now; null: it is over, or nobody has looked since it moved. */
  readonly waiting: Wait | null;
  readonly supersededBy: RequestName | null;
  /** What a release changed; the next plan or rescue applies it. */
  readonly modifications: ReleaseModifications | null;
  /** Rescues of the present round that answered failures. */
  readonly rescuesUsed: number;
  readonly outputState: OutputState;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly statusSince: Date;
}

export interface RequestWish {
  readonly kind: WishKind;
  readonly actor: string;
  readonly reason: string;
  readonly at: Date;
  /** What it is about besides the request ("how", units, nodes). Plain JSON: dates in it come back as text. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

export interface PassError {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly since: Date;
  readonly count: number;
}

export interface Transition {
  readonly from: RequestStatus | null;
  readonly to: RequestStatus;
  readonly reason: string;
  readonly actor: string;
  readonly at: Date;
}

/** Requests wait by it: from 0, higher first. */
export const MAX_PRIORITY = 999_999;
