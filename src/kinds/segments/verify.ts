import { plural } from "../../core/base/text.ts";
import type { Look, ProductCheck, ProductSeen } from "../../core/products.ts";
import type { NodeId, NodeRow, NodeState, SegmentNode, SegmentsWork } from "../../core/segments.ts";
import type { VerifiedProducts } from "../kind.ts";
import { blankRow } from "./decide-node.ts";
import { filesIn, filesOf, madeOfSum, madeSum } from "./made-of.ts";
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
    const { id, makes, least, files, expected, levels } = productRun(work, node, { kind: "make" }, nodes, undefined);
    return [{ id, files: makes, least, ...(files && { leastFiles: files }), expected, levels }];
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
  const most = mostFiles(checks, seen);
  for (const node of segmentNodes(work, look.range.to)) {
    const [check, found] = [asked.get(node.id), seen.get(node.id)];
    if (!check || !found) continue;
    const row = rows.get(node.id) ?? blankRow(node.id, now);
    if (LEFT_ALONE.includes(row.state)) continue;
    const next = nextRow(row, node, check, found, { known, look, now, most: most.get(productIn(node.id)) ?? 0 });
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
  { known, look, now, most }: { known: ReadonlyMap<NodeId, NodeRow>; look: Look; now: Date; most: number },
): NodeRow | null {
  const fault = faultOf(check, found) ?? fewerFiles(row, check, found, most);
  if (fault === "unknown") return null;
  if (fault !== null) {
    if (row.state !== "done") return null;
    return { ...row, state: "missing", reason: fault, unit: null, changedAt: now };
  }
  const sum = madeSum(found.stamps.map((stamp) => stamp ?? {}));
  if (row.state === "done" && row.madeSum === sum) return null;
  // One that somebody changed is what it is now; what was made of it as it was before is stale.
  const ofSum = row.state === "done" ? row.madeOfSum : madeOfSum(node, known, look.history);
  const budgets = { executions: 0, losses: 0, overruns: 0, transfers: 0, retryAt: null, cause: null };
  return { ...row, ...budgets, state: "done", reason: null, madeSum: sum, madeOfSum: ofSum, changedAt: now };
}

/** Why they are not what they should be; null: they are. */
function faultOf({ files, least, leastFiles, expected }: ProductCheck, { stamps, levels }: ProductSeen): string | null {
  for (const [at, file] of files.entries()) {
    const stamp = stamps[at];
    if (!stamp) return `${file} is not there`;
    const isFolder = file.endsWith("/");
    if (isFolder !== (stamp.listing !== undefined)) return `${file} is ${isFolder ? "no" : "a"} folder`;
    const [has, needs] = [stamp.files ?? 0, leastFiles?.[at] ?? 1];
    if (stamp.listing === "") return `${file} has more files than anybody looks at`;
    if (isFolder && has < needs) return `${file} has ${plural(has, "file")}, less than ${needs}`;
    const [bytes, wanted, counted] = [least[at] ?? 0, expected[at] ?? null, levels[at] ?? null];
    if (stamp.sizeBytes < bytes) return `${file} has ${plural(stamp.sizeBytes, "byte")}, less than ${bytes}`;
    if (wanted !== null && counted === "unknown") return "unknown";
    if (wanted !== null && counted !== wanted)
      return `${file} has ${counted ?? "no"} time levels, and should have ${wanted}`;
  }
  return null;
}

/** atmos/ts-monthly-5y of atmos/ts-monthly-5y/0001-0005. */
const productIn = (id: NodeId): string => id.slice(0, id.lastIndexOf("/"));

/** Of each product, the files that its fullest chunk has. */
function mostFiles(
  checks: readonly ProductCheck[],
  seen: ReadonlyMap<NodeId, ProductSeen>,
): ReadonlyMap<string, number> {
  const most = new Map<string, number>();
  for (const { id } of checks) {
    const files = filesOf(seen.get(id)?.stamps ?? []);
    if (files !== null) most.set(productIn(id), Math.max(files, most.get(productIn(id)) ?? 0));
  }
  return most;
}

/**
 * A folder that had more files when it was verified has lost some. One that nobody verified, and of which nobody says how many it
 * has, may be half written where other chunks have more.
 */
function fewerFiles(
  row: NodeRow,
  { files, leastFiles }: ProductCheck,
  { stamps }: ProductSeen,
  most: number,
): string | null {
  const has = filesOf(stamps);
  if (has === null) return null;
  const [folder = ""] = files.filter((file) => file.endsWith("/"));
  const before = row.state === "done" ? filesIn(row.madeSum) : null;
  if (before !== null && has < before)
    return `${folder} has ${plural(has, "file")}, and had ${before} when it was made`;
  const isSaid = leastFiles?.some((least) => least > 1) ?? false;
  if (row.state !== "done" && !isSaid && has < most)
    return `${folder} has ${plural(has, "file")}, and other chunks have ${most}`;
  return null;
}
