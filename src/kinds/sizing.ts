import { roundHalfEven } from "../core/base/rounding.ts";

/** Jobs of about twelve hours, as ReqMgr2 sizes them. */
const TARGET_JOB_SECONDS = 43_200;

export const eventsPerJobFor = (secondsPerEvent: number): number =>
  Math.max(1, Math.trunc(Math.min(TARGET_JOB_SECONDS / secondsPerEvent, Number.MAX_SAFE_INTEGER)));

/**
 * Generation: a job holds whole lumis. At most the events wanted; without events per lumi (or with more than a
 * job has) a job is one lumi; otherwise a job is the nearest multiple, at least one lumi.
 */
export function eventsPerLumiFor(
  wishedPerJob: number,
  wishedPerLumi: number | null,
  totalEvents: bigint,
): { readonly eventsPerJob: number; readonly eventsPerLumi: number } {
  const perJob = totalEvents < BigInt(wishedPerJob) ? Number(totalEvents) : wishedPerJob;
  if (wishedPerLumi === null || wishedPerLumi > perJob) return { eventsPerJob: perJob, eventsPerLumi: perJob };
  return {
    eventsPerJob: wishedPerLumi * Math.max(1, roundHalfEven(perJob / wishedPerLumi)),
    eventsPerLumi: wishedPerLumi,
  };
}

/** int(events / efficiency): how many to generate so that so many survive. */
export function beforeFilter(events: bigint, efficiency: number): bigint {
  if (efficiency === 1) return events;
  const before = Number(events) / efficiency;
  if (before <= Number.MAX_SAFE_INTEGER) return BigInt(Math.trunc(before));
  return (events * 10n ** 15n) / BigInt(Math.max(1, Math.round(efficiency * 1e15)));
}
