import { isDagOver, isInEngine } from "../core/dag.ts";
import { decideStop, type StopAction } from "../recovery/round/actions.ts";
import { reelectUnits } from "../recovery/round/failed-units.ts";
import { decideBeside } from "./decide-side.ts";
import { bug, type Decision, type Facts, isNews } from "./decision.ts";

/**
 * What an operator asked for. It was allowed when it was stored; the request may have moved since, so a wish that fits
 * no more is dropped by the loop's next look at the status. null: no wish, or one that the status itself carries out.
 */
export function decideWish(facts: Facts): Decision | null {
  const { wish, status } = facts.request;
  if (!wish) return null;
  const reason = `${wish.kind} by ${wish.actor}: ${wish.reason}`;
  switch (wish.kind) {
    case "abort":
      return decideEnd(facts, "abort", `aborted by ${wish.actor}: ${wish.reason}`);
    case "stop":
    case "hold":
    case "requeue":
      return status === "stopping" ? null : decideStopWish(facts, wish.kind, reason);
    case "release":
      return status === "held" ? decideReleased(facts, reason) : null;
    case "rescue":
    case "resubmit":
      if (status === "active") return decideBeside(facts, reason);
      return status === "held" || status === "partial" ? decideRerun(facts, reason) : null;
    case "retry":
      return { kind: "end-waits", nodes: (wish.detail?.nodes ?? {}) as Record<string, readonly string[]>, reason };
    case "move":
      if (mayRun(facts) || status !== "held") return null;
      return { kind: "move-engine", engine: String(wish.detail?.engine), reason };
    case "fail":
      return status === "held" ? decideEnd(facts, "fail", reason) : null;
    case "restart":
      return decideEnd(facts, "restart", reason);
  }
}

function mayRun({ dag, submitIntent }: Facts): boolean {
  if (!dag) return false;
  return isInEngine(dag.status) || (dag.status === "ready" && submitIntent !== null);
}

/** Before a request ends, nothing of its run is left and what finished is kept; what cannot be kept does not stop it. */
function decideEnd(facts: Facts, kind: "abort" | "fail" | "restart", reason: string): Decision {
  if (mayRun(facts) && facts.observation?.kind !== "ended") return { kind: "stop-run", reason };
  const canBeRead = facts.request.hold?.code !== "unit-output-unreadable";
  if (mayRun(facts) && isNews(facts) && canBeRead)
    return { kind: "follow", reason: `units finished before the ${kind}` };
  return { kind, reason };
}

function decideStopWish(facts: Facts, action: StopAction, reason: string): Decision | null {
  const { status, wish } = facts.request;
  if (!wish) return null;
  const answer = decideStop({ status, mayRun: mayRun(facts) }, { ...wish, action });
  switch (answer.kind) {
    case "stop-run":
      return { kind: "begin-stop", reason };
    case "hold":
      return { kind: "hold", hold: answer.hold };
    // It ended, or went back, before anybody got to it.
    default:
      return { kind: "drop-wish", reason };
  }
}

/** The release was decided when it was asked for; `how` says which way it goes. A run that never ended just goes on. */
function decideReleased(facts: Facts, reason: string): Decision {
  const { dag, request } = facts;
  const isInRun = dag !== null && isInEngine(dag.status);
  // On a full disk the end of a job may have been lost, and DAGMan would wait for it for ever.
  if (isInRun && request.hold?.code === "disk-unwritable") return { kind: "begin-stop", reason };
  if (isInRun) return { kind: "go-on", reason };
  const how = facts.request.wish?.detail?.how;
  if (how === "next-round") return { kind: "leave-round", rest: "given-up", reason };
  if (how === "again") return { kind: "leave-round", rest: "planned-again", reason };
  if (how === "rescue" && dag && isDagOver(dag.status)) return decideRerun(facts, reason);
  return { kind: "requeue", reason };
}

/** Failed work is run again because a person says so, with a fresh budget; what is finished stays finished. */
function decideRerun(facts: Facts, reason: string): Decision {
  const { round, dag, request } = facts;
  if (dag && !isDagOver(dag.status)) return { kind: "requeue", reason };
  if (!round) return bug("there is no round to run again", "decideRerun", facts);
  const { facts: known, unfinished } = round;
  const chosen = request.wish?.detail?.epochOf as Readonly<Record<string, readonly string[] | null>> | null | undefined;
  const wanted = chosen ?? Object.fromEntries(unfinished.map((unit) => [unit, null]));
  const isWanted = ({ unit }: { unit: string }) => unit in wanted;
  return {
    kind: "rescue",
    rescueKind: "operator",
    reelectUnits: chosen ? [] : reelectUnits(known.tally.failedUnits.filter(isWanted), known),
    leaveOut: unfinished.filter((unit) => !(unit in wanted)),
    epochOf: wanted,
    reason,
  };
}
