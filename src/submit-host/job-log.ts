import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { JobEvents } from "../recovery/attempt.ts";
import { readJobEvents } from "../recovery/job-events.ts";
import { withFile } from "./trouble.ts";

/** What the unit's event log says of one job, and when it ran. */
export interface LoggedJob {
  readonly events: JobEvents | null;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
}

const FIRST_CHUNK = 128 * 1024;
const NOTHING: LoggedJob = { events: null, startedAt: null, endedAt: null };

/**
 * The log is shared by the unit, and the job that just ended is near its end: it is read backwards, only as far as
 * this job's submission, and only this job's events are taken apart.
 */
export function readJobLog(path: string, cluster: number): LoggedJob {
  const text = withFile(`read ${path}`, () => tailSince(path, submissionOf(cluster)));
  if (text === null) return NOTHING;
  const { started, ended } = timesOf(text, cluster);
  return { events: readJobEvents(text, cluster), startedAt: started, endedAt: ended };
}

const idOf = (cluster: number): string => ` (${String(cluster).padStart(3, "0")}.`;
const submissionOf = (cluster: number): string => `000${idOf(cluster)}`;

function tailSince(path: string, mark: string): string | null {
  let descriptor: number;
  try {
    descriptor = openSync(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  try {
    let start = fstatSync(descriptor).size;
    let tail = Buffer.alloc(0);
    for (let size = FIRST_CHUNK; start > 0; size *= 2) {
      const length = Math.min(size, start);
      start -= length;
      const chunk = Buffer.alloc(length);
      const read = readSync(descriptor, chunk, 0, length, start);
      tail = Buffer.concat([chunk.subarray(0, read), tail]);
      // Only what is new can hold the mark; a mark cut in two is found with the next chunk.
      const at = tail.subarray(0, length + mark.length).indexOf(mark, 0, "latin1");
      if (at >= 0) return tail.toString("utf8", at);
    }
    return tail.toString("utf8");
  } finally {
    closeSync(descriptor);
  }
}

const ENDS = ["004", "005", "009", "012"];

/** Of the last execution. Event logs tell local time. */
function timesOf(text: string, cluster: number): { started: Date | null; ended: Date | null } {
  const id = idOf(cluster);
  let [started, ended]: [Date | null, Date | null] = [null, null];
  for (let at = text.indexOf(id); at >= 3; at = text.indexOf(id, at + 1)) {
    const time = /\) (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)/.exec(text.slice(at, at + 60));
    const when = time ? new Date(`${time[1]}T${time[2]}`) : null;
    if (when === null || Number.isNaN(when.getTime())) continue;
    const kind = text.slice(at - 3, at);
    if (kind === "001") [started, ended] = [when, null];
    // A removal after a hold only confirms it.
    else if (ENDS.includes(kind)) ended ??= when;
  }
  return { started, ended };
}
