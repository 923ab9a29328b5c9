import type { RequestName } from "../../core/names.ts";
import type { OutputState } from "../../core/operator.ts";
import { type OutputBlock, rulesIn } from "../../core/output-block.ts";
import type { RequestSpec } from "../../core/request.ts";
import type { Block, BlockStatus, OutputFile } from "../../core/workflow.ts";

/** What becomes of the outputs of a request that was given up or restarted. */

interface CleanupDecision {
  readonly kind: "keep" | "supersede" | "invalidate";
  readonly reason: string;
}

/** Only a successor that is complete ends the life of outputs; its policy says how. People may invalidate by hand. */
export function decideCleanup(
  state: OutputState,
  { name, cleanupPolicy }: Pick<RequestSpec, "name" | "cleanupPolicy">,
): CleanupDecision {
  if (state === "invalidated") return { kind: "keep", reason: "they are invalidated already" };
  if (cleanupPolicy === "immediate_cleanup")
    return { kind: "invalidate", reason: `${name} is completed and its policy is immediate_cleanup` };
  return state === "active"
    ? { kind: "supersede", reason: `${name} is completed; they wait to be invalidated by hand` }
    : { kind: "keep", reason: "they wait to be invalidated by hand" };
}

/** What has to be undone for a block, by how far it came (ADR 10). Catalog blocks have no invalid state: files do. */
const UNDO: Record<BlockStatus, readonly InvalidationStep[]> = {
  open: ["delete-protection-rules", "invalidate-files"],
  complete: ["delete-protection-rules", "invalidate-files"],
  archived: ["delete-protection-rules", "delete-archival-rule", "invalidate-files"],
  on_disk: ["delete-protection-rules", "invalidate-files"],
  failed: ["delete-protection-rules", "invalidate-files"],
  invalidated: [],
};
type InvalidationStep = "delete-protection-rules" | "delete-archival-rule" | "invalidate-files";

interface ManifestFacts {
  readonly spec: Pick<RequestSpec, "name" | "processingVersion">;
  readonly supersededBy: RequestName | null;
  readonly blocks: readonly Block[];
  readonly outputBlocks: readonly OutputBlock[];
  readonly outputs: readonly (OutputFile & { readonly unit: string })[];
  readonly reason: string;
  readonly actor: string;
}

/** Written when a request is failed: all that somebody has to withdraw, in an order that is safe to repeat. */
export function invalidationManifest(facts: ManifestFacts, now: Date) {
  return {
    version: 1,
    request: facts.spec.name,
    processingVersion: facts.spec.processingVersion,
    supersededBy: facts.supersededBy,
    reason: facts.reason,
    actor: facts.actor,
    at: now.toISOString(),
    datasets: [...new Set(facts.outputs.map(({ dataset }) => dataset))].sort(),
    blocks: facts.blocks
      .filter(({ status, unitsDone }) => unitsDone > 0 && UNDO[status].length > 0)
      .map(({ dataset, index, status }) => ({ dataset, index, status, steps: UNDO[status] })),
    // As the catalog knows them, with the rules that were made for them.
    catalogBlocks: facts.outputBlocks
      .filter(({ begun }) => begun.length > 0)
      .map(({ name, site, status, receipts }) => ({ name, site, status, rules: rulesIn(receipts) })),
    files: facts.outputs.map(({ lfn, path, unit }) => ({ lfn, path, unit })),
  };
}
