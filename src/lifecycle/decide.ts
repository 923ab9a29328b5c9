import { secondsBetween } from "../base/clock.ts";
import { isDagOver } from "../domain/dag.ts";
import { REQUEST_STATUS } from "../domain/request-status.ts";
import type { RunObservation } from "../domain/run.ts";
import { explainOutputs, troubleWords } from "../outputs/explain-outputs.ts";
import { decideRound } from "../recovery/round/decide.ts";
import { decideStopped, decideStopping } from "./decide-stop.ts";
import { decideWish } from "./decide-wish.ts";
import { bug, type Decision, type Facts, hold, isNews, owesOutputs } from "./decision.ts";
import type { LoopPolicy } from "./ports.ts";

type DecidePolicy = Pick<LoopPolicy, "resubmitGraceSec">;

/** One request, one look, one decision. Pure; applies to every status that is not over. */
export function decide(facts: Facts, policy: DecidePolicy, now: Date): Decision {
  if (facts.foreignEngine) return decideForeign(facts, facts.foreignEngine);
  const decision = decideWish(facts) ?? decideByStatus(facts, policy);
  return decision.kind === "wait" && !decision.on ? (overdue(facts, decision.reason, now) ?? decision) : decision;
}

/** What a person may ask of a request that belongs to another engine: it touches no run. */
const HARMLESS: ReadonlySet<Decision["kind"]> = new Set(["hold", "abort", "fail", "restart", "move-engine"]);

/** Only its own engine knows how its run fares: nothing is followed, taken for lost, rescued or stopped from here. */
function decideForeign(facts: Facts, engine: string): Decision {
  const { wish, status, hold } = facts.request;
  const wished = decideWish(facts);
  if (wished && HARMLESS.has(wished.kind)) return wished;
  const asked = wish ? `${wish.kind} waits: ` : status === "held" ? `held: ${hold?.message}; ` : "";
  const fix = "start a server with that engine, or, when nothing of it runs there any more: wms2 move";
  return { kind: "wait", reason: `${asked}it belongs to the ${engine} engine, and this server has another: ${fix}` };
}

function decideByStatus(facts: Facts, policy: DecidePolicy): Decision {
  const refused = facts.outputs.failed > 0 && facts.request.status !== "held" ? facts.outputs.trouble : null;
  if (refused) {
    const { block, error } = refused;
    const evidence = { block, step: error.step, code: error.code, fix: error.fix, failedBlocks: facts.outputs.failed };
    return hold("registration-failed", troubleWords(refused), evidence);
  }
  switch (facts.request.status) {
    case "submitted":
      return { kind: "open-workflow", reason: "handed in" };
    case "queued":
      return decideQueued(facts);
    case "planning":
      return decidePlanning(facts, policy);
    case "active":
      return decideActive(facts);
    case "partial":
      return decidePartial(facts, policy);
    case "stopping":
      return decideStopping(facts);
    case "resubmitting":
      return { kind: "requeue", reason: "stopped; goes on from its rescue when a slot is free" };
    case "held":
      return { kind: "wait", reason: `held: ${facts.request.hold?.message ?? "no reason was kept"}` };
    default:
      return { kind: "wait", reason: `nothing to do while ${facts.request.status}` };
  }
}

function decideQueued({ admission, diskTrouble }: Facts): Decision {
  if (diskTrouble !== null) return { kind: "wait", reason: `nothing is begun: ${diskTrouble}` };
  if (admission?.verdict === "start") return { kind: "start", reason: admission.reason };
  return { kind: "wait", reason: admission?.reason ?? "waits for the next look at the queue" };
}

function decidePlanning(facts: Facts, policy: DecidePolicy): Decision {
  const { dag } = facts;
  if (!dag || isDagOver(dag.status)) {
    if (facts.workRemains) return { kind: "plan", reason: `round ${facts.workflow?.round ?? 0} is to be planned` };
    return owesOutputs(facts) ? waitForOutputs(facts) : { kind: "complete", reason: "no work is left" };
  }
  return decideSubmission(facts, policy);
}

/** A DAG that is on its way to the engine: of a new round, or a rescue. */
function decideSubmission(facts: Facts, policy: DecidePolicy): Decision {
  const { dag, submitIntent } = facts;
  const isRescue = dag?.parentDagId != null;
  if (dag?.status === "planning")
    return isRescue
      ? { kind: "prepare-rescue", reason: "made ready to run again" }
      : { kind: "discard-plan", reason: "the writing of its submit directory was interrupted" };
  if (dag?.status !== "ready") return { kind: "wait", reason: `its DAG is ${dag?.status}` };
  if (!facts.directoryComplete && !isRescue) return { kind: "discard-plan", reason: "its submit directory is gone" };
  if (!facts.directoryComplete)
    return hold("submit-directory-gone", "its submit directory is gone", { submitDir: dag.submitDir });
  if (!submitIntent) return { kind: "submit", reason: "its submit directory is complete" };
  if (facts.leaderForSec < policy.resubmitGraceSec)
    return { kind: "wait", reason: "an interrupted submission may still be on its way to the engine" };
  return { kind: "submit", reason: `submission was begun before (${submitIntent.tries} tries)` };
}

function decideActive(facts: Facts): Decision {
  const { dag, observation } = facts;
  if (!dag) return bug("active without a DAG", "decideActive", facts);
  // Its run is over, and only its outputs are not.
  if (isDagOver(dag.status)) return owesOutputs(facts) ? waitForOutputs(facts) : { kind: "complete", reason: ALL_DONE };
  if (!observation) return { kind: "wait", reason: "the engine could not be asked" };
  if (observation.kind === "unknown") return { kind: "wait", reason: `the engine cannot tell: ${observation.why}` };
  if (isNews(facts)) return { kind: "follow", reason: "the engine has news" };
  if (observation.kind === "running") return decideRunning(facts, observation);
  if (observation.verdict === "success")
    return facts.workRemains
      ? { kind: "finish-round", next: "queued", reason: "the round is done and work remains" }
      : finishAll(facts, ALL_DONE);
  return { kind: "end-partial", dagStatus: endStatus(observation), reason: describeEnd(observation) };
}

function decideRunning(facts: Facts, running: Extract<RunObservation, { kind: "running" }>): Decision {
  const step = facts.request.productionSteps[0];
  if (step && facts.shareDone !== null && facts.shareDone >= step.fraction) {
    const done = `${Math.round(facts.shareDone * 100)} % of the units are done`;
    return { kind: "begin-stop", reason: `${done}: the rest goes on with priority ${step.priority}` };
  }
  const { units, note } = running;
  return { kind: "wait", reason: note ?? `running: ${units.done} of ${units.total} units done` };
}

/** Level 2: the run ended with failures; recovery decides about the round as a whole. */
function decidePartial(facts: Facts, policy: DecidePolicy): Decision {
  const { dag, round } = facts;
  if (dag && !isDagOver(dag.status)) return decideSubmission(facts, policy);
  if (!round) return bug("a round ended that nobody can read", "decidePartial", facts);
  const decision = decideRound(round.facts);
  switch (decision.kind) {
    case "complete":
      return finishAll(facts, decision.reason);
    case "next-round":
      return { kind: "finish-round", next: "queued", reason: decision.reason };
    case "stopped":
      return decideStopped(facts, decision.reason);
    case "rescue":
      return { ...decision, rescueKind: "failure", epochOf: null };
    case "exclude-files":
    case "hold":
      return decision;
  }
}

const ALL_DONE = "all work is done and registered";

/** What is owed is mostly made known within the pass; where that fails, the run ends without waiting for it. */
function finishAll(facts: Facts, reason: string): Decision {
  if (!owesOutputs(facts)) return { kind: "finish-round", next: "completed", reason };
  if (facts.outputs.trouble === null) return waitForOutputs(facts);
  return { kind: "owe-outputs", reason: "all work is done; outputs are owed to the catalog" };
}

const waitForOutputs = ({ outputs }: Facts): Decision => ({
  kind: "wait",
  ...explainOutputs(outputs, outputs.finally),
});

type Ended = Extract<RunObservation, { kind: "ended" }>;

function endStatus(ended: Ended): "partial" | "failed" | "removed" | "halted" {
  if (ended.verdict === "removed") return "removed";
  if (ended.verdict === "halted") return "halted";
  return ended.unitsDone.length > 0 ? "partial" : "failed";
}

function describeEnd(ended: Ended): string {
  const counts = `${ended.units.done} of ${ended.units.total} units done, ${ended.units.failed} failed`;
  return `the run ended as ${ended.verdict} (${counts})${ended.words ? `: ${ended.words}` : ""}`;
}

/** A timeout raises attention and never stops evaluation; where only a person can help, it holds. */
function overdue({ request: { status, statusSince } }: Facts, reason: string, now: Date): Decision | null {
  if (!["submitted", "planning", "resubmitting"].includes(status)) return null;
  const { timeoutSec } = REQUEST_STATUS[status];
  if (timeoutSec === null || secondsBetween(statusSince, now) <= timeoutSec) return null;
  const message = `${status} for more than ${timeoutSec} s: ${reason}`;
  return hold("stuck", message, { status, reason });
}
