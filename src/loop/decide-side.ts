import { plural } from "../core/base/text.ts";
import type { RunObservation } from "../core/run.ts";
import type { RoundDecision } from "../recovery/round/decide.ts";
import type { Decision, Facts } from "./decision.ts";
import type { EndedRound } from "./gather-round.ts";
import type { LoopPolicy } from "./ports.ts";
import type { RerunWish } from "./rerun-wish.ts";

/** Failed jobs that are to run again while their run goes on (docs/adr/0020-side-runs.md). */

/** Only what the run has given up can run beside it. null: not all of that is known yet, or it waits for the end of the run. */
export function decideBeside({ request, observation }: Facts, reason: string): Decision | null {
  const { beside = false, epochOf } = (request.wish?.detail ?? {}) as Partial<RerunWish>;
  if (!beside || !epochOf || observation?.kind !== "running") return null;
  const failed: ReadonlySet<string> = new Set(observation.unitsFailed);
  const jobs = Object.keys(epochOf);
  return jobs.every((job) => failed.has(job)) ? { kind: "begin-side", jobs, reason } : null;
}

/** The next step of one of them; null: they run, or there are none. */
export function decideSides(
  { sides, leaderForSec }: Facts,
  policy: Pick<LoopPolicy, "resubmitGraceSec">,
): Decision | null {
  for (const { dag: side, submitIntent, observation } of sides) {
    if (side.status === "planning")
      return { kind: "prepare-side", side, reason: "made ready to run beside the others" };
    if (side.status === "ready" && submitIntent && leaderForSec < policy.resubmitGraceSec)
      return { kind: "wait", reason: "an interrupted submission may still be on its way to the engine" };
    if (side.status === "ready") return { kind: "submit-side", side, reason: "the jobs beside the others are ready" };
    if (observation?.kind !== "ended") continue;
    const dagStatus = observation.verdict === "success" ? "completed" : endStatus(observation);
    const { done, total } = observation.units;
    return { kind: "end-side", side, dagStatus, reason: `${done} of ${plural(total, "job")} beside the others done` };
  }
  return null;
}

/**
 * What was done beside a run frees jobs that it had given up: they run at once, in its rescue. What still failed stays as it is
 * and is decided about after that; nothing of it is counted.
 */
export function decideFreed(round: EndedRound, decision: RoundDecision): Decision | null {
  const { verdict, failedUnits, directory, damaged } = round.facts;
  const failed: ReadonlySet<string> = new Set(failedUnits);
  const freed = round.unfinished.filter((unit) => !failed.has(unit));
  const isNext = decision.kind === "hold" || (decision.kind === "rescue" && failed.size === 0);
  const canRun = verdict === "failed" && directory === "complete" && damaged.length === 0;
  if (round.doneBeside === 0 || freed.length === 0 || !isNext || !canRun) return null;
  const did = `${plural(round.doneBeside, "failed job")} ${round.doneBeside === 1 ? "was" : "were"} done beside the run`;
  return {
    kind: "rescue",
    rescueKind: "stop",
    reelectUnits: [],
    leaveOut: failedUnits,
    epochOf: null,
    alone: true,
    reason: `${did}: what waited for ${round.doneBeside === 1 ? "it" : "them"} goes on`,
  };
}

export type Ended = Extract<RunObservation, { kind: "ended" }>;

export function endStatus(ended: Ended): "partial" | "failed" | "removed" | "halted" {
  if (ended.verdict === "removed") return "removed";
  if (ended.verdict === "halted") return "halted";
  return ended.unitsDone.length > 0 ? "partial" : "failed";
}
