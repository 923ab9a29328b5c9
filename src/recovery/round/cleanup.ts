import type { RequestName } from "../../domain/names.ts";
import type { OutputState } from "../../domain/operator.ts";
import type { RequestSpec } from "../../domain/request.ts";
import type { RequestStatus } from "../../domain/request-status.ts";
import type { Block, BlockStatus, OutputFile } from "../../domain/workflow.ts";

/** What becomes of the outputs of a request that was given up or restarted. */

export const OUTPUT_STATE: Record<OutputState, { readonly meaning: string; readonly moves: readonly OutputState[] }> = {
  active: { meaning: "valid and in use", moves: ["superseded", "invalidated"] },
  superseded: { meaning: "the next version is complete: there are replacements", moves: ["invalidated"] },
  invalidated: { meaning: "withdrawn from the catalogs", moves: [] },
};

export interface CleanupFacts {
  readonly state: OutputState;
  /** null: it was not restarted. */
  readonly successor: { readonly name: RequestName; readonly status: RequestStatus } | null;
  /** Of the successor: it says what happens to its predecessor. */
  readonly policy: RequestSpec["cleanupPolicy"];
}

export type CleanupDecision =
  | { readonly kind: "keep"; readonly because: string }
  | { readonly kind: "supersede"; readonly because: string }
  | { readonly kind: "invalidate"; readonly because: string };

/** Only a successor that is complete ends the life of outputs; people may invalidate by hand whenever they are not. */
export function decideCleanup({ state, successor, policy }: CleanupFacts): CleanupDecision {
  if (state === "invalidated") return { kind: "keep", because: "they are invalidated already" };
  if (successor === null) return { kind: "keep", because: "no other version replaces them" };
  if (successor.status !== "completed")
    return { kind: "keep", because: `${successor.name} is ${successor.status}: they stay until it is completed` };
  if (policy === "immediate_cleanup")
    return { kind: "invalidate", because: `${successor.name} is completed and its policy is immediate_cleanup` };
  return state === "active"
    ? { kind: "supersede", because: `${successor.name} is completed; they wait to be invalidated by hand` }
    : { kind: "keep", because: "they wait to be invalidated by hand" };
}

/** What has to be undone for a block, by how far it came (003 §6.3). Catalog blocks have no invalid state: files do. */
const UNDO: Record<BlockStatus, readonly InvalidationStep[]> = {
  open: ["delete-protection-rules", "invalidate-files"],
  complete: ["delete-protection-rules", "invalidate-files"],
  archived: ["delete-protection-rules", "delete-archival-rule", "invalidate-files"],
  failed: ["delete-protection-rules", "invalidate-files"],
  invalidated: [],
};
export type InvalidationStep = "delete-protection-rules" | "delete-archival-rule" | "invalidate-files";

/** Written when a request is failed: all that somebody has to withdraw, in an order that is safe to repeat. */
export interface InvalidationManifest {
  readonly version: 1;
  readonly request: RequestName;
  readonly processingVersion: number;
  readonly supersededBy: RequestName | null;
  readonly reason: string;
  readonly actor: string;
  readonly at: string;
  readonly datasets: readonly string[];
  readonly blocks: readonly {
    readonly dataset: string;
    readonly index: number;
    readonly status: BlockStatus;
    readonly steps: readonly InvalidationStep[];
  }[];
  readonly files: readonly { readonly lfn: string; readonly path: string; readonly unit: string }[];
}

export interface ManifestFacts {
  readonly spec: Pick<RequestSpec, "name" | "processingVersion">;
  readonly supersededBy: RequestName | null;
  readonly blocks: readonly Block[];
  readonly outputs: readonly (OutputFile & { readonly unit: string })[];
  readonly reason: string;
  readonly actor: string;
}

export function invalidationManifest(facts: ManifestFacts, now: Date): InvalidationManifest {
  const blocks = facts.blocks
    .filter(({ status, unitsDone }) => unitsDone > 0 && UNDO[status].length > 0)
    .map(({ dataset, index, status }) => ({ dataset, index, status, steps: UNDO[status] }));
  const files = facts.outputs.map(({ lfn, path, unit }) => ({ lfn, path, unit }));
  return {
    version: 1,
    request: facts.spec.name,
    processingVersion: facts.spec.processingVersion,
    supersededBy: facts.supersededBy,
    reason: facts.reason,
    actor: facts.actor,
    at: now.toISOString(),
    datasets: [...new Set(facts.outputs.map(({ dataset }) => dataset))].sort(),
    blocks,
    files,
  };
}
