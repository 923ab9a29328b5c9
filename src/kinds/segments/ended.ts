import { parseInterval } from "../../core/calendar.ts";
import type { DagPlan } from "../../core/plan.ts";
import type { HistoryFacts, ProductTold } from "../../core/products.ts";
import type { NodeId, NodeRow, SegmentNode, SegmentsWork } from "../../core/segments.ts";
import type { FileStamp } from "../../core/workflow.ts";
import type { EndedProducts } from "../kind.ts";
import { blankRow, decideNode } from "./decide-node.ts";
import { madeOfSum, madeSum } from "./made-of.ts";
import { historyPath, segmentNodes } from "./nodes.ts";
import { productOf, resourcesOf } from "./product-run.ts";
import { endingOf, outputStamps } from "./read-ending.ts";
import { WORKER_CODES } from "./worker-codes.ts";

/** Rows of what a round makes. What they were made of before stays: if they never begin, they are what they were. */
export function submittedRows(plan: DagPlan, rows: ReadonlyMap<NodeId, NodeRow>, now: Date): readonly NodeRow[] {
  const submitted: NodeRow[] = [];
  for (const { name, nodes } of plan.units)
    for (const { id } of nodes[0]?.job?.products ?? []) {
      const row = rows.get(id) ?? blankRow(id, now);
      const { dagId } = plan;
      submitted.push({ ...row, state: "submitted", unit: name, dagId, reason: null, retryAt: null, changedAt: now });
    }
  return submitted;
}

/** Chunks before what is made of them, so that sums are of what is there now. */
export function endedRows({ work, rows, units, now }: EndedProducts<SegmentsWork>): readonly NodeRow[] {
  const known = new Map(rows);
  const widened = withWorkerCodes(work);
  const ended = new Map<NodeId, NodeRow>();
  const lost: { readonly id: NodeId; readonly file: string }[] = [];
  const nodes = new Map(segmentNodes(work, lastMonth(work, rows)).map((node) => [node.id, node]));
  for (const node of nodes.values()) {
    const row = rows.get(node.id);
    const unit = row?.state === "submitted" && row.unit !== null ? units.get(row.unit) : undefined;
    if (!row || !unit) continue;
    const { ending, told } = endingOf(node.id, unit);
    const next = decideNode({
      ...{ row, ending, work: widened, now },
      isHistory: productOf(work, node) === null,
      madeSum: ending.kind === "done" ? sumOf(work, node, told?.makes ?? null) : row.madeSum,
      madeOfSum: madeOfSum(node, known, toldHistory(work, node, told)),
      wallMinutes: resourcesOf(work, node).wallMinutes,
    });
    known.set(node.id, next);
    ended.set(node.id, next);
    if (ending.kind === "failed" && ending.attempts.at(-1)?.exitCode === WORKER_CODES.chunkMissing)
      lost.push(...lostChunks(node, nodes, told));
  }
  // Several may miss the same chunk: a row is written once.
  for (const { id, file } of lost) {
    const row = lostRow(known.get(id), file, now);
    if (row) ended.set(id, row);
  }
  return [...ended.values()];
}

/** Chunks that were made and are not there any more, as the job saw that was to be made of them. */
const lostChunks = (
  { needs }: SegmentNode,
  nodes: ReadonlyMap<NodeId, SegmentNode>,
  told: ProductTold | null,
): readonly { readonly id: NodeId; readonly file: string }[] => {
  const there = new Set(told?.reads.map(({ path }) => path));
  return needs.flatMap((id) => {
    const file = told && nodes.get(id)?.outputs.find((path) => !there.has(path));
    return file ? [{ id, file }] : [];
  });
};

/** It is made again, and nobody is charged for it; null: its row says so already. */
const lostRow = (row: NodeRow | undefined, file: string, now: Date): NodeRow | null =>
  row?.state === "done"
    ? { ...row, state: "missing", reason: `${file} is not there, although it was made`, unit: null, changedAt: now }
    : null;

/** Rows were of nodes that were due when they began. */
function lastMonth({ end, start }: SegmentsWork, rows: ReadonlyMap<NodeId, NodeRow>): number {
  if (end !== null) return end;
  let last = start;
  for (const id of rows.keys()) last = Math.max(last, parseInterval(id.slice(id.lastIndexOf("/") + 1))?.to ?? start);
  return last;
}

const withWorkerCodes = (work: SegmentsWork): SegmentsWork => ({
  ...work,
  exitCodes: {
    inputMissing: [...work.exitCodes.inputMissing, WORKER_CODES.inputMissing],
    transient: [...work.exitCodes.transient, WORKER_CODES.transient],
  },
});

/** Of history nobody takes a checksum: it is large, and its size and time tell. */
function sumOf(work: SegmentsWork, node: SegmentNode, makes: readonly FileStamp[] | null): string | null {
  if (productOf(work, node) === null)
    return makes ? madeSum(makes.map(({ sizeBytes, mtime }) => ({ checksum: `${sizeBytes} ${mtime}` }))) : null;
  const stamps = outputStamps(node, makes);
  return stamps && madeSum(stamps);
}

/** History as the worker saw it before it began. */
function toldHistory(work: SegmentsWork, { history }: SegmentNode, told: ProductTold | null): HistoryFacts {
  const stamps = new Map(told?.history.map((stamp) => [stamp.path, stamp]));
  return new Map(
    history.map((segment) => {
      const found = stamps.get(historyPath(work, segment));
      const stamp = found ? { sizeBytes: found.sizeBytes, mtime: found.mtime } : null;
      return [segment.from, { state: stamp ? "present" : "absent", stamp }];
    }),
  );
}
