import type { InputFile } from "../domain/workflow.ts";
import type { LumiFile } from "./lumi-job.ts";
import { type LumiWalk, walkLumis } from "./lumi-walk.ts";
import type { Budget, Piece } from "./piece.ts";

export interface EventAwareOptions extends Omit<LumiWalk, "quota"> {
  readonly eventsPerJob: number;
}

/**
 * Whole lumis, as many as make about so many events by the file's average. A lumi is never split: one that is
 * bigger than a job has a job of its own. Files whose average is 0 go in whole.
 */
export function splitByEventsAndLumis(
  files: readonly InputFile[],
  options: EventAwareOptions,
  budget: Budget,
): Generator<Piece> {
  const { eventsPerJob } = options;
  const fullJob = (file: LumiFile) => Math.max(1, lumisThatFit(eventsPerJob, file.averageEvents));
  return walkLumis(
    files,
    {
      ...options,
      quota: (file, job) => {
        if (job === null) return fullJob(file);
        const room = Math.max(0, eventsPerJob - job.quotaEvents);
        return Math.max(1, job.lumis + lumisThatFit(room, file.averageEvents));
      },
    },
    budget,
  );
}

const lumisThatFit = (events: number, average: number): number =>
  average === 0 ? Number.POSITIVE_INFINITY : Math.floor(events / average);

/** Its single lumi would run longer than a job may; with two or more lumis a file is never called too big. */
export function isTooBig(file: InputFile, secondsPerEvent: number, jobTimeLimitSec: number): boolean {
  const isOneLumi = file.lumis.reduce((sum, { lumis }) => sum + lumis.length, 0) === 1;
  return isOneLumi && (file.events ?? 0) * secondsPerEvent > jobTimeLimitSec;
}
