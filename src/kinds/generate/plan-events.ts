import type { PlanOutcome } from "../../core/plan.ts";
import type { GenerateWork } from "../../core/work.ts";
import type { InputFile } from "../../core/workflow.ts";
import type { PlanFacts } from "../../planning/facts.ts";
import { refuseJobs, refuseNumbers, roundLimits } from "../../planning/limits.ts";
import { noSiteAtAll, siteRules, sitesForAnything } from "../../planning/locality.ts";
import { type Piece, pieceOf } from "../../planning/piece.ts";
import { planUnits, refused } from "../../planning/plan-round.ts";

type Facts = PlanFacts<GenerateWork>;

/** The last event there will be; with what was given up, where that is made again. */
export const lastEvent = ({ firstEvent, totalEvents, topUp }: LastEvent, abandonedEvents = 0n): bigint =>
  firstEvent + totalEvents + (topUp ? abandonedEvents : 0n) - 1n;
type LastEvent = Pick<GenerateWork, "firstEvent" | "totalEvents" | "topUp">;

/** Events from the first that no round has taken yet. */
export function* planEvents(facts: Facts): Generator<undefined, PlanOutcome> {
  const { spec, next } = facts;
  const { work } = spec;
  const { eventsPerLumi, split } = work;
  const refusal =
    refuseNumbers(spec, { "events per job": split.eventsPerJob, "events per lumi": eventsPerLumi }) ??
    refuseJobs(facts, mostJobs(facts), split.eventsPerJob);
  if (refusal) return refused(refusal);
  const jobs = mostJobs(facts);
  if (jobs === 0n) return { kind: "nothing-left", unplanned: [] };
  const rules = siteRules(facts);
  const sites = sitesForAnything(rules);
  if (sites === null) return refused(noSiteAtAll(rules));
  const last = lastEvent(work, facts.abandonedEvents);
  const most = roundLimits(facts, jobs);
  return yield* planUnits({
    facts,
    source: {
      streams: () => [{ sites, attempted: false, pieces: splitEvents(work, next, last) }],
      survival: work.filterEfficiency,
      sharesLumi: work.lumis === "per_work_unit",
    },
    most,
    inputFiles: 0,
    unplanned: [],
    warnings: () =>
      most.nodes !== null && most.units === null
        ? [`a round has at most ${most.nodes} jobs: the rest follows in later rounds`]
        : [],
  });
}

export function mostJobs({ spec: { work }, next, abandonedEvents }: Facts): bigint {
  const left = lastEvent(work, abandonedEvents) - next.firstEvent + 1n;
  return left > 0n ? (left + BigInt(work.split.eventsPerJob) - 1n) / BigInt(work.split.eventsPerJob) : 0n;
}

/**
 * Event ranges without input. Each job takes ceil(events / eventsPerLumi) lumis and the next one begins at the
 * next unused lumi, so a lumi that is only partly filled is never shared. Numbers are 64-bit and do not wrap at
 * 2^32 (the reference's do): an event number is used once in the life of a request.
 */
export function* splitEvents(
  { split: { eventsPerJob }, eventsPerLumi }: Pick<GenerateWork, "split" | "eventsPerLumi">,
  next: Pick<Facts["next"], "firstEvent" | "firstLumi">,
  lastEvent: bigint,
): Generator<Piece> {
  const perJob = BigInt(eventsPerJob);
  const files: readonly InputFile[] = [];
  let { firstLumi } = next;
  for (let { firstEvent } = next; firstEvent <= lastEvent; firstEvent += perJob) {
    const left = lastEvent - firstEvent + 1n;
    const events = left < perJob ? Number(left) : eventsPerJob;
    const last = firstEvent + BigInt(events) - 1n;
    const nextLumi = firstLumi + BigInt(Math.ceil(events / eventsPerLumi));
    const lastLumi = nextLumi - 1n;
    yield pieceOf({ files, firstEvent, lastEvent: last, firstLumi, lastLumi, events, inputBytes: 0, run: null });
    firstLumi = nextLumi;
  }
}
