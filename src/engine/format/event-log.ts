/**
 * Event logs (`log =` of a submit file, <dag>.nodes.log, <dag>.dagman.log) as HTCondor 23.9.6 writes them: an event begins with
 * `NNN (cluster.proc.sub) date time words` and ends with a line `...`. The log grows while it is read: an event whose `...` is
 * not yet there is left out.
 */
interface JobEvent {
  readonly kind: EventKind | "other";
  readonly cluster: number;
  readonly exit: { readonly code: number } | { readonly signal: number } | null;
  /** The lines after the first, without blanks around them and without empty ones; of an abort the first is the reason. */
  readonly body: readonly string[];
}
export type EventKind = "submit" | "execute" | "evicted" | "terminated" | "aborted" | "held" | "lost" | "information";

/** By their numbers; the others matter to nobody here. */
export const EVENT_NUMBERS: Readonly<Record<EventKind, string>> = {
  submit: "000",
  execute: "001",
  evicted: "004",
  terminated: "005",
  aborted: "009",
  held: "012",
  lost: "024",
  information: "028",
};
const KINDS = new Map(Object.entries(EVENT_NUMBERS).map(([kind, number]) => [number, kind as EventKind]));
const HEADER = /^(\d{3}) \((-?\d+)\.-?\d+\.-?\d+\) (?:\d{4}-\d\d-\d\d[ T]|\d\d\/\d\d )\d\d:\d\d:\d\d/;

export function parseEvents(text: string): readonly JobEvent[] {
  const events: JobEvent[] = [];
  let lines: string[] = [];
  for (const raw of text.split("\n").slice(0, -1)) {
    const line = raw.replace(/\r$/, "");
    if (line !== "...") {
      lines.push(line);
      continue;
    }
    const event = parseEvent(lines);
    if (event) events.push(event);
    lines = [];
  }
  return events;
}

function parseEvent(lines: readonly string[]): JobEvent | null {
  const first = lines.findIndex((line) => line !== "");
  const header = HEADER.exec(lines[first] ?? "");
  if (!header) return null;
  const kind = KINDS.get(header[1]!) ?? "other";
  const body = lines.slice(first + 1).flatMap((line) => line.trim() || []);
  return { kind, cluster: Number(header[2]), exit: kind === "terminated" ? exitOf(body) : null, body };
}

function exitOf(body: readonly string[]): JobEvent["exit"] {
  for (const line of body) {
    const code = /Normal termination \(return value (-?\d+)\)/.exec(line);
    if (code) return { code: Number(code[1]) };
    const signal = /Abnormal termination \(signal (\d+)\)/.exec(line);
    if (signal) return { signal: Number(signal[1]) };
  }
  return null;
}
