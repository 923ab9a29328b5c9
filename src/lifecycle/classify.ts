import type { NodeName, RequestName, UnitName } from "../domain/names.ts";
import type { NewNodeAction, NodeAction, NodeChanges } from "../domain/operator.ts";
import type { Problem } from "../domain/problem.ts";
import type { RequestRecord } from "../domain/request.ts";
import { askResubmit } from "./ask-resubmit.ts";
import { changeProblems } from "./node-changes.ts";
import type { Classification, ClassifyAnswer, Seen } from "./port.ts";
import type { LoopPolicy, Ports } from "./ports.ts";
import { allOrNothing, type PresentRun, presentRun } from "./present-run.ts";
import { findUnclassified, type Waiting } from "./unclassified.ts";

type Wanted = Classification & { readonly waiting: Waiting };
type Done = Extract<ClassifyAnswer, { kind: "done" | "would" }>;

/**
 * A person or an agent says what failures mean that no rule knew: all of a call or none. What they say is kept for
 * good. Once nothing waits any more, the nodes to be retried are resubmitted; those given up stay where they stopped.
 */
export async function classify(
  ports: Ports,
  policy: LoopPolicy,
  name: RequestName,
  items: readonly Classification[],
  seen: Seen & { dryRun: boolean },
): Promise<ClassifyAnswer> {
  const request = await ports.store.requests.get(name);
  if (!request) return { kind: "unknown-request" };
  if (seen.version !== null && seen.version !== request.version) return { kind: "stale", request };
  const run = await presentRun(ports.store, request);
  const waiting = run ? await findUnclassified(ports, run) : [];
  const { wanted, problems } = await match(ports, policy, request, items, waiting);
  if (problems.length > 0 || !run) return { kind: "refused", problems };
  const isNew = wanted.some(({ waiting: { classified } }) => classified === null);
  if (isNew && (!run.isOver || !["held", "partial"].includes(request.status)))
    return conflict(`it is ${request.status}: its run has to end first`, "a held request");
  const against = wanted.filter(({ action, waiting: { classified } }) => classified && classified.kind !== action);
  if (against.length > 0) return stands(against.map(({ waiting }) => waiting.classified!));
  if (!isNew) return answerAgain(request, wanted, waiting);
  return seen.dryRun
    ? wouldClassify(ports, policy, run, wanted, waiting, seen)
    : store(ports, policy, run, wanted, waiting, seen);
}

async function match(
  ports: Ports,
  policy: LoopPolicy,
  request: RequestRecord,
  items: readonly Classification[],
  waiting: readonly Waiting[],
): Promise<{ wanted: readonly Wanted[]; problems: readonly Problem[] }> {
  const known = new Map(waiting.map((one) => [place(one), one]));
  const wanted = new Map<string, Wanted>();
  const problems: Problem[] = [];
  if (items.length === 0) problems.push({ path: "items", message: "names nothing", allowed: "a node" });
  for (const [at, item] of items.entries()) {
    const found = known.get(item.node.replace(":", "/"));
    const path = `items[${at}]`;
    if (!found)
      problems.push({
        path: `${path}.node`,
        message: `${item.node} does not wait for a classification`,
        allowed: "as wms2 unclassified lists them",
      });
    else if (wanted.has(place(found)))
      problems.push({ path: `${path}.node`, message: `${item.node} is named twice`, allowed: null });
    else wanted.set(place(found), { ...item, waiting: found });
    for (const problem of await changeProblems(ports, policy, request, item.changes))
      problems.push({ ...problem, path: `${path}.${problem.path}` });
  }
  return { wanted: [...wanted.values()], problems };
}

const place = ({ unit, node }: { unit: string; node: string }): string => `${unit}/${node}`;

const conflict = (message: string, allowed: string): ClassifyAnswer => ({
  kind: "conflict",
  problems: [{ path: "", message, allowed }],
});

const stands = (actions: readonly NodeAction[]): ClassifyAnswer => ({
  kind: "conflict",
  problems: actions.map(({ unit, node, kind, actor, reason }) => ({
    path: `${unit}/${node}`,
    message: `${actor} classified it as ${kind} already: ${reason}`,
    allowed: "wms2 resubmit, which opens a new epoch",
  })),
});

/** Everything named was said before: the same answer again, and nothing is done twice. */
function answerAgain(request: RequestRecord, wanted: readonly Wanted[], waiting: readonly Waiting[]): ClassifyAnswer {
  const open = waiting.filter(({ classified }) => classified === null).length;
  return {
    kind: "done",
    items: wanted.map((one) => ({ node: place(one.waiting), action: one.action, outcome: "already" })),
    open,
    resubmit: null,
    because: "it was classified before",
    request,
  };
}

interface Outlook {
  readonly open: number;
  /** All that are to run again, those of earlier calls too. */
  readonly retries: ReadonlyMap<string, NodeChanges>;
}

function lookAhead(wanted: readonly Wanted[], waiting: readonly Waiting[]): Outlook {
  const said = new Map(wanted.map((one) => [place(one.waiting), one]));
  const retries = new Map<string, NodeChanges>();
  let open = 0;
  for (const one of waiting) {
    const now = said.get(place(one));
    const action = one.classified?.kind ?? now?.action ?? null;
    if (action === null) open += 1;
    if (action === "retry") retries.set(place(one), one.classified?.changes ?? now?.changes ?? {});
  }
  return { open, retries };
}

async function wouldClassify(
  ports: Ports,
  policy: LoopPolicy,
  { request }: PresentRun,
  wanted: readonly Wanted[],
  waiting: readonly Waiting[],
  { actor }: Seen,
): Promise<ClassifyAnswer> {
  const { open, retries } = lookAhead(wanted, waiting);
  const items = wanted.map(({ waiting: one, action }): Done["items"][number] => ({
    node: place(one),
    action,
    outcome: one.classified ? "already" : "reserved",
  }));
  const answer = { kind: "would" as const, items, open, request };
  if (open > 0 || retries.size === 0) return { ...answer, resubmit: null, because: whyNothing(open) };
  const reason = wanted[0]?.reason ?? "";
  const asked = await askResubmit(ports, policy, request, { nodes: retries, actor, reason, dryRun: true });
  if (asked.kind === "refused") return { kind: "conflict", problems: asked.problems };
  if (asked.kind === "stale") return { kind: "stale", request };
  return { ...answer, resubmit: [...retries.keys()], because: asked.because };
}

const whyNothing = (open: number): string =>
  open > 0
    ? `${open} more ${open === 1 ? "waits" : "wait"} to be classified; then those to be retried are resubmitted`
    : "all are given up: nothing is resubmitted; release, restart or fail the request";

function store(
  ports: Ports,
  policy: LoopPolicy,
  run: PresentRun,
  wanted: readonly Wanted[],
  waiting: readonly Waiting[],
  { actor }: Seen,
): Promise<ClassifyAnswer> {
  const { request, rootId } = run;
  const at = ports.clock.now();
  const { open, retries } = lookAhead(wanted, waiting);
  return allOrNothing<ClassifyAnswer>(ports.store, async (tx, undo) => {
    const actions = wanted.map(
      (one): NewNodeAction => ({
        dagId: rootId,
        unit: one.waiting.unit as UnitName,
        node: one.waiting.node as NodeName,
        kind: one.action,
        attempt: one.waiting.attempt,
        epoch: one.waiting.record.epoch,
        actor,
        reason: one.reason,
        changes: one.changes,
        createdAt: at,
      }),
    );
    const reserved = await tx.nodeActions.reserveMany(actions);
    const against = reserved.flatMap((one) => (one.kind === "conflict" ? [one.action] : []));
    if (against.length > 0) return undo(stands(against));
    const items = reserved.map(({ kind }, place): Done["items"][number] => ({
      node: `${actions[place]?.unit}/${actions[place]?.node}`,
      action: wanted[place]?.action ?? "fail",
      outcome: kind === "reserved" ? "reserved" : "already",
    }));
    const reason = wanted[0]?.reason ?? "";
    const isOurs = items.some(({ outcome }) => outcome === "reserved");
    const resubmits = isOurs && open === 0 && retries.size > 0;
    const asked = resubmits
      ? await askResubmit({ ...ports, store: tx }, policy, request, { nodes: retries, actor, reason, dryRun: false })
      : null;
    if (asked?.kind === "stale") return undo({ kind: "stale", request });
    if (asked?.kind === "refused") return undo({ kind: "conflict", problems: asked.problems });
    const detail = { items: wanted.map(({ node, action, changes, reason }) => ({ node, action, changes, reason })) };
    const subject = request.spec.name;
    await tx.audit.add({ at, actor, action: "classify", subject, reason, detail, outcome: "done" });
    return {
      kind: "done",
      items,
      open,
      resubmit: asked ? [...retries.keys()] : null,
      because: asked?.because ?? whyNothing(open),
      request: (await tx.requests.get(subject)) ?? request,
    };
  });
}
