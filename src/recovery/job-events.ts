import { type JobEvents, NO_EVENTS } from "./attempt.ts";

/** What the log says of one job, and when its last execution began and ended. */
export interface JobRecord {
  readonly events: JobEvents;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
}

/**
 * What an HTCondor event log says of one cluster. Events begin `012 (123.000.000) date time words`, the cluster padded
 * to three digits, and end with a line `...`; a log is shared by the nodes of a group, so only the lines of this
 * cluster are looked at. Never throws: what cannot be read says nothing. (HTCondor 23.9.6.)
 */
export function readJobEvents(log: string, cluster: number): JobRecord | null {
  const id = ` (${String(cluster).padStart(3, "0")}.`;
  let found: Mutable<JobRecord> | null = null;
  const events: Mutable<JobEvents> = { ...NO_EVENTS };
  for (let at = log.indexOf(id); at >= 0; at = log.indexOf(id, at + id.length)) {
    const start = at - 3;
    if (start < 0 || (start > 0 && log[start - 1] !== "\n")) continue;
    const end = log.indexOf("\n...", at);
    if (end < 0) break; // still being written
    found ??= { events, startedAt: null, endedAt: null };
    const kind = log.slice(start, at);
    const body = log.indexOf("\n", at) + 1;
    noteTime(found, kind, log.slice(at, body));
    fold(events, kind, log.slice(body, end));
    at = end;
  }
  return found;
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

const ENDS = ["004", "005", "009", "012"];

/** Event logs tell local time. */
function noteTime(job: Mutable<JobRecord>, kind: string, head: string): void {
  const [, date, time] = /\) (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)/.exec(head) ?? [];
  const when = new Date(`${date}T${time}`);
  if (Number.isNaN(when.getTime())) return;
  if (kind === "001") [job.startedAt, job.endedAt] = [when, null];
  // A removal after a hold only confirms it.
  else if (ENDS.includes(kind)) job.endedAt ??= when;
}

function fold(events: Mutable<JobEvents>, kind: string, body: string): void {
  switch (kind) {
    case "001":
      events.executions += 1;
      events.site = first(body, /^\s*GLIDEIN_CMSSite = "([^"\n]*)"/m) ?? events.site;
      events.host = first(body, /^\s*SlotName: (?:[^@\s]*@)?(\S+)/m) ?? events.host;
      events.held = null;
      events.lost = null;
      return;
    case "004":
      events.evictions += 1;
      return;
    case "005": {
      const code = numberIn(body, /Normal termination \(return value (-?\d+)\)/);
      const signal = numberIn(body, /Abnormal termination \(signal (\d+)\)/);
      if (code !== null || signal !== null) events.terminated = { code, signal };
      // Used, asked, given; a job that was too short to be looked at leaves the first column blank.
      notePeak(events, numberIn(body, /^\s*Memory \(MB\)\s*:\s*(\d+)\s+\d+\s+\d+/m));
      return;
    }
    case "009":
      events.aborted = words(body);
      return;
    case "012":
      events.held = {
        code: numberIn(body, /^\s*Code (\d+) Subcode/m) ?? 0,
        subcode: numberIn(body, /^\s*Code \d+ Subcode (-?\d+)/m) ?? 0,
        reason: words(body),
      };
      return;
    case "013":
      events.held = null;
      return;
    case "024":
      events.lost = words(body) || "the worker could not be reached again";
      return;
    case "028":
      notePeak(events, numberIn(body, /^MemoryUsage = (\d+)/m));
      return;
  }
}

function notePeak(events: Mutable<JobEvents>, peak: number | null): void {
  if (peak !== null) events.peakMemoryMb = Math.max(events.peakMemoryMb ?? 0, peak);
}

const first = (body: string, pattern: RegExp): string | null => pattern.exec(body)?.[1] ?? null;

function numberIn(body: string, pattern: RegExp): number | null {
  const digits = first(body, pattern);
  return digits === null ? null : Number(digits);
}

/** The first line that is not the codes. */
const words = (body: string): string =>
  body
    .split("\n")
    .map((line) => line.trim())
    .find((line) => line !== "" && !/^Code \d+ Subcode/.test(line)) ?? "";
