import { batchName, type DagId } from "../domain/names.ts";
import { actMany } from "./act-many.ts";
import { gatherAttempts } from "./attempts.ts";
import { classify } from "./classify.ts";
import { retryNode } from "./node-actions.ts";
import type { AcknowledgeAnswer, DagAnswer, OperatorCommands } from "./port.ts";
import type { LoopPolicy, Ports } from "./ports.ts";
import { banSite, siteEffect, unbanSite } from "./site-actions.ts";
import { gatherUnclassified } from "./unclassified.ts";

/** The operator's commands about nodes, sites, DAGs and alerts. Whatever stored a wish nudges the loop. */
export function operatorCommands(ports: Ports, policy: LoopPolicy, nudge: () => void): OperatorCommands {
  return {
    async actMany(which, wanted, by) {
      const answer = await actMany(ports, policy, which, wanted, by);
      if (answer.results.some((one) => one.answer.kind === "done")) nudge();
      return answer;
    },
    attempts: (name, filter) => gatherAttempts(ports, name, filter),
    unclassified: (name, page) => gatherUnclassified(ports, name, page),
    async classify(name, items, seen) {
      const answer = await classify(ports, policy, name, items, seen);
      if (answer.kind === "done" && answer.resubmit) nudge();
      return answer;
    },
    async retryNode(dagId, wanted, by) {
      const answer = await retryNode(ports, policy, dagId, wanted, by);
      if (answer.kind === "reserved") nudge();
      return answer;
    },
    banSite: (site, wanted, by) => banSite(ports, policy, site, wanted, by),
    unbanSite: (site, wanted, by) => unbanSite(ports, site, wanted, by),
    siteEffect: (site) => siteEffect(ports, site),
    changeDag: (dagId, verb, reason, actor) => changeDag(ports, dagId, verb, reason, actor),
    acknowledge: (id, reason, actor) => acknowledge(ports, id, reason, actor),
  };
}

/** The engine pauses the run, or lets it go on; the request does not move. */
async function changeDag(
  ports: Ports,
  dagId: DagId,
  verb: "hold" | "release",
  reason: string,
  actor: string,
): Promise<DagAnswer> {
  const { store, engine, clock } = ports;
  const dag = await store.dags.get(dagId);
  if (!dag) return { kind: "unknown-dag" };
  if (dag.status !== "submitted" && dag.status !== "running")
    return {
      kind: "not-allowed",
      reason: `it is ${dag.status}: only a DAG that is in the engine can be ${PAST[verb]}`,
    };
  const { submitDir, engineId } = dag;
  await engine[verb]({ dagId, submitDir, engineId, batchName: batchName(dagId), priority: 0 });
  const at = clock.now();
  const workflow = await store.workflows.get(dag.workflowId);
  await store.dags.addEvent({ dagId, type: PAST[verb], detail: { actor, reason }, at });
  const subject = workflow?.requestName ?? dagId;
  await store.audit.add({ at, actor, action: `${verb}-dag`, subject, reason, detail: { dag: dagId }, outcome: "done" });
  return { kind: "done", requestName: workflow?.requestName ?? null };
}
const PAST = { hold: "held", release: "released" } as const;

async function acknowledge(
  { store, clock }: Ports,
  id: string,
  reason: string,
  actor: string,
): Promise<AcknowledgeAnswer> {
  const at = clock.now();
  const isNew = await store.alerts.acknowledge(id, actor, at);
  const alert = await store.alerts.get(id);
  if (!alert) return { kind: "unknown" };
  if (!isNew) return { kind: alert.closedAt ? "closed" : "already", alert };
  const detail = { alert: id, key: alert.key };
  await store.audit.add({ at, actor, action: "acknowledge", subject: alert.subject, reason, detail, outcome: "done" });
  return { kind: "acknowledged", alert };
}
