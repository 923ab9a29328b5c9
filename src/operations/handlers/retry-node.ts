import type { Dag } from "../../core/dag.ts";
import type { DagId, RequestName } from "../../core/names.ts";
import type { NodeAction } from "../../core/operator.ts";
import type { Ports, Work } from "../../loop/ports.ts";
import { refusal } from "./check-action.ts";
import { changeProblems } from "./check-changes.ts";
import type { By, LastAttempt, NoRetry, RetryAnswer, RetryWanted } from "./port.ts";
import { lastAttempts, type PresentRun, presentRun, unfinishedUnits } from "./present-run.ts";
import { newAction, reserve } from "./reserve.ts";

/**
 * Reserves one more attempt of a failed node: atomic, idempotent, carried out by a resubmit of that node. It opens no
 * epoch: the budgets hold, and who wants fresh ones asks for a resubmit.
 */
export async function retryNode(ports: Work, dagId: DagId, wanted: RetryWanted, by: By): Promise<RetryAnswer> {
  const dag = await ports.store.dags.get(dagId);
  const workflow = dag && (await ports.store.workflows.get(dag.workflowId));
  if (!dag || !workflow) return { kind: "unknown", what: `dag ${dagId}` };
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const answer = await tryOnce(ports, dag, workflow.requestName, wanted, by);
    if (answer.kind !== "stale") return answer;
  }
  return refusal("conflict", "others change this request all the time", "ask again");
}
const MOST_TRIES = 60;

async function tryOnce(
  ports: Work,
  dag: Dag,
  requestName: RequestName,
  wanted: RetryWanted,
  by: By,
): Promise<RetryAnswer | { kind: "stale" }> {
  const request = await ports.store.requests.get(requestName);
  const run = request && (await presentRun(ports.store, request));
  if (!run || run.dag.submitDir !== dag.submitDir)
    return refusal("conflict", "the round of this DAG is closed", "a node of the present round");
  const names = await ports.spool.jobNames(dag.submitDir);
  const named = names.nodeOf(wanted.node);
  const last = await findNode(ports, run, { ...wanted, node: named, unit: wanted.unit && names.nodeOf(wanted.unit) });
  if ("kind" in last) return last;
  const { reason, changes } = wanted;
  const action = newAction(run, last, { kind: "retry", reason, changes, actor: by.actor, at: ports.clock.now() });
  const { unit, node, attempt } = action;
  const said = await ports.store.nodeActions.list(run.rootId, unit, node);
  // Asked again for what was reserved, the answer is the same, whatever became of it since.
  const asked = wanted.attempt ?? attempt;
  const standing = said.find((one) => one.attempt === asked && one.kind !== "resubmit");
  if (standing)
    return standing.kind === "retry" ? { kind: "already", action: standing, requestName } : givenUp(standing);
  if (run.dag.id !== dag.id)
    return refusal("conflict", `this DAG was replaced by ${run.dag.id}, which ran since`, "that one");
  const refused = refuse(run, last, wanted);
  if (refused) return refused;
  const problems = await changeProblems(ports, run.request, changes);
  if (problems.length > 0) return { kind: "refused", problems };
  const place = `${unit}/${node}`;
  const entry = {
    action: "retry-node",
    reason: `retry of ${place}: ${reason}`,
    detail: { unit, node, attempt, changes },
  };
  const resubmit = new Map([[place, changes]]);
  const answer = await reserve(ports, run, { actions: [action], resubmit, inSameEpoch: true, reason, entry }, by);
  switch (answer.kind) {
    case "would":
      return { kind: "would", action, requestName };
    case "done":
      return { ...(answer.reserved[0] as RetryAnswer & { kind: "reserved" | "already" }), requestName };
    case "against":
      return givenUp(answer.actions[0] as NodeAction);
    default:
      return answer;
  }
}

/** A node by its unit and name, or by its name alone where that is unique. */
async function findNode(ports: Ports, run: PresentRun, { unit, node }: RetryWanted): Promise<LastAttempt | NoRetry> {
  const units = unit === null ? await unfinishedUnits(ports, run) : [unit];
  const [found, ...more] = (await lastAttempts(ports, run, units)).filter((one) => one.node === node);
  if (found && more.length > 0) {
    const allowed = `with its unit, like ${found.unit}:${node}`;
    return refusal("refused", `several units have a node ${node}`, allowed, "node");
  }
  return found ?? neverFailed(ports, run, unit, node);
}

/** A node that is there, but of which no attempt has ended. */
async function neverFailed(ports: Ports, run: PresentRun, unit: string | null, node: string): Promise<NoRetry> {
  const { submitDir } = run.dag;
  for (const at of await ports.spool.unitNames(submitDir)) {
    if ((unit !== null && at !== unit) || !(await ports.spool.nodeNames(submitDir, at)).includes(node)) continue;
    const message = run.isOver
      ? "it has not run: something before it failed"
      : "it has not failed: it runs, or waits to";
    return refusal("conflict", `${message} (${at}/${node})`, "a node that failed");
  }
  return { kind: "unknown", what: `node ${unit === null ? node : `${unit}/${node}`} in this run` };
}

const NEW_EPOCH = "wms2 resubmit, which opens a new epoch";
const givenUp = ({ actor, reason }: NodeAction) =>
  refusal("conflict", `${actor} gave this attempt up: ${reason}`, NEW_EPOCH);

/** Stops that say: this budget is used up. A run's own RETRY is not among them: the next run has it again. */
const SPENT: Readonly<Record<string, string>> = {
  executions: "its executions are used up",
  "rule-retries": "the retries its rule allows are used up",
  losses: "it was lost too often",
};

/** The run is the one that was meant, the state allows it, there is budget left. */
function refuse({ isOver }: PresentRun, { record, attempt }: LastAttempt, wanted: RetryWanted): NoRetry | null {
  const { decision, why, rrn, retriesLeft } = record;
  if (wanted.attempt !== null && wanted.attempt !== attempt)
    return refusal("conflict", `its last attempt is ${attempt}, not ${wanted.attempt}`, "the attempt that failed last");
  if (decision === "done") return refusal("conflict", "it is done, and is never run again", null);
  if (!isOver) {
    const message = decision === "retry" ? "it is being tried again already" : "its run goes on";
    return refusal("conflict", message, "a node of a run that has ended");
  }
  const tooOften = wanted.maxRetries !== null && rrn > wanted.maxRetries ? `it was executed ${rrn} times` : null;
  const spent = SPENT[why ?? ""] ?? (retriesLeft === 0 ? "the retries it may have are used up" : tooOften);
  return spent === null ? null : refusal("refused", spent, NEW_EPOCH);
}
