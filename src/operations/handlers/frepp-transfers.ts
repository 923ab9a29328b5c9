import { WorldError } from "../../core/base/errors.ts";
import { parseInterval } from "../../core/calendar.ts";
import type { RequestName } from "../../core/names.ts";
import type { PendingFill } from "../../core/products.ts";
import type { NodeId, NodeRow } from "../../core/segments.ts";
import { decideRetry } from "../../kinds/segments/frepp/retry-transfer.ts";
import { HISTORY } from "../../kinds/segments/nodes.ts";
import { EVERYTHING, lookAround } from "../../loop/gather-fill.ts";
import { type FoundTransfer, findTransfers, removeLocks } from "../../loop/look-at-transfers.ts";
import type { Work } from "../../loop/ports.ts";
import { describeRetriedTransfers } from "../../recovery/explain/describe-change.ts";
import { askFor, mayNotFill, otherFill } from "./fill.ts";
import type { FreppCommands, RetriedTransfers, TransfersAnswer, TransferView } from "./frepp-port.ts";
import { loadModelRun, type ModelRun } from "./model-run.ts";
import type { By } from "./port.ts";

const segmentOf = (id: NodeId): string => id.slice(HISTORY.length + 1);
const isHistory = ({ id }: { readonly id: NodeId }): boolean => id.startsWith(`${HISTORY}/`);

/** By argument files where there are any, and by our own rows. */
export async function transfers(ports: Work, name: RequestName): Promise<TransfersAnswer> {
  const run = await loadModelRun(ports, name);
  if (run.kind !== "found") return run;
  const found = await findTransfers(ports, run.work, run.rows);
  const known = new Set(found.filter(({ output }) => output === "history").map(({ id }) => id));
  const others = [...run.rows.values()].filter((row) => isHistory(row) && !known.has(row.id));
  const items = [...found.map(viewOfFile), ...others.map((row) => viewOfRow(row, run))];
  return { kind: "found", items: items.sort((a, b) => (a.segment < b.segment ? -1 : 1)) };
}

function viewOfFile({ id, row, file, output, arguments: read, state, lock }: FoundTransfer): TransferView {
  const isOurs = output === "history" && (row?.state === "submitted" || row?.state === "held");
  return {
    ...{ segment: segmentOf(id), output, file, lock: lock?.kind ?? null },
    state: isOurs ? row.state : state!.kind,
    reason: (isOurs ? row.reason : state!.reason) ?? "",
    until: isOurs ? row.retryAt : state!.until,
    left: read!.actions.filter(({ isOn, isDone }) => isOn && !isDone).map(({ name }) => name),
    saves: read!.saves,
    transfers: read!.transfers,
  };
}

const viewOfRow = ({ id, state, reason, retryAt, transfers }: NodeRow, { work }: ModelRun): TransferView => ({
  ...{ segment: segmentOf(id), output: "history", file: null, lock: null, left: state === "done" ? [] : ["transfer"] },
  ...{ state, reason: reason ?? "", until: retryAt, saves: null },
  transfers: { failed: transfers, limit: work.history.transfer?.waitHours.length ?? 0 },
});

/**
 * Stale locks go first, then rows are opened and a fill of just these is asked for: whatever a crash leaves, asking again goes on
 * with.
 */
export async function retryTransfers(
  ports: Work,
  name: RequestName,
  { segments, force, reason }: Parameters<FreppCommands["retryTransfers"]>[1],
  by: By,
): Promise<RetriedTransfers> {
  const { store, clock } = ports;
  const run = await loadModelRun(ports, name);
  if (run.kind !== "found") return run;
  const { transfer } = run.work.history;
  if (!transfer) {
    const problem = { path: "", message: "its history arrives by itself", allowed: "requests with history.transfer" };
    return { kind: "refused", problems: [problem] };
  }
  const closed = mayNotFill(run.request, run.workflow);
  if (closed) return closed;
  const facts = await transfersOf(ports, run, segments);
  const now = clock.now();
  const decided = facts.map((one) => ({ one, retry: decideRetry(one, force, by.actor, now) }));
  const items = decided.map(({ one, retry: { action, reason, removesLock } }) => ({
    ...{ segment: segmentOf(one.id), action, reason, removesLock },
  }));
  const rows = decided.flatMap(({ retry }) => retry.row ?? []);
  const tried = items.filter(({ action }) => action === "retry");
  const message = describeRetriedTransfers(tried.length, items.length - tried.length);
  const choice = { ...EVERYTHING, recurse: false, nodes: rows.map(({ id }) => id) };
  const other = rows.length > 0 ? otherFill(await store.segmentNodes.pendingFill(run.workflow.id), choice) : null;
  if (other) return other;
  if (by.dryRun || rows.length === 0) return { kind: by.dryRun ? "would" : "done", items, moved: [], message };
  const wanted: PendingFill = { choice, actor: by.actor, reason, askedAt: now };
  const entry = {
    at: now,
    actor: by.actor,
    action: "retry-transfers",
    subject: name,
    reason,
    outcome: "done" as const,
  };
  const detail = { force, items: tried };
  await store.audit.add({ ...entry, detail });
  const locks = decided.flatMap(({ one, retry }) =>
    retry.removesLock && "file" in one ? [{ name: `${one.file}.lock`, text: one.lockText ?? "" }] : [],
  );
  await removeLocks(ports, run.request, run.work, locks, by.actor);
  const moved = await store.transaction((tx) => tx.segmentNodes.write(run.workflow.id, rows));
  await askFor(ports, run.request, run.workflow, wanted);
  return { kind: "done", items, moved: [...moved].map(segmentOf), message };
}

/** Of these segments, or of all whose transfer is not done. */
async function transfersOf(ports: Work, run: ModelRun, segments: readonly string[]) {
  const found = (await findTransfers(ports, run.work, run.rows)).filter(({ output }) => output === "history");
  const known = new Map(found.map((one) => [one.id, one]));
  const rows = [...run.rows.values()].filter((row) => isHistory(row) && row.state !== "done");
  const ids = segments.map((segment) => `${HISTORY}/${segment}`);
  const strange = ids.filter((id) => !known.has(id) && !run.rows.has(id)).map(segmentOf);
  if (strange.length > 0)
    throw new WorldError("bad-request", strange[0]!, `no transfer is known of ${strange.join(", ")}`, {
      hint: `see them with: wms2 transfers ${run.request.spec.name}`,
    });
  const wanted = ids.length > 0 ? ids : [...new Set([...known.keys(), ...rows.map(({ id }) => id)])].sort();
  const { history } = await lookAround(ports, run.products, run.work);
  return wanted.map((id) => {
    const nothing = { arguments: null, state: null, lock: null };
    const from = parseInterval(segmentOf(id))?.from;
    const hasArrived = from !== undefined && history.get(from)?.state === "present";
    return { ...(known.get(id) ?? { id, row: run.rows.get(id), ...nothing }), hasArrived };
  });
}
