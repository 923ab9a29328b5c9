import { createHash } from "node:crypto";
import type { HistoryFacts } from "../../domain/products.ts";
import type { NodeId, NodeRow, SegmentNode } from "../../domain/segments.ts";

const digest = (parts: readonly unknown[]): string => createHash("sha256").update(JSON.stringify(parts)).digest("hex");

/** One of all outputs of a product, from their checksums in the order of its outputs. */
export const madeSum = (checksums: readonly string[]): string => digest(checksums);

/** What a product is made of, as it is now: checksums of chunks, size and time of history. null: not all of it is known. */
export function madeOfSum(
  { needs, history }: Pick<SegmentNode, "needs" | "history">,
  rows: ReadonlyMap<NodeId, NodeRow>,
  seen: HistoryFacts,
): string | null {
  const parts: unknown[] = [];
  for (const id of needs) {
    const row = rows.get(id);
    if (row?.state !== "done" || row.madeSum === null) return null;
    parts.push(row.madeSum);
  }
  for (const { from } of history) {
    const { stamp = null } = seen.get(from) ?? {};
    if (stamp === null) return null;
    parts.push(stamp.sizeBytes, stamp.mtime);
  }
  return digest(parts);
}
