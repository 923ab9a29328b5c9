import { isDagOver } from "../core/dag.ts";
import type { FindOutcome } from "../engines/port.ts";
import { holdByHand, isStopAction } from "../recovery/round/actions.ts";
import { type Decision, type Facts, isNews } from "./decision.ts";

/** A clean stop: over when nothing of the tree is left in the engine and what finished is recorded. */
export function decideStopping(facts: Facts): Decision {
  const { dag, observation } = facts;
  const reason = dag?.stopReason ?? "stop";
  if (!dag || isDagOver(dag.status)) return decideStopped(facts, reason);
  if (dag.status === "ready" || observation?.kind !== "ended") return { kind: "stop-run", reason };
  if (isNews(facts)) return { kind: "follow", reason: "units finished before the stop" };
  return decideStopped(facts, reason);
}

/**
 * Nothing of the run is left: it goes on from its rescue, or waits for the person who stopped it. Without a wish, a production
 * step was reached: the rest goes on with its priority.
 */
export function decideStopped({ request, observation }: Facts, reason: string): Decision {
  const { wish, productionSteps, status } = request;
  const [step, ...steps] = productionSteps;
  const demote = step && wish === null ? { priority: step.priority, productionSteps: steps } : {};
  const isRoundDone = observation?.kind === "ended" && observation.verdict === "success";
  const stopped = { kind: "stopped", demote, isRoundDone, reason } as const;
  const hold = wish && isStopAction(wish.kind) ? holdByHand({ ...wish, action: wish.kind }, status) : null;
  return { ...stopped, afterwards: hold ?? "resubmitting" };
}

type Wait = { readonly kind: "wait"; readonly reason: string };

/** Whether the engine has to be asked to remove a run that is to end. */
export function decideRemoval(found: FindOutcome): Wait | { readonly kind: "remove" } {
  switch (found.kind) {
    case "unknown":
      return { kind: "wait", reason: `cannot tell whether jobs are left: ${found.why}` };
    case "absent":
      return { kind: "wait", reason: "the engine has let go of it; waits for its last word" };
    case "found":
      return { kind: "remove" };
  }
}

/** A submission that is uncertain was fenced off: what it did before is adopted, to be stopped as a run is. */
export function decideFenced(
  found: FindOutcome,
  leaderForSec: number,
  graceSec: number,
): Wait | { readonly kind: "adopt"; readonly engineId: string } | { readonly kind: "end" } {
  if (found.kind === "unknown") return { kind: "wait", reason: `cannot tell whether it was submitted: ${found.why}` };
  if (found.kind === "found") return { kind: "adopt", engineId: found.engineId };
  if (leaderForSec < graceSec) return { kind: "wait", reason: "an interrupted submission may still be on its way" };
  return { kind: "end" };
}
