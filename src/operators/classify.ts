import type { RequestName } from "../domain/names.ts";
import type { NodeAction, NodeChanges } from "../domain/operator.ts";
import type { Problem } from "../domain/problem.ts";
import type { RequestRecord } from "../domain/request.ts";
import type { Ports, Work } from "../lifecycle/ports.ts";
import { refusal } from "./check-action.ts";
import { changeProblems } from "./check-changes.ts";
import type {
  By,
  Classification,
  ClassifyAnswer,
  LastAttempt,
  Refusal,
  Seen,
  UnclassifiedNode,
  UnclassifiedPage,
} from "./port.ts";
import { lastAttempts, type PresentRun, presentRun, unfinishedUnits } from "./present-run.ts";
import { newAction, reserve } from "./reserve.ts";

type Waiting = Omit<UnclassifiedNode, "stderrTail">;
type Wanted = Classification & { readonly waiting: Waiting };

/** Nodes whose last failure no rule knew, in the present run; null: no such request. */
export async function unclassified(
  ports: Ports,
  name: RequestName,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<UnclassifiedPage | null> {
  const request = await ports.store.requests.get(name);
  if (!request) return null;
  const run = await presentRun(ports.store, request);
  if (!run) return { total: 0, open: 0, items: [] };
  const waiting = await findUnclassified(ports, run);
  const items = [];
  for (const one of waiting.slice(offset, offset + limit))
    items.push({ ...one, stderrTail: await ports.spool.logTail(run.dag.submitDir, one.unit, one.node) });
  return { total: waiting.length, open: waiting.filter(({ classified }) => classified === null).length, items };
}

/** Those of the present run, by unit and node. */
async function findUnclassified(ports: Ports, run: PresentRun): Promise<readonly Waiting[]> {
  const found: LastAttempt[] = [];
  for (const unit of await unfinishedUnits(ports, run))
    found.push(...(await lastAttempts(ports, run, unit)).filter(({ record }) => record.decision === "unclassified"));
  const actions = found.length > 0 ? await ports.store.nodeActions.list(run.rootId) : [];
  const said = new Map(actions.filter(({ kind }) => kind !== "resubmit").map((one) => [attemptKey(one), one]));
  return found.map((one) => ({ ...one, classified: said.get(attemptKey(one)) ?? null }));
}

const place = ({ unit, node }: { unit: string; node: string }): string => `${unit}/${node}`;
const attemptKey = (one: { unit: string; node: string; attempt: number }): string => `${place(one)} ${one.attempt}`;

/**
 * A person or an agent says what failures mean that no rule knew: all of a call or none. What they say is kept for
 * good. Once nothing waits any more, the nodes to be retried are resubmitted; those given up stay where they stopped.
 */
export async function classify(
  ports: Work,
  name: RequestName,
  items: readonly Classification[],
  seen: Seen & By,
): Promise<ClassifyAnswer> {
  const request = await ports.store.requests.get(name);
  if (!request) return { kind: "unknown-request" };
  if (seen.version !== null && seen.version !== request.version) return { kind: "stale", request };
  const run = await presentRun(ports.store, request);
  const waiting = run ? await findUnclassified(ports, run) : [];
  const { wanted, problems } = await match(ports, request, items, waiting);
  if (problems.length > 0 || !run) return { kind: "refused", problems };
  const isNew = wanted.some(({ waiting: { classified } }) => classified === null);
  if (isNew && (!run.isOver || !["held", "partial"].includes(request.status)))
    return refusal("conflict", `it is ${request.status}: its run has to end first`, "a held request");
  const against = wanted.flatMap(({ action, waiting: { classified } }) =>
    classified && classified.kind !== action ? [classified] : [],
  );
  if (against.length > 0) return stands(against);
  const { open, retries } = lookAhead(wanted, waiting);
  const answers = wanted.map((one) => {
    const outcome: "already" | "reserved" = one.waiting.classified ? "already" : "reserved";
    return { node: place(one.waiting), action: one.action, outcome };
  });
  // Everything named was said before: the same answer again, and nothing is done twice.
  if (!isNew)
    return { kind: "done", items: answers, open, resubmit: null, reason: "it was classified before", request };

  const at = ports.clock.now();
  const actions = wanted.map(({ waiting, action, reason, changes }) =>
    newAction(run, waiting, { kind: action, reason, changes, actor: seen.actor, at }),
  );
  const reason = wanted[0]?.reason ?? "";
  const said = wanted.map(({ node, action, changes, reason }) => ({ node, action, changes, reason }));
  const entry = { action: "classify", reason, detail: { items: said } };
  const resubmit = open === 0 ? retries : new Map<string, NodeChanges>();
  const answer = await reserve(ports, run, { actions, resubmit, reason, entry }, seen);
  switch (answer.kind) {
    case "conflict":
      return answer;
    case "stale":
      return { kind: "stale", request };
    case "against":
      return stands(answer.actions);
    default: {
      const outcomes = answer.kind === "done" ? answer.reserved.map(({ kind }) => kind) : [];
      return {
        kind: answer.kind,
        items: answers.map((one, at) => ({ ...one, outcome: outcomes[at] === "already" ? "already" : one.outcome })),
        open,
        resubmit: answer.reason === null ? null : [...resubmit.keys()],
        reason: answer.reason ?? whyNothing(open),
        request: (await ports.store.requests.get(name)) ?? request,
      };
    }
  }
}

async function match(
  ports: Work,
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
    if (!found) {
      const message = `${item.node} does not wait for a classification`;
      problems.push({ path: `${path}.node`, message, allowed: "as wms2 unclassified lists them" });
    } else if (wanted.has(place(found)))
      problems.push({ path: `${path}.node`, message: `${item.node} is named twice`, allowed: null });
    else wanted.set(place(found), { ...item, waiting: found });
    for (const problem of await changeProblems(ports, request, item.changes))
      problems.push({ ...problem, path: `${path}.${problem.path}` });
  }
  return { wanted: [...wanted.values()], problems };
}

const stands = (actions: readonly NodeAction[]): Refusal<"conflict"> => ({
  kind: "conflict",
  problems: actions.map(({ unit, node, kind, actor, reason }) => ({
    path: `${unit}/${node}`,
    message: `${actor} classified it as ${kind} already: ${reason}`,
    allowed: "wms2 resubmit, which opens a new epoch",
  })),
});

/** How many still wait after this call, and all that are to run again: those of earlier calls too. */
function lookAhead(wanted: readonly Wanted[], waiting: readonly Waiting[]) {
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

const whyNothing = (open: number): string =>
  open > 0
    ? `${open} more ${open === 1 ? "waits" : "wait"} to be classified; then those to be retried are resubmitted`
    : "all are given up: nothing is resubmitted; release, restart or fail the request";
