import { isInEngine, runningNodes } from "../../core/dag.ts";
import { isTerminal } from "../../core/request-status.ts";
import { runOf } from "../../loop/gather.ts";
import type { Ports } from "../../loop/ports.ts";
import { admissionLimits } from "../../loop/queue.ts";
import { describePause, describePriority, samePriority } from "../../recovery/explain/describe-change.ts";
import { movedOn } from "./act.ts";
import type { Commands } from "./port.ts";

/** Small changes that are made at once: nothing of them is left to the loop. */
type Command<Name extends keyof Commands> = (
  ports: Ports,
  ...args: Parameters<Commands[Name]>
) => ReturnType<Commands[Name]>;

export const reprioritise: Command<"reprioritise"> = async (
  { store, clock },
  name,
  { reason, ...wanted },
  { actor, version, dryRun },
) => {
  const request = await store.requests.get(name);
  if (!request) return { kind: "unknown-request" };
  if (version !== null && version !== request.version) return movedOn(store, request);
  const { status, productionSteps } = request;
  if (isTerminal(status)) return { kind: "not-allowed", reason: `${name} is ${status}: nothing is left to prioritise` };
  if (wanted.urgent && productionSteps.length > 0)
    return { kind: "not-allowed", reason: `${name} has production steps: it cannot be urgent as well` };
  const message = describePriority(request, wanted);
  if (message === null) return { kind: "already", request, message: samePriority(request) };
  if (dryRun) return { kind: "would", request, message };
  const why = { reason: [message, ...(reason ? [reason] : [])].join(": "), actor, at: clock.now() };
  const isDone = await store.transaction(
    async (tx) =>
      (await tx.requests.change(name, request.version, wanted, why)) &&
      tx.audit.add({ ...why, action: "priority", subject: name, detail: {}, outcome: "done" }),
  );
  const now = (await store.requests.get(name)) ?? request;
  return isDone ? { kind: "changed", request: now, message } : movedOn(store, now);
};

const PAST = { hold: "held", release: "released" } as const;

export const changeDag: Command<"changeDag"> = async (
  { store, engine, clock },
  dagId,
  verb,
  reason,
  { actor, dryRun },
) => {
  const dag = await store.dags.get(dagId);
  if (!dag) return { kind: "unknown-dag" };
  if (!isInEngine(dag.status)) {
    const why = `it is ${dag.status}: only a DAG that is in the engine can be ${PAST[verb]}`;
    return { kind: "not-allowed", reason: why };
  }
  const message = describePause(verb, runningNodes(dag.nodes));
  if (dryRun) return { kind: "would", message };
  await engine[verb](runOf(dag, 0));
  const at = clock.now();
  const requestName = (await store.workflows.get(dag.workflowId))?.requestName ?? null;
  await store.dags.addEvent({ dagId, type: PAST[verb], detail: { actor, reason }, at });
  const subject = requestName ?? dagId;
  await store.audit.add({ at, actor, action: `${verb}-dag`, subject, reason, detail: { dag: dagId }, outcome: "done" });
  return { kind: "done", message };
};

export const acknowledge: Command<"acknowledge"> = async ({ store, clock }, id, reason, actor) => {
  const at = clock.now();
  const isNew = await store.alerts.acknowledge(id, actor, at);
  const alert = await store.alerts.get(id);
  if (!alert) return { kind: "unknown" };
  if (!isNew) return { kind: alert.closedAt ? "closed" : "already", alert };
  const detail = { alert: id, key: alert.key };
  await store.audit.add({ at, actor, action: "acknowledge", subject: alert.subject, reason, detail, outcome: "done" });
  return { kind: "acknowledged", alert };
};

export const setAdmission: Command<"setAdmission"> = async (ports, limits, actor) => {
  const next = { ...(await admissionLimits(ports)), ...limits };
  const at = ports.clock.now();
  const [reason, action] = [`at most ${next.maxActive} active`, "admission"];
  await ports.store.transaction(async (tx) => {
    await tx.settings.set("admission", next, actor, at);
    await tx.audit.add({ at, actor, action, subject: action, reason, detail: {}, outcome: "done" });
  });
  return next;
};
