import { createHash } from "node:crypto";
import type { HistoryFacts } from "../../core/products.ts";
import type { NodeId, NodeRow, SegmentNode } from "../../core/segments.ts";
import type { FileStamp } from "../../core/workflow.ts";

const digest = (parts: readonly unknown[]): string => createHash("sha256").update(JSON.stringify(parts)).digest("hex");

/** One of all outputs of a product, in their order. Of folders it begins with how many files they have. */
export function madeSum(stamps: readonly Pick<FileStamp, "checksum" | "files">[]): string {
  const sum = digest(stamps.map(({ checksum = "" }) => checksum));
  const files = filesOf(stamps);
  return files === null ? sum : `${files}:${sum}`;
}

/** How many files folders had when they were verified; null: there are no folders, or nobody knows. */
export const filesIn = (sum: string | null): number | null => {
  const [, files] = /^(\d+):/.exec(sum ?? "") ?? [];
  return files === undefined ? null : Number(files);
};

/** The same of what is there now. */
export const filesOf = (stamps: readonly (Pick<FileStamp, "files"> | null)[]): number | null =>
  stamps.some((stamp) => stamp?.files !== undefined)
    ? stamps.reduce((sum, stamp) => sum + (stamp?.files ?? 0), 0)
    : null;

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
