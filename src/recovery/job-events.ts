import { type JobEvent, parseEvents } from "../submit-dir/event-log.ts";
import { type JobEvents, NO_EVENTS } from "./attempt.ts";

/** What the log says of one job, and when its last execution began and ended. */
export interface JobRecord {
  readonly events: JobEvents;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** null: the log does not know it. Never throws: what cannot be read says nothing. */
export function readJobEvents(log: string, cluster: number): JobRecord | null {
  const found = parseEvents(log, cluster);
  const events: Mutable<JobEvents> = { ...NO_EVENTS };
  const job: Mutable<JobRecord> = { events, startedAt: null, endedAt: null };
  for (const event of found) {
    noteTime(job, event);
    fold(events, event);
  }
  return found.length === 0 ? null : job;
}

const ENDS: readonly JobEvent["kind"][] = ["evicted", "terminated", "aborted", "held"];

function noteTime(job: Mutable<JobRecord>, { kind, at }: JobEvent): void {
  if (at === null || Number.isNaN(at.getTime())) return;
  if (kind === "execute") [job.startedAt, job.endedAt] = [at, null];
  // A removal after a hold only confirms it.
  else if (ENDS.includes(kind)) job.endedAt ??= at;
}

function fold(events: Mutable<JobEvents>, { kind, body, exit }: JobEvent): void {
  switch (kind) {
    case "execute":
      events.executions += 1;
      events.site = textIn(body, /^GLIDEIN_CMSSite = "([^"]*)"/) ?? events.site;
      events.host = textIn(body, /^SlotName: (?:[^@\s]*@)?(\S+)/) ?? events.host;
      events.held = null;
      events.lost = null;
      return;
    case "evicted":
      events.evictions += 1;
      return;
    case "terminated":
      if (exit) events.terminated = { code: null, signal: null, ...exit };
      // Used, asked, given; a job that was too short to be looked at leaves the first column blank.
      notePeak(events, textIn(body, /^Memory \(MB\)\s*:\s*(\d+)\s+\d+\s+\d+/));
      return;
    case "aborted":
      events.aborted = words(body);
      return;
    case "held":
      events.held = {
        code: Number(textIn(body, /^Code (\d+) Subcode/)),
        subcode: Number(textIn(body, /^Code \d+ Subcode (-?\d+)/)),
        reason: words(body),
      };
      return;
    case "released":
      events.held = null;
      return;
    case "lost":
      events.lost = words(body) || "the worker could not be reached again";
      return;
    case "size":
      notePeak(events, textIn(body, /^(\d+)\s+-\s+MemoryUsage of job \(MB\)/));
      return;
  }
}

function notePeak(events: Mutable<JobEvents>, peak: string | null): void {
  if (peak !== null) events.peakMemoryMb = Math.max(events.peakMemoryMb ?? 0, Number(peak));
}

/** What the pattern catches in the first line that fits it. */
function textIn(body: readonly string[], pattern: RegExp): string | null {
  for (const line of body) {
    const found = pattern.exec(line)?.[1];
    if (found !== undefined) return found;
  }
  return null;
}

/** The first line that is not the codes. */
const words = (body: readonly string[]): string => body.find((line) => !/^Code \d+ Subcode/.test(line)) ?? "";
