import { createHash } from "node:crypto";
import type { RequestName, SiteName, UnitName, WorkflowId } from "./names.ts";
import type { OutputFile } from "./workflow.ts";

/**
 * open: steps are owed · done: all of them are taken · failed: given up, waits for a person · merged: its units went into
 * another one · withdrawing: its rules and files are being taken back · withdrawn: they are.
 */
export const OUTPUT_BLOCK_STATUSES = ["open", "done", "failed", "merged", "withdrawing", "withdrawn"] as const;
export type OutputBlockStatus = (typeof OUTPUT_BLOCK_STATUSES)[number];

/** What became of one unit's files in a block, as the steps of the catalog leave it. */
export const UNIT_OUTPUT_STATES = ["owed", "replicated", "registered", "withdrawn"] as const;
export type UnitOutputState = (typeof UNIT_OUTPUT_STATES)[number];

/** Which units share an output block: those of one workflow, for one dataset, at one site, until it is full. */
interface OutputBlockKey {
  readonly workflowId: WorkflowId;
  readonly dataset: string;
  /** "": nobody knows where they ran. */
  readonly site: SiteName | "";
  /** A unit that comes after its block was sealed goes into the next part. */
  readonly part: number;
}

/** Files that are made known, protected, closed and archived together. */
export interface OutputBlock extends OutputBlockKey {
  /** `<dataset>#<uuid>`: what catalogs call it. */
  readonly name: string;
  readonly requestName: RequestName;
  readonly status: OutputBlockStatus;
  /** Its units stay in it: it is large enough to stand alone, or what was left over at the end is in it. */
  readonly isFirm: boolean;
  /** No unit is added any more. */
  readonly isSealed: boolean;
  /** Steps that were begun: what came of one may be unknown. */
  readonly begun: readonly string[];
  /** What was left by each step that is taken: a rule's id, the RSE of the block. */
  readonly receipts: Readonly<Record<string, string>>;
  /** Since the last step that went well; of them, those that the catalog refused; and since when. */
  readonly tries: number;
  readonly refusals: number;
  readonly failingSince: Date | null;
  readonly nextTryAt: Date;
  readonly lastError: BlockError | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface BlockError {
  readonly step: string;
  /** "unreachable", or what the catalog calls its refusal. */
  readonly code: string;
  readonly message: string;
  readonly fix: string;
  /** Null: it is about the whole block. */
  readonly unit: UnitName | null;
}
export const UNREACHABLE = "unreachable";

/** A block with the counts of what is in it. */
export interface OutputBlockFacts extends OutputBlock {
  readonly units: Readonly<Record<UnitOutputState, number>>;
  readonly files: number;
  readonly bytes: number;
  /** No unit will come any more, neither from a job nor from a block that is merged; or it is sealed. */
  readonly hasAllUnits: boolean;
}

/** The files of one unit in a block. */
export interface UnitFiles {
  readonly unit: UnitName;
  readonly files: readonly OutputFile[];
  /** What the steps left of the block that it was merged from; null: it was always in this one. */
  readonly mergedFrom: OutputBlock["receipts"] | null;
}

/**
 * first-unit: once, as soon as there is a file · each-unit: for all files · firm: once, when its units stay in it · after-last-unit:
 * once, when none will come.
 */
export type OutputStep = { readonly name: string; readonly service: string } & (
  | { readonly when: "first-unit" | "firm" | "after-last-unit" }
  /** For units in the one state, which leaves them in the other. */
  | { readonly when: "each-unit"; readonly takes: "owed" | "replicated"; readonly leaves: "replicated" | "registered" }
);

/** How far the catalog of an installation takes a block: it knows it · its tape rule exists · kept, without tape. */
export type OutputsEnd = "registered" | "archived" | "on_disk";

/** The ids that steps which make rules have left. */
export const rulesIn = (receipts: OutputBlock["receipts"]): readonly string[] =>
  Object.entries(receipts).flatMap(([step, id]) => (step.endsWith("-rule") ? [id] : []));

/** How far the blocks of a workflow are, for its request. */
export interface OutputSummary {
  readonly blocks: number;
  readonly done: number;
  readonly failed: number;
  /** Of the first that failed, or else of the one tried next; null: nothing is wrong. */
  readonly trouble: { readonly block: string; readonly error: BlockError; readonly nextTryAt: Date } | null;
}
export const NO_OUTPUTS: OutputSummary = { blocks: 0, done: 0, failed: 0, trouble: null };

/** A UUID by name (RFC 9562, version 5 in form): whoever computes it for the same key gets the same block. */
export function outputBlockName({ workflowId, dataset, site, part }: OutputBlockKey): string {
  const hex = createHash("sha1")
    .update(JSON.stringify([workflowId, dataset, site, part]))
    .digest("hex");
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  const uuid = [hex.slice(0, 8), hex.slice(8, 12), `5${hex.slice(13, 16)}`, `${variant}${hex.slice(18, 20)}`];
  return `${dataset}#${[...uuid, hex.slice(20, 32)].join("-")}`;
}
