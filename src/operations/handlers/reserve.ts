import type { NodeName, UnitName } from "../../core/names.ts";
import type { NewNodeAction, NodeAction, NodeChanges, NodeReservation } from "../../core/operator.ts";
import type { HoldReason } from "../../core/request.ts";
import type { Work } from "../../loop/ports.ts";
import type { Store } from "../../store/port.ts";
import { storeWish } from "./act.ts";
import { type Checked, checkAction, refusal } from "./check-action.ts";
import type { By, LastAttempt, OperatorRequest, Refusal } from "./port.ts";
import type { PresentRun } from "./present-run.ts";

/** What is to become of the last attempt of a node, as somebody said. */
export const newAction = (
  { rootId }: PresentRun,
  { unit, node, attempt, record }: LastAttempt,
  { kind, reason, changes, actor, at }: Pick<NewNodeAction, "kind" | "reason" | "changes" | "actor"> & { at: Date },
): NewNodeAction => ({
  dagId: rootId,
  unit: unit as UnitName,
  node: node as NodeName,
  kind,
  attempt,
  epoch: record.epoch,
  actor,
  reason,
  changes,
  createdAt: at,
});

interface Reserving {
  readonly actions: readonly NewNodeAction[];
  /** "unit/node" → what it gets instead of what it had. Nodes that are resubmitted once the actions are reserved. */
  readonly resubmit: ReadonlyMap<string, NodeChanges>;
  /** Whose word each of them is, by "unit/node"; else it is that of whoever asks. */
  readonly said?: OperatorRequest["said"];
  /** They run on the budget they have: one more attempt is no new epoch. */
  readonly inSameEpoch?: boolean;
  readonly reason: string;
  /** For the audit. */
  readonly entry: { readonly action: string; readonly reason: string; readonly detail: Record<string, unknown> };
  /** What the request is held for from then on; null: as before. */
  readonly hold?: HoldReason | null;
}

type Reserved =
  | { readonly kind: "would"; readonly reason: string | null }
  /** `because` null: nothing was resubmitted. */
  | { readonly kind: "done"; readonly reason: string | null; readonly reserved: readonly NodeReservation[] }
  | { readonly kind: "against"; readonly actions: readonly NodeAction[] }
  | Refusal<"conflict">
  | { readonly kind: "stale" };

/**
 * What is said of attempts, and the resubmit of exactly those nodes that carries it out: all or nothing. Of any number
 * of callers one makes them, the others read what stands. The resubmit is checked before the transaction, since that
 * reads many files; "stale" says that the request moved on in between. Several people may reserve before the loop
 * looks: their nodes join the resubmit that waits.
 */
export async function reserve(
  ports: Work,
  { request }: PresentRun,
  { actions, resubmit, said = {}, inSameEpoch = false, reason, entry, hold = null }: Reserving,
  { actor, dryRun }: By,
): Promise<Reserved> {
  const changed = [...resubmit].filter(([, changes]) => Object.keys(changes).length > 0);
  const nodeChanges = changed.length > 0 && { nodeChanges: Object.fromEntries(changed) };
  const nodes = [...resubmit.keys()];
  const sameEpoch = inSameEpoch ? nodes : [];
  const wanted: OperatorRequest = { action: "resubmit", reason, nodes, sameEpoch, said, ...nodeChanges };
  const checked = resubmit.size > 0 ? await checkResubmit() : null;
  if (checked?.kind === "refused") return { kind: "conflict", problems: checked.problems };
  const effect = checked && (checked.kind === "go" ? checked.reason : checked.why);
  if (dryRun) return { kind: "would", reason: effect };
  return allOrNothing<Reserved>(ports.store, async (tx, undo) => {
    const reserved = await tx.nodeActions.reserveMany(actions);
    const against = reserved.flatMap((one) => (one.kind === "conflict" ? [one.action] : []));
    if (against.length > 0) return undo({ kind: "against", actions: against });
    if (!reserved.some(({ kind }) => kind === "reserved")) return { kind: "done", reason: null, reserved };
    if (checked && !(await storeResubmit(tx, checked))) return undo({ kind: "stale" });
    const subject = request.spec.name;
    const why = { reason: hold?.message ?? "", actor, at: ports.clock.now() };
    if (hold && !(await tx.requests.change(subject, request.version, { hold }, why))) return undo({ kind: "stale" });
    await tx.desk.lookAgain(subject);
    await tx.audit.add({ at: ports.clock.now(), actor, subject, ...entry, outcome: "done" });
    return { kind: "done", reason: effect, reserved };
  });

  async function checkResubmit(): Promise<Checked> {
    const { wish } = request;
    if (!wish || wish.kind === "resubmit") return checkAction(ports, request, wanted);
    const message = `${wish.kind} was asked for by ${wish.actor} and is being carried out`;
    return refusal("refused", message, "ask again when that is through");
  }

  /** Where all of it waits for the loop already, that is made sure of too: the loop may have begun meanwhile. */
  async function storeResubmit(tx: Store, known: Exclude<Checked, Refusal<"refused">>): Promise<boolean> {
    if (known.kind === "go") return storeWish({ ...ports, store: tx }, request, wanted, known, actor);
    const why = { reason: known.why, actor, at: ports.clock.now() };
    return tx.requests.change(request.spec.name, request.version, {}, why);
  }
}

/** Leaves no trace when `work` ends by calling `undo`, whose argument is then the answer. */
async function allOrNothing<T>(store: Store, work: (tx: Store, undo: (answer: T) => never) => Promise<T>): Promise<T> {
  let undone: { answer: T } | null = null;
  const undo = (answer: T): never => {
    undone = { answer };
    throw undone;
  };
  try {
    return await store.transaction((tx) => work(tx, undo));
  } catch (error) {
    if (undone !== null && error === undone) return (undone as { answer: T }).answer;
    throw error;
  }
}
