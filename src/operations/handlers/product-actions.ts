import { inSlices } from "../../core/base/slices.ts";
import { plural } from "../../core/base/text.ts";
import type { RequestName } from "../../core/names.ts";
import type { NodeId, NodeRow, NodeState } from "../../core/segments.ts";
import { EVERYTHING, gatherFill, readRows } from "../../loop/gather-fill.ts";
import type { Ports } from "../../loop/ports.ts";
import { verifyFor } from "../../loop/verify-products.ts";
import { askFor, findProducts, lookAgain, mayNotFill, NOT_BEGUN, otherFill, refusedAt, reopen } from "./fill.ts";
import type { NodeFilter, NodePage, ReleasedNodes, VerifiedNode, VerifyAnswer } from "./fill-port.ts";
import type { By } from "./port.ts";

/** Somebody waits for the answer: what is not looked at by then is left to the next call. */
const LONGEST_MS = 20_000;

/** Looks at what products left. What that says goes into their rows; what is missing then, the sweep fills at once. */
export async function verify(
  ports: Ports,
  name: RequestName,
  { reason, after }: { readonly reason: string; readonly after: NodeId | null },
  { actor, dryRun }: By,
): Promise<VerifyAnswer> {
  const found = await findProducts(ports, name);
  if (found.kind !== "found") return found;
  const { request, workflow, products } = found;
  if (!workflow) return NOT_BEGUN;
  const filling = await gatherFill(ports, products, request, workflow, EVERYTHING);
  const seen = await verifyFor(ports, products, request, filling, { after, longestMs: LONGEST_MS });
  if (seen === null) return refusedAt("after", `there is no product ${after}`, "what an answer said is next");
  const { rows: changed, looked, of, next } = seen;
  const nodes = changed.map((row): VerifiedNode => {
    const was = filling.rows.get(row.id)?.state;
    const outcome = row.state !== "done" ? "demoted" : was === "done" ? "changed" : "promoted";
    return { id: row.id, outcome, reason: row.reason };
  });
  const { work } = request.spec;
  const rows = new Map([...filling.rows, ...changed.map((row) => [row.id, row] as const)]);
  const now = ports.clock.now();
  const { live, locks, look } = filling;
  const plan = await inSlices(products.fill({ request: name, work, rows, live, locks, look, choice: EVERYTHING, now }));
  const part = next === null ? "" : `looked at ${looked} of ${plural(of, "product")}: `;
  const message = `${part}${plural(nodes.length, "row")} put right, ${plural(plan.holes, "hole")}`;
  const answer = { nodes, plan, message, looked, of, next };
  if (dryRun) return { kind: "would", ...answer };
  const isOpen = next === null ? plan.holes > 0 : nodes.some(({ outcome }) => outcome === "demoted");
  await ports.store.transaction(async (tx) => {
    await tx.segmentNodes.write(workflow.id, changed);
    if (changed.length > 0) await lookAgain(tx, request);
    if (isOpen) await reopen(tx, request, workflow, { actor, reason, askedAt: now });
    const detail = { nodes: nodes.length, holes: plan.holes, looked, of };
    await tx.audit.add({ at: now, actor, action: "verify", subject: name, reason, detail, outcome: "done" });
  });
  // Before all are looked at, nobody knows what is missing.
  if (next === null && plan.actions.length > 0 && filling.sweepMinutes !== null)
    await ports.store.segmentNodes.askFill(workflow.id, { choice: EVERYTHING, actor, reason, askedAt: now });
  return { kind: "done", ...answer };
}

/** What waits for a person, or for its turn. */
const RELEASABLE: readonly NodeState[] = ["held", "unknown", "failed", "lost", "input-missing", "partial"];

export async function releaseNodes(
  ports: Ports,
  name: RequestName,
  wanted: readonly string[],
  reason: string,
  { actor, dryRun }: By,
): Promise<ReleasedNodes> {
  const found = await findProducts(ports, name);
  if (found.kind !== "found") return found;
  const { request, workflow, products } = found;
  const closed = mayNotFill(request, workflow);
  if (closed || !workflow) return closed ?? NOT_BEGUN;
  const rows = await readRows(ports, workflow);
  const chosen = wanted.map((pattern) => [...rows.values()].filter(({ id }) => isMatch(pattern, id)));
  const problems = chosen.flatMap((some, at) =>
    some.length > 0
      ? []
      : [{ path: `nodes[${at}]`, message: `nothing happened yet to ${wanted[at]}`, allowed: `see: wms2 fill ${name}` }],
  );
  if (problems.length > 0) return { kind: "refused", problems };
  const all = [...new Map(chosen.flat().map((row) => [row.id, row])).values()];
  const free = all.filter(({ state }) => RELEASABLE.includes(state));
  const nodes = free.map(({ id }) => id);
  if (free.length === 0)
    return { kind: "already", nodes, moved: [], message: `nothing to release: ${all[0]?.id} is ${all[0]?.state}` };
  const other = otherFill(await ports.store.segmentNodes.pendingFill(workflow.id), EVERYTHING);
  if (other) return other;
  const message = `${plural(free.length, "product")} tried again in a new epoch`;
  if (dryRun) return { kind: "would", nodes, moved: [], message };
  const at = ports.clock.now();
  const moved = await ports.store.segmentNodes.write(
    workflow.id,
    free.map((row) => products.released(row, actor, at)),
  );
  await ports.store.audit.add({
    at,
    actor,
    action: "release-nodes",
    subject: name,
    reason,
    detail: { nodes },
    outcome: "done",
  });
  await askFor(ports, request, workflow, { choice: EVERYTHING, actor, reason, askedAt: at });
  return { kind: "done", nodes: nodes.filter((id) => !moved.has(id)), moved: [...moved], message };
}

/** `*` stands for any text. */
function isMatch(pattern: string, id: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return id === pattern;
  if (!id.startsWith(first)) return false;
  let at = first.length;
  const last = rest.pop()!;
  for (const part of rest) {
    const next = id.indexOf(part, at);
    if (next < 0) return false;
    at = next + part.length;
  }
  return id.length - last.length >= at && id.endsWith(last);
}

export async function listNodes(
  ports: Ports,
  name: RequestName,
  { state, limit, cursor }: NodeFilter,
): Promise<NodePage> {
  const found = await findProducts(ports, name);
  if (found.kind !== "found") return found;
  if (!found.workflow) return { kind: "found", items: [], counts: {}, nextCursor: null };
  const { segmentNodes } = ports.store;
  const counts = await segmentNodes.countByState(found.workflow.id);
  const items: NodeRow[] = [];
  for await (const page of segmentNodes.rows(found.workflow.id, state, cursor)) {
    items.push(...page);
    if (items.length > limit) break;
  }
  const shown = items.slice(0, limit);
  return { kind: "found", items: shown, counts, nextCursor: items.length > limit ? (shown.at(-1)?.id ?? null) : null };
}
