import { invariant } from "../core/base/errors.ts";
import { type Dag, type DagStatus, isDagOver } from "../core/dag.ts";
import type { HoldReason } from "../core/request.ts";
import { isTerminal, type RequestStatus } from "../core/request-status.ts";
import { type Workflow, workflowStatus } from "../core/workflow.ts";
import { kindOf } from "../kinds/kind.ts";
import type { RequestChange, Store } from "../store/port.ts";
import type { Facts, WaitsOn } from "./decision.ts";
import type { Ports } from "./ports.ts";

/** What came of a decision: rest until the next pass, or look again at once. */
export type Applied = { readonly rest: boolean; readonly waiting: string | null; readonly on?: WaitsOn | undefined };

export const again: Applied = { rest: false, waiting: null };
export const rest = (waiting: string | null, on?: WaitsOn): Applied => ({ rest: true, waiting, on });

/** What is decided about a run is decided where there is one. */
export function theRun({ request, workflow, dag }: Facts): { workflow: Workflow; dag: Dag } {
  invariant(workflow && dag, "there is no run that this could be about", { request: request.spec.name });
  return { workflow, dag };
}

/** Request and workflow move together, or not at all when somebody else moved the request meanwhile. */
export async function move(
  ports: Ports,
  facts: Facts,
  to: RequestStatus,
  reason: string,
  more: RequestChange = {},
  within?: (store: Store, at: Date) => Promise<unknown>,
): Promise<Applied> {
  const { spec, version, status, hold } = facts.request;
  const moved = await ports.store.transaction(async (store) => {
    const at = ports.clock.now();
    const change = { status: to, ...(hold && to !== "held" ? { hold: null } : {}), ...more };
    if (!(await store.requests.change(spec.name, version, change, { reason, actor: "wms2", at }))) return false;
    await within?.(store, at);
    await changeWorkflow(store, facts, () => ({ status: workflowStatus(to) }));
    return true;
  });
  if (moved) {
    const detail = { request: spec.name, from: status, to, reason };
    ports.log.info("request.moved", detail);
    ports.events.emit("request.moved", detail);
  }
  return isTerminal(to) && moved ? rest(null) : again;
}

/** Its end says what it was asked for and does not have: as its reason, and for as long as it is completed. */
export async function moveToCompleted(
  ports: Ports,
  facts: Facts,
  reason: string,
  within: (store: Store, at: Date) => Promise<unknown>,
): Promise<Applied> {
  const { leftOut, request } = facts;
  const change = { rescuesUsed: 0 };
  if (leftOut === null) return move(ports, facts, "completed", reason, change, within);
  const applied = await move(ports, facts, "completed", `${reason}; ${leftOut}`, change, async (store, at) => {
    await within(store, at);
    const waiting = { code: "left-out", reason: leftOut, since: at, until: null, who: "time", details: [] } as const;
    await store.requests.remark(request.spec.name, { waiting });
  });
  return applied.rest ? rest(leftOut, { code: "left-out", until: null }) : applied;
}

/** Its counters may have moved since the facts were gathered (units were recorded): it is read again. */
export async function changeWorkflow(
  store: Store,
  { workflow }: Facts,
  change: (fresh: Workflow) => Partial<Workflow>,
): Promise<void> {
  const fresh = workflow && (await store.workflows.get(workflow.id));
  if (fresh) await store.workflows.change(fresh.id, fresh.version, change(fresh));
}

/**
 * The round is over, whatever became of it: the next plan is for the one after it. What is left behind will never come, so it is
 * planned no more.
 */
export async function closeRound(
  { store, kinds }: Pick<Ports, "store" | "kinds">,
  facts: Facts,
  unitsLeft = 0,
  more: Partial<Workflow> = {},
): Promise<void> {
  const { request, workflow } = facts;
  const { work } = request.spec;
  const files = workflow && work.input ? await store.files.countByState(workflow.id) : null;
  // No round has any of what is not done.
  const counted = files && { ...files, waiting: files.fresh + files.attempted };
  return changeWorkflow(store, facts, (fresh) => {
    const { total = 0, done = 0 } = facts.dag?.nodes ?? {};
    return {
      sharePlanned: kindOf(kinds, work).sharePlanned({ work, workflow: fresh, files: counted }) ?? fresh.sharePlanned,
      round: fresh.round + 1,
      currentDagId: null,
      unitsPlanned: fresh.unitsPlanned - unitsLeft,
      nodesPlanned: fresh.nodesPlanned - (total - done),
      nodesDone: fresh.nodesDone + done,
      ...more,
    };
  });
}

export const endDag = (store: Store, { id, version }: Dag, status: DagStatus, reason: string, at: Date) =>
  store.dags.change(id, version, { status, endReason: reason, endedAt: at }, { reason, at });

/** A run of which nothing is left in the engine ends with its request. */
export async function endRun(store: Store, { dag, sides }: Facts, reason: string, at: Date): Promise<void> {
  await endSides(store, sides, "removed", reason, at);
  if (!dag || isDagOver(dag.status)) return;
  await endDag(store, dag, "removed", reason, at);
  await store.intents.close(dag.id, "stop", "settled", at);
}

/** With the run beside which they were to run. */
export async function endSides(
  store: Store,
  sides: Facts["sides"],
  status: "removed" | "stopped",
  reason: string,
  at: Date,
): Promise<void> {
  for (const { dag } of sides) {
    await endDag(store, dag, status, reason, at);
    await store.intents.close(dag.id, "stop", "settled", at);
  }
}

/** It waits for a person from here on: why, and what that person may do. */
export const holdRequest = (
  ports: Ports,
  facts: Facts,
  hold: HoldReason,
  within?: (store: Store, at: Date) => Promise<unknown>,
): Promise<Applied> => move(ports, facts, "held", `${hold.code}: ${hold.message}`, { hold }, within);
