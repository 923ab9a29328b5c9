import { invariant } from "../base/errors.ts";
import type { DagId, NodeName, RequestName, UnitName } from "../domain/names.ts";
import type { DagRecord, NewNodeAction, NodeAction } from "../domain/operator.ts";
import type { Problem } from "../domain/problem.ts";
import type { RequestRecord } from "../domain/request.ts";
import type { AttemptRecord } from "../recovery/ledger-record.ts";
import { askResubmit } from "./ask-resubmit.ts";
import { changeProblems } from "./node-changes.ts";
import type { By, RetryAnswer, RetryWanted } from "./port.ts";
import type { LoopPolicy, Ports } from "./ports.ts";
import {
  allOrNothing,
  type LastAttempt,
  lastAttempts,
  type PresentRun,
  presentRun,
  rootOf,
  unfinishedUnits,
} from "./present-run.ts";

/**
 * One more attempt of one failed node, asked for by a person or a program. The reservation and the wish that carries
 * it out are stored in one transaction: of any number of callers one makes them, the others read what stands.
 */
export async function retryNode(
  ports: Ports,
  policy: LoopPolicy,
  dagId: DagId,
  wanted: RetryWanted,
  by: By,
): Promise<RetryAnswer> {
  const dag = await ports.store.dags.get(dagId);
  const workflow = dag && (await ports.store.workflows.get(dag.workflowId));
  if (!dag || !workflow) return { kind: "unknown", what: `dag ${dagId}` };
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const answer = await tryOnce(ports, policy, dag, workflow.requestName, wanted, by);
    if (answer.kind !== "stale") return answer;
  }
  return conflict("others change this request all the time", "ask again");
}
const MOST_TRIES = 60;

async function tryOnce(
  ports: Ports,
  policy: LoopPolicy,
  dag: DagRecord,
  name: RequestName,
  wanted: RetryWanted,
  by: By,
): Promise<RetryAnswer | { kind: "stale" }> {
  const request = await ports.store.requests.get(name);
  const run = request && (await presentRun(ports.store, request));
  if (!run || run.dag.submitDir !== dag.submitDir)
    return conflict("the round of this DAG was left behind", "a node of the present round");
  const place = await findNode(ports, run, wanted);
  if (!("unit" in place)) return place;
  const rootId = (await rootOf(ports.store, dag)).id;
  const action = reservation(rootId, place, wanted, by, ports.clock.now());
  const standing = await standingAction(ports, action);
  if (standing) return answerStanding(standing, name);
  const refusal = refuse(run, place, wanted) ?? (await refuseChanges(ports, policy, run.request, wanted));
  if (refusal) return refusal;
  return by.dryRun
    ? wouldReserve(ports, policy, run, action)
    : reserve(ports, policy, name, action, `retry of ${place.unit}/${place.node}: ${wanted.reason}`);
}

interface Place extends LastAttempt {
  readonly unit: string;
  readonly node: string;
}

/** A node by its unit and name, or by its name alone where that is unique. */
async function findNode(ports: Ports, run: PresentRun, { unit, node }: RetryWanted): Promise<Place | RetryAnswer> {
  const units = unit === null ? await unfinishedUnits(ports, run) : [unit];
  const found: Place[] = [];
  for (const at of units) {
    const last = lastAttempts((await ports.spool.ledger(run.dag.submitDir, at)).lines).get(node);
    if (last) found.push({ unit: at, node, ...last });
    if (found.length > 1) break;
  }
  const [first, second] = found;
  if (second)
    return {
      kind: "refused",
      problems: [
        {
          path: "node",
          message: `several units have a node ${node}`,
          allowed: `with its unit, like ${first?.unit}:${node}`,
        },
      ],
    };
  return first ?? { kind: "unknown", what: `attempt of ${unit === null ? node : `${unit}/${node}`} in this run` };
}

function reservation(
  dagId: DagId,
  { unit, node, attempt, record }: Place,
  wanted: RetryWanted,
  by: By,
  createdAt: Date,
): NewNodeAction {
  return {
    dagId,
    unit: unit as UnitName,
    node: node as NodeName,
    kind: "retry",
    attempt,
    epoch: record.epoch,
    actor: by.actor,
    reason: wanted.reason,
    changes: wanted.changes,
    createdAt,
  };
}

/** What was said of this attempt before; null: nothing. */
export async function standingAction(
  ports: Ports,
  { dagId, unit, node, attempt }: Pick<NewNodeAction, "dagId" | "unit" | "node" | "attempt">,
): Promise<NodeAction | null> {
  const { items } = await ports.store.nodeActions.list({ dagId, unit, node, limit: 100 });
  return items.find((action) => action.attempt === attempt && action.kind !== "resubmit") ?? null;
}

const answerStanding = (action: NodeAction, requestName: RequestName): RetryAnswer =>
  action.kind === "retry" ? { kind: "already", action, requestName } : failed(action);

const failed = ({ actor, reason }: NodeAction): RetryAnswer =>
  conflict(`${actor} gave this attempt up: ${reason}`, "wms2 resubmit, which opens a new epoch");

function conflict(message: string, allowed: string | null): RetryAnswer & { kind: "conflict" } {
  return { kind: "conflict", problems: [{ path: "", message, allowed }] };
}

/** Stops that say: this budget is used up. A run's own RETRY is not among them: the next run has it anew. */
const SPENT: Readonly<Record<string, string>> = {
  executions: "its executions are used up",
  "rule-retries": "the retries its rule allows are used up",
  losses: "it was lost too often",
};

/** 002: the run is the one that was meant, the state allows it, there is budget left. */
function refuse(run: PresentRun, { record, attempt }: Place, wanted: RetryWanted): RetryAnswer | null {
  if (wanted.attempt !== null && wanted.attempt !== attempt)
    return conflict(`its last attempt is ${attempt}, not ${wanted.attempt}`, "the attempt that failed last");
  if (record.decision === "done") return conflict("it is done, and is never run again", null);
  if (!run.isOver)
    return conflict(
      record.decision === "retry" ? "it is being tried again already" : "its run goes on",
      "a node of a run that has ended",
    );
  return refuseBudget(record, wanted);
}

function refuseBudget({ why, rrn }: AttemptRecord, { maxRetries }: RetryWanted): RetryAnswer | null {
  const spent = SPENT[why ?? ""] ?? null;
  const tooOften = maxRetries !== null && rrn > maxRetries ? `it was executed ${rrn} times` : null;
  const message = spent ?? tooOften;
  if (message === null) return null;
  const problem: Problem = { path: "", message, allowed: "wms2 resubmit, which opens a new epoch" };
  return { kind: "refused", problems: [problem] };
}

async function refuseChanges(
  ports: Ports,
  policy: LoopPolicy,
  request: RequestRecord,
  { changes }: RetryWanted,
): Promise<RetryAnswer | null> {
  const problems = await changeProblems(ports, policy, request, changes);
  return problems.length > 0 ? { kind: "refused", problems } : null;
}

async function wouldReserve(
  ports: Ports,
  policy: LoopPolicy,
  { request }: PresentRun,
  action: NewNodeAction,
): Promise<RetryAnswer | { kind: "stale" }> {
  const asked = await askResubmit(ports, policy, request, { ...nodesOf(action), dryRun: true });
  if (asked.kind === "refused") return { kind: "conflict", problems: asked.problems };
  return asked.kind === "stale" ? asked : { kind: "would", action, requestName: request.spec.name };
}

const nodesOf = ({ unit, node, changes, actor, reason }: NewNodeAction) => ({
  nodes: new Map([[`${unit}/${node}`, changes]]),
  actor,
  reason,
});

function reserve(
  ports: Ports,
  policy: LoopPolicy,
  name: RequestName,
  action: NewNodeAction,
  because: string,
): Promise<RetryAnswer | { kind: "stale" }> {
  return allOrNothing<RetryAnswer | { kind: "stale" }>(ports.store, async (store, undo) => {
    const within = { ...ports, store };
    const reserved = await store.nodeActions.reserve(action);
    if (reserved.kind === "conflict") return failed(reserved.action);
    if (reserved.kind === "already") return { kind: "already", action: reserved.action, requestName: name };
    const request = await store.requests.get(name);
    invariant(request, "the request vanished", { name });
    const asked = await askResubmit(within, policy, request, { ...nodesOf(action), dryRun: false });
    if (asked.kind === "stale") return undo(asked);
    if (asked.kind === "refused") return undo({ kind: "conflict", problems: asked.problems });
    await store.audit.add({
      at: action.createdAt,
      actor: action.actor,
      action: "retry-node",
      subject: name,
      reason: because,
      detail: { unit: action.unit, node: action.node, attempt: action.attempt, changes: action.changes },
      outcome: "done",
    });
    return { kind: "reserved", action: reserved.action, requestName: name };
  });
}
