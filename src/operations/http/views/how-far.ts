import type { RequestRecord } from "../../../core/request.ts";
import { whyNotMoving } from "../../../core/why-not-moving.ts";
import type { RequestProgress } from "../../../store/port.ts";
import { type Estimate, estimateEnd, PACE_WINDOWS_MS } from "../../handlers/port.ts";
import { percentDone } from "./workflow.ts";

/** How far a request is, and why not further: the same in lists and pages. */
export const howFarFields = (record: RequestRecord, progress: RequestProgress | null, now: Date) => ({
  reason: whyNotMoving(record),
  round: progress?.round ?? null,
  progress: progress && { ...progress, percent: percentOf(record, progress) },
  failing: progress?.failing ?? 0,
  eta: progress && etaOf(progress, now),
});

const percentOf = ({ status }: RequestRecord, { done, expected }: RequestProgress): number =>
  percentDone(status === "completed", done, expected);

/** When the present run will be through, at the pace of this run only. */
export function etaOf({ run, total, done, failed, lastDoneAt, samples }: RequestProgress, now: Date): Estimate | null {
  if (!run || !lastDoneAt || lastDoneAt <= run.since || run.since > now) return null;
  const begun = { at: run.since, done: done - run.done };
  const noted = samples.filter(({ at }) => at > run.since);
  return estimateEnd([begun, ...noted], { at: lastDoneAt, done }, total - done - failed, now);
}

/** The times at which a pace is taken. */
export const paceTimes = (now: Date): readonly Date[] => PACE_WINDOWS_MS.map((ms) => new Date(now.getTime() - ms));
