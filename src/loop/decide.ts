import { describeTrouble, explainOutputs } from "../catalogs/outputs/explain-outputs.ts";
import { secondsBetween } from "../core/base/clock.ts";
import { groupBy } from "../core/base/group-by.ts";
import { plural } from "../core/base/text.ts";
import { isDagOver } from "../core/dag.ts";
import type { HoldReason } from "../core/request.ts";
import { REQUEST_STATUS } from "../core/request-status.ts";
import type { RunObservation, RunVerdict } from "../core/run.ts";
import { decideRound } from "../recovery/round/decide.ts";
import { recoverAlone } from "../recovery/round/recover-alone.ts";
import { decideFill } from "./decide-fill.ts";
import { decideFreed, decideSides, type Ended, endStatus } from "./decide-side.ts";
import { decideStopped, decideStopping } from "./decide-stop.ts";
import { decideWish } from "./decide-wish.ts";
import { bug, type Decision, type Facts, hold, isNews, owesOutputs } from "./decision.ts";
import type { EndedRound } from "./gather-round.ts";
import type { LoopPolicy } from "./ports.ts";

type DecidePolicy = Pick<LoopPolicy, "resubmitGraceSec">;

/** One request, one look, one decision. Pure; applies to every status that is not over. */
export function decide(facts: Facts, policy: DecidePolicy, now: Date): Decision {
  if (facts.foreignEngine) return decideForeign(facts, facts.foreignEngine);
  const decision = decideWish(facts) ?? decideByStatus(facts, policy, now);
  return decision.kind === "wait" && !decision.on ? (overdue(facts, decision.reason, now) ?? decision) : decision;
}

/** What a person may ask of a request that belongs to another engine: it touches no run. */
const HARMLESS: ReadonlySet<Decision["kind"]> = new Set([
  "hold",
  "abort",
  "fail",
  "restart",
  "move-engine",
  "drop-wish",
]);

/** Only its own engine knows how its run fares: nothing is followed, taken for lost, rescued or stopped from here. */
function decideForeign(facts: Facts, engine: string): Decision {
  const { wish, status, hold } = facts.request;
  const wished = decideWish(facts);
  if (wished && HARMLESS.has(wished.kind)) return wished;
  const asked = wish ? `${wish.kind} waits: ` : status === "held" ? `held: ${hold?.message}; ` : "";
  const fix = "start a server with that engine, or, when nothing of it runs there any more: wms2 move";
  return { kind: "wait", reason: `${asked}it belongs to the ${engine} engine, and this server has another: ${fix}` };
}

function decideByStatus(facts: Facts, policy: DecidePolicy, now: Date): Decision {
  const refused = facts.outputs.failed > 0 && facts.request.status !== "held" ? facts.outputs.trouble : null;
  if (refused) {
    const { block, error } = refused;
    const evidence = { block, step: error.step, code: error.code, fix: error.fix, failedBlocks: facts.outputs.failed };
    return hold("registration-failed", describeTrouble(refused), evidence);
  }
  switch (facts.request.status) {
    case "submitted":
      return { kind: "open-workflow", reason: "accepted" };
    case "queued":
      return decideQueued(facts, now);
    case "planning":
      return decidePlanning(facts, policy, now);
    case "active":
      return decideActive(facts, policy);
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

function decideQueued(facts: Facts, now: Date): Decision {
  const { admission, diskTrouble, filling } = facts;
  if (diskTrouble !== null) return { kind: "wait", reason: `nothing is begun: ${diskTrouble}` };
  if (filling) return decideFill(facts, filling, now);
  if (admission?.verdict === "start") return { kind: "start", reason: admission.reason };
  return { kind: "wait", reason: admission?.reason ?? "waits for the next look at the queue" };
}

function decidePlanning(facts: Facts, policy: DecidePolicy, now: Date): Decision {
  const { dag, filling } = facts;
  if (filling) return decideFill(facts, filling, now);
  if (!dag || isDagOver(dag.status)) {
    if (facts.workRemains) return { kind: "plan", reason: `round ${facts.workflow?.round ?? 0} is to be planned` };
    return owesOutputs(facts) ? waitForOutputs(facts) : complete(facts, "no work is left");
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
  const isNew = !isRescue && !submitIntent;
  if (!facts.directoryComplete && isNew) return { kind: "discard-plan", reason: "its submit directory is gone" };
  if (!facts.directoryComplete)
    return hold("submit-directory-gone", "its submit directory is gone", { submitDir: dag.submitDir });
  if (!submitIntent) return { kind: "submit", reason: "its submit directory is complete" };
  if (facts.leaderForSec < policy.resubmitGraceSec)
    return { kind: "wait", reason: "an interrupted submission may still be on its way to the engine" };
  return { kind: "submit", reason: `submission was begun before (${submitIntent.tries} tries)` };
}

function decideActive(facts: Facts, policy: DecidePolicy): Decision {
  const { dag, observation } = facts;
  if (!dag) return bug("active without a DAG", "decideActive", facts);
  // Its run is over, and only its outputs are not.
  if (isDagOver(dag.status)) return owesOutputs(facts) ? waitForOutputs(facts) : complete(facts, ALL_DONE);
  if (!observation) return { kind: "wait", reason: "the engine could not be asked" };
  if (observation.kind === "unknown") return { kind: "wait", reason: `the engine cannot tell: ${observation.why}` };
  if (isNews(facts)) return { kind: "follow", reason: "the engine has news" };
  const beside = decideSides(facts, policy);
  if (beside) return beside;
  if (observation.kind === "running") return decideRunning(facts, observation);
  if (observation.verdict === "success" && facts.unaccounted === 0)
    return facts.workRemains
      ? { kind: "finish-round", next: "queued", reason: "the round is done and work remains" }
      : finishAll(facts, ALL_DONE);
  return { kind: "end-partial", dagStatus: endStatus(observation), reason: describeEnd(observation, facts) };
}

function decideRunning(facts: Facts, running: Extract<RunObservation, { kind: "running" }>): Decision {
  const step = facts.request.productionSteps[0];
  if (step && facts.shareDone !== null && facts.shareDone >= step.fraction) {
    const done = `${Math.round(facts.shareDone * 100)} % of the ${facts.unitWord}s are done`;
    return { kind: "begin-stop", reason: `${done}: the rest goes on with priority ${step.priority}` };
  }
  const { units, note } = running;
  return { kind: "wait", reason: note ?? `running: ${units.done} of ${plural(units.total, facts.unitWord)} done` };
}

/** Level 2: the run ended with failures; recovery decides about the round as a whole. */
function decidePartial(facts: Facts, policy: DecidePolicy): Decision {
  const { dag, round } = facts;
  if (dag && !isDagOver(dag.status)) return decideSubmission(facts, policy);
  if (!round) return bug("a round ended, and its files cannot be read", "decidePartial", facts);
  const decision = decideRound(round.facts);
  if (facts.hasProducts && ENDS_INTO_ROWS.has(round.facts.verdict) && decision.kind !== "stopped")
    return {
      kind: "leave-round",
      rest: "given-up",
      reason: `what failed is in the rows of its products: ${decision.reason}`,
    };
  const freed = decideFreed(round, decision);
  if (freed) return freed;
  switch (decision.kind) {
    case "complete":
      return finishAll(facts, decision.reason);
    case "next-round":
      return { kind: "finish-round", next: "queued", reason: decision.reason };
    case "stopped":
      return decideStopped(facts, decision.reason);
    case "rescue":
      return { ...decision, epochOf: null };
    case "exclude-files":
      return decision;
    case "hold":
      return decideAlone(round, decision.hold);
  }
}

/** Of other runs nobody knows why they ended, or whether jobs of them are left. */
const ENDS_INTO_ROWS: ReadonlySet<RunVerdict> = new Set(["failed", "success", "aborted"]);

/** Before a person is asked: what the request allows to be done about it without one. */
function decideAlone({ recovery, unfinished }: EndedRound, held: HoldReason): Decision {
  const alone = recovery && recoverAlone(recovery, held);
  if (!alone || alone.kind === "hold") return alone ?? { kind: "hold", hold: held };
  const epochOf = Object.fromEntries(
    [...groupBy(alone.rerun.keys(), (place) => place.split("/")[0] ?? "")].map(([unit, places]) => [
      unit,
      places.map((place) => place.slice(unit.length + 1)),
    ]),
  );
  return {
    kind: "rescue",
    rescueKind: "recovery",
    reelectUnits: [],
    leaveOut: unfinished.filter((unit) => !(unit in epochOf)),
    epochOf,
    nodeChanges: Object.fromEntries(alone.rerun),
    alone: true,
    reason: alone.reason,
  };
}

const ALL_DONE = "all work is done and registered";

/** What is owed is mostly made known within the pass; where that fails, the run ends without waiting for it. */
function finishAll(facts: Facts, reason: string): Decision {
  if (facts.unaccounted > 0) return unaccountedFor(facts);
  if (!owesOutputs(facts)) return { kind: "finish-round", next: "completed", reason };
  if (facts.outputs.trouble === null) return waitForOutputs(facts);
  return { kind: "owe-outputs", reason: "all work is done; outputs wait to be registered in the catalog" };
}

const complete = (facts: Facts, reason: string): Decision =>
  facts.unaccounted > 0 ? unaccountedFor(facts) : { kind: "complete", reason };

/** Nothing is completed before each unit that was planned is done or left out. */
function unaccountedFor({ unaccounted, unitWord, workflow }: Facts): Decision {
  const { unitsPlanned = 0, unitsDone = 0 } = workflow ?? {};
  const message = `${plural(unaccounted, unitWord)} ${unaccounted === 1 ? "was" : "were"} planned and ${unaccounted === 1 ? "is" : "are"} neither done nor left out`;
  return hold("units-unaccounted", message, { unaccounted, unitsPlanned, unitsDone });
}

/** Its last blocks are closed only when it is known that nothing more comes. */
const waitForOutputs = ({ outputs, workflow }: Facts): Decision =>
  workflow?.hasAllUnits
    ? { kind: "wait", ...explainOutputs(outputs, outputs.finally) }
    : { kind: "close-outputs", reason: "all work is done: the last blocks of its outputs are closed" };

function describeEnd(ended: Ended, { unitWord }: Facts): string {
  const counts = `${ended.units.done} of ${plural(ended.units.total, unitWord)} done, ${ended.units.failed} failed`;
  return `the run ended as ${ended.verdict} (${counts})${ended.text ? `: ${ended.text}` : ""}`;
}

/**
 * A timeout raises attention and never stops evaluation; where only a person can help, it holds. It counts while somebody looked:
 * not what passed while no server led, nor what a clock has leapt over.
 */
function overdue(facts: Facts, reason: string, now: Date): Decision | null {
  const { status, statusSince } = facts.request;
  if (!["submitted", "planning", "resubmitting"].includes(status)) return null;
  const { timeoutSec } = REQUEST_STATUS[status];
  if (timeoutSec === null || Math.min(secondsBetween(statusSince, now), facts.leaderForSec) <= timeoutSec) return null;
  const message = `${status} for more than ${timeoutSec} s: ${reason}`;
  return hold("stuck", message, { status, reason });
}
