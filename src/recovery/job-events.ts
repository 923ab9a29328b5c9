import { type JobEvents, NO_EVENTS } from "./attempt.ts";

/**
 * What an HTCondor event log says of one cluster. Events begin `012 (123.000.000) date time words`, the cluster padded
 * to three digits, and end with a line `...`; a log is shared by the nodes of a group, so only the lines of this
 * cluster are looked at. Never throws: what cannot be read says nothing. (HTCondor 23.9.6.)
 */
export function readJobEvents(log: string, cluster: number): JobEvents | null {
  const id = ` (${String(cluster).padStart(3, "0")}.`;
  let events: Mutable | null = null;
  for (let at = log.indexOf(id); at >= 0; at = log.indexOf(id, at + id.length)) {
    const start = at - 3;
    if (start < 0 || (start > 0 && log[start - 1] !== "\n")) continue;
    const end = log.indexOf("\n...", at);
    if (end < 0) break; // still being written
    events ??= { ...NO_EVENTS };
    fold(events, log.slice(start, at), log.slice(log.indexOf("\n", at) + 1, end));
    at = end;
  }
  return events;
}

type Mutable = { -readonly [Key in keyof JobEvents]: JobEvents[Key] };

function fold(events: Mutable, kind: string, body: string): void {
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
      const code = first(body, /Normal termination \(return value (-?\d+)\)/);
      const signal = first(body, /Abnormal termination \(signal (\d+)\)/);
      if (code !== null || signal !== null)
        events.terminated = {
          code: code === null ? null : Number(code),
          signal: signal === null ? null : Number(signal),
        };
      // Used, asked, given; a job that was too short to be looked at leaves the first column blank.
      notePeak(events, first(body, /^\s*Memory \(MB\)\s*:\s*(\d+)\s+\d+\s+\d+/m));
      return;
    }
    case "009":
      events.aborted = words(body);
      return;
    case "012":
      events.held = {
        code: Number(first(body, /^\s*Code (\d+) Subcode/m) ?? 0),
        subcode: Number(first(body, /^\s*Code \d+ Subcode (-?\d+)/m) ?? 0),
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
      notePeak(events, first(body, /^MemoryUsage = (\d+)/m));
      return;
  }
}

function notePeak(events: Mutable, text: string | null): void {
  if (text !== null) events.peakMemoryMb = Math.max(events.peakMemoryMb ?? 0, Number(text));
}

const first = (body: string, pattern: RegExp): string | null => pattern.exec(body)?.[1] ?? null;

/** The first line that is not the codes. */
const words = (body: string): string =>
  body
    .split("\n")
    .map((line) => line.trim())
    .find((line) => line !== "" && !/^Code \d+ Subcode/.test(line)) ?? "";
