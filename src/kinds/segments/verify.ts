import { plural } from "../../base/text.ts";
import type { Look, ProductCheck, ProductSeen } from "../../domain/products.ts";
import type { NodeId, NodeRow, NodeState, SegmentNode, SegmentsWork } from "../../domain/segments.ts";
import type { VerifiedProducts } from "../kind.ts";
import { blankRow } from "./decide-node.ts";
import { madeOfSum, madeSum } from "./made-of.ts";
import { segmentNodes } from "./nodes.ts";
import { productOf, productRun } from "./product-run.ts";

export function productChecks(
  work: SegmentsWork,
  { range }: Look,
  only?: ReadonlySet<NodeId>,
): readonly ProductCheck[] {
  const nodes = new Map(segmentNodes(work, range.to).map((node) => [node.id, node]));
  return [...nodes.values()].flatMap((node) => {
    if (!productOf(work, node) || (only && !only.has(node.id))) return [];
    const { id, makes, least, expected, levels } = productRun(work, node, { kind: "make" }, nodes, undefined);
    return [{ id, files: makes, least, expected, levels }];
  });
}

/** Somebody is at it, or a person has to look: what is there decides nothing. */
const LEFT_ALONE: readonly NodeState[] = ["submitted", "elsewhere", "held"];

/** Rows that say something else than what was seen: demoted, promoted, or with the checksum of what is there now. */
export function verifiedRows({
  work,
  look,
  rows,
  checks,
  seen,
  now,
}: VerifiedProducts<SegmentsWork>): readonly NodeRow[] {
  const known = new Map(rows);
  const asked = new Map(checks.map((check) => [check.id, check]));
  const changed: NodeRow[] = [];
  for (const node of segmentNodes(work, look.range.to)) {
    const [check, found] = [asked.get(node.id), seen.get(node.id)];
    if (!check || !found) continue;
    const row = rows.get(node.id) ?? blankRow(node.id, now);
    if (LEFT_ALONE.includes(row.state)) continue;
    const next = nextRow(row, node, check, found, { known, look, now });
    if (!next) continue;
    known.set(node.id, next);
    changed.push(next);
  }
  return changed;
}

function nextRow(
  row: NodeRow,
  node: SegmentNode,
  check: ProductCheck,
  found: ProductSeen,
  { known, look, now }: { known: ReadonlyMap<NodeId, NodeRow>; look: Look; now: Date },
): NodeRow | null {
  const fault = faultOf(check, found);
  if (fault === "unknown") return null;
  if (fault !== null) {
    if (row.state !== "done") return null;
    return { ...row, state: "missing", reason: fault, unit: null, changedAt: now };
  }
  const sum = madeSum(found.stamps.map((stamp) => stamp?.checksum ?? ""));
  if (row.state === "done" && row.madeSum === sum) return null;
  // One that somebody changed is what it is now; what was made of it as it was before is stale.
  const ofSum = row.state === "done" ? row.madeOfSum : madeOfSum(node, known, look.history);
  const budgets = { executions: 0, losses: 0, overruns: 0, transfers: 0, retryAt: null, cause: null };
  return { ...row, ...budgets, state: "done", reason: null, madeSum: sum, madeOfSum: ofSum, changedAt: now };
}

/** Why they are not what they should be; null: they are. */
function faultOf({ files, least, expected }: ProductCheck, { stamps, levels }: ProductSeen): string | null {
  for (const [at, file] of files.entries()) {
    const stamp = stamps[at];
    if (!stamp) return `${file} is not there`;
    const [bytes, wanted, counted] = [least[at] ?? 0, expected[at] ?? null, levels[at] ?? null];
    if (stamp.sizeBytes < bytes) return `${file} has ${plural(stamp.sizeBytes, "byte")}, less than ${bytes}`;
    if (wanted !== null && counted === "unknown") return "unknown";
    if (wanted !== null && counted !== wanted)
      return `${file} has ${counted ?? "no"} time levels, and should have ${wanted}`;
  }
  return null;
}
