import { secondsBetween } from "../base/clock.ts";
import type { QueueEntry } from "../domain/admission.ts";
import { type Dag, type EngineIntent, isDagOver } from "../domain/dag.ts";
import type { UnitName } from "../domain/names.ts";
import type { HoldReason, RequestRecord } from "../domain/request.ts";
import { REQUEST_STATUS } from "../domain/request-status.ts";
import type { RunObservation } from "../domain/run.ts";
import type { Workflow } from "../domain/workflow.ts";
import { holdForFailures, type RoundFailures } from "../recovery/decide-round.ts";

/** What a pass knows about one request. Gathered once; the decision reads nothing else. */
export interface Facts {
  readonly request: RequestRecord;
  readonly workflow: Workflow | null;
  /** The DAG of the present round; null before it is planned. */
  readonly dag: Dag | null;
  readonly submitIntent: EngineIntent | null;
  /** null: the engine was not asked (no run), or could not be. */
  readonly observation: RunObservation | null;
  readonly admission: QueueEntry | null;
  /** The submit directory stands under its final name. */
  readonly directoryComplete: boolean;
  /** Units the engine calls done that have no row yet. */
  readonly newlyDone: readonly UnitName[];
  readonly unitsOwed: number;
  /** Registrations that failed too often, with the last words. */
  readonly registrationTrouble: string | null;
  /** Is there work beyond what was planned so far? */
  readonly workRemains: boolean;
  /** Only gathered for `partial`. */
  readonly failures: RoundFailures | null;
  /** How long this server has been the one that runs the loop. */
  readonly leaderForSec: number;
}

export type Decision =
  /** Nothing to do, or cannot tell yet: the reason is shown to whoever asks why nothing happens. */
  | { readonly kind: "wait"; readonly because: string }
  | { readonly kind: "open-workflow"; readonly because: string }
  | { readonly kind: "start"; readonly because: string }
  | { readonly kind: "plan"; readonly because: string }
  | { readonly kind: "discard-plan"; readonly because: string }
  /** `ask`: an earlier try may have reached the engine, so ask before submitting. */
  | { readonly kind: "submit"; readonly ask: boolean; readonly because: string }
  /** Store the engine's progress; record newly finished units as owed. */
  | { readonly kind: "follow"; readonly because: string }
  | { readonly kind: "register"; readonly because: string }
  | { readonly kind: "finish-round"; readonly next: "queued" | "completed"; readonly because: string }
  | {
      readonly kind: "end-partial";
      readonly dagStatus: "partial" | "failed" | "removed" | "halted";
      readonly because: string;
    }
  | { readonly kind: "complete"; readonly because: string }
  | { readonly kind: "hold"; readonly hold: HoldReason }
  | { readonly kind: "stop-run"; readonly because: string }
  | { readonly kind: "abort"; readonly because: string };

export interface DecidePolicy {
  readonly resubmitGraceSec: number;
}

/** One request, one look, one decision. Pure; applies to every status that is not over. */
export function decide(facts: Facts, policy: DecidePolicy, now: Date): Decision {
  const decision = facts.request.wish?.kind === "abort" ? decideAbort(facts) : decideByStatus(facts, policy);
  return decision.kind === "wait" ? (overdue(facts, decision.because, now) ?? decision) : decision;
}

function decideByStatus(facts: Facts, policy: DecidePolicy): Decision {
  if (facts.registrationTrouble)
    return hold("registration-failed", facts.registrationTrouble, {}, ["release", "abort"]);
  switch (facts.request.status) {
    case "submitted":
      return { kind: "open-workflow", because: "handed in" };
    case "queued":
      return decideQueued(facts);
    case "planning":
      return decidePlanning(facts, policy);
    case "active":
      return decideActive(facts);
    case "partial":
      return facts.unitsOwed > 0
        ? { kind: "register", because: `${facts.unitsOwed} finished units are owed to the catalog` }
        : holdForFailures(facts.failures);
    case "held":
      return { kind: "wait", because: `held: ${facts.request.hold?.message ?? "no reason was kept"}` };
    default:
      return { kind: "wait", because: `nothing to do while ${facts.request.status}` };
  }
}

function decideQueued({ admission }: Facts): Decision {
  if (admission?.verdict === "start") return { kind: "start", because: admission.reason };
  return { kind: "wait", because: admission?.reason ?? "waits for the next look at the queue" };
}

function decidePlanning(facts: Facts, policy: DecidePolicy): Decision {
  const { dag, submitIntent } = facts;
  if (!dag || isDagOver(dag.status)) {
    if (facts.workRemains)
      return { kind: "plan", because: `round ${facts.workflow?.round ?? 0} is to be planned` };
    if (facts.unitsOwed > 0) return { kind: "register", because: "all work is done, outputs are still owed" };
    return { kind: "complete", because: "no work is left" };
  }
  if (dag.status === "planning") {
    return { kind: "discard-plan", because: "the writing of its submit directory was interrupted" };
  }
  if (dag.status === "ready") {
    if (!facts.directoryComplete) return { kind: "discard-plan", because: "its submit directory is gone" };
    if (!submitIntent) return { kind: "submit", ask: false, because: "its submit directory is complete" };
    if (facts.leaderForSec < policy.resubmitGraceSec) {
      return { kind: "wait", because: "an interrupted submission may still be on its way to the engine" };
    }
    return {
      kind: "submit",
      ask: true,
      because: `submission was begun before (${submitIntent.tries} tries)`,
    };
  }
  return { kind: "wait", because: `planning with a DAG that is ${dag.status}` };
}

function decideActive(facts: Facts): Decision {
  const { dag, observation } = facts;
  if (!dag) return hold("bug", "active without a DAG", {}, ["abort"]);
  if (!observation) return { kind: "wait", because: "the engine could not be asked" };
  if (observation.kind === "unknown")
    return { kind: "wait", because: `the engine cannot tell: ${observation.why}` };
  if (isNews(facts)) return { kind: "follow", because: "the engine has news" };
  if (facts.unitsOwed > 0) {
    return { kind: "register", because: `${facts.unitsOwed} finished units are owed to the catalog` };
  }
  if (observation.kind === "running") {
    const { units } = observation;
    return {
      kind: "wait",
      because: observation.note ?? `running: ${units.done} of ${units.total} units done`,
    };
  }
  if (observation.verdict === "success") {
    return facts.workRemains
      ? { kind: "finish-round", next: "queued", because: "the round is done and work remains" }
      : { kind: "finish-round", next: "completed", because: "all work is done and registered" };
  }
  return { kind: "end-partial", dagStatus: endStatus(observation), because: describeEnd(observation) };
}

type Ended = Extract<RunObservation, { kind: "ended" }>;

/** The engine shows other numbers than the store has, or units done that have no row yet. */
function isNews({ dag, observation, newlyDone }: Facts): boolean {
  if (!dag || !observation || observation.kind === "unknown") return false;
  const { nodes, units } = observation;
  return (
    dag.status === "submitted" ||
    newlyDone.length > 0 ||
    (Object.keys(nodes) as (keyof typeof nodes)[]).some((key) => nodes[key] !== dag.nodes[key]) ||
    (Object.keys(units) as (keyof typeof units)[]).some((key) => units[key] !== dag.units[key])
  );
}

function endStatus(ended: Ended): "partial" | "failed" | "removed" | "halted" {
  if (ended.verdict === "removed") return "removed";
  if (ended.verdict === "halted") return "halted";
  return ended.unitsDone.length > 0 ? "partial" : "failed";
}

function describeEnd(ended: Ended): string {
  const counts = `${ended.units.done} of ${ended.units.total} units done, ${ended.units.failed} failed`;
  const words = ended.words ? `: ${ended.words}` : "";
  return `the run ended as ${ended.verdict} (${counts})${words}`;
}

function decideAbort(facts: Facts): Decision {
  const { dag, request, observation } = facts;
  const because = `aborted by ${request.wish?.actor}: ${request.wish?.reason}`;
  const mayRun =
    dag && (["submitted", "running"].includes(dag.status) || (dag.status === "ready" && facts.submitIntent));
  if (!mayRun) return facts.unitsOwed > 0 ? { kind: "register", because } : { kind: "abort", because };
  if (observation?.kind === "ended") {
    if (isNews(facts)) return { kind: "follow", because: "units finished before the abort" };
    return facts.unitsOwed > 0 ? { kind: "register", because } : { kind: "abort", because };
  }
  return { kind: "stop-run", because };
}

/** D16: a timeout raises attention and never stops evaluation; where only a person can help, it holds. */
function overdue(facts: Facts, because: string, now: Date): Decision | null {
  const { status, statusSince } = facts.request;
  const { timeoutSec } = REQUEST_STATUS[status];
  if (timeoutSec === null || secondsBetween(statusSince, now) <= timeoutSec) return null;
  if (!["submitted", "planning", "resubmitting"].includes(status)) return null;
  return hold("stuck", `${status} for more than ${timeoutSec} s: ${because}`, { status, because }, [
    "release",
    "abort",
  ]);
}

/** Whether somebody should look at a request that has been in its status for too long. */
export function isOverdue(request: RequestRecord, now: Date): boolean {
  const { timeoutSec } = REQUEST_STATUS[request.status];
  return timeoutSec !== null && secondsBetween(request.statusSince, now) > timeoutSec;
}

export function hold(
  code: string,
  message: string,
  evidence: Readonly<Record<string, unknown>>,
  actions: readonly string[],
): Extract<Decision, { kind: "hold" }> {
  return { kind: "hold", hold: { code, message, evidence, actions } };
}
