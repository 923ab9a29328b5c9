/**
 * Event logs (`log =` of a submit file, <dag>.nodes.log, <dag>.dagman.log) as HTCondor 23.9.6 writes them: an event begins with
 * `NNN (cluster.proc.sub) date time words` and ends with a line `...`. The log grows while it is read: an event whose `...` is
 * not yet there is left out.
 */
export interface JobEvent {
  readonly kind: EventKind | "other";
  readonly cluster: number;
  /** Event logs tell local time; null: without the year. */
  readonly at: Date | null;
  readonly exit: { readonly code: number } | { readonly signal: number } | null;
  /** The lines after the first, without blanks around them and without empty ones; of an abort the first is the reason. */
  readonly body: readonly string[];
}

/** By their numbers; the others matter to nobody here. */
export const EVENT_NUMBERS = {
  submit: "000",
  execute: "001",
  evicted: "004",
  terminated: "005",
  size: "006",
  aborted: "009",
  held: "012",
  released: "013",
  lost: "024",
} as const;
export type EventKind = keyof typeof EVENT_NUMBERS;
const KINDS = new Map(Object.entries(EVENT_NUMBERS).map(([kind, number]) => [number as string, kind as EventKind]));
const HEADER = /^(\d{3}) \((-?\d+)\.-?\d+\.-?\d+\) (?:(\d{4}-\d\d-\d\d)[ T]|\d\d\/\d\d )(\d\d:\d\d:\d\d)/;

const HEADERS = new RegExp(HEADER.source, "gm");

/** `only`: of one cluster. A log is shared by the nodes of a group, and the others' lines are not taken apart. */
export function parseEvents(text: string, only: number | null = null): readonly JobEvent[] {
  const mark = only === null ? "" : ` (${String(only).padStart(3, "0")}.`;
  if (!text.includes(mark)) return [];
  const whole = text.replaceAll("\r\n", "\n").split("\n...\n").slice(0, -1);
  const events = whole.flatMap((lines) => (lines.includes(mark) ? (parseEvent(lines.split("\n")) ?? []) : []));
  return only === null ? events : events.filter(({ cluster }) => cluster === only);
}

/** The last event that begins in these lines: one before it was not written to its end. */
function parseEvent(all: readonly string[]): JobEvent | null {
  const first = all.findLastIndex((line) => HEADER.test(line));
  const [header, number = "", cluster, date, time] = HEADER.exec(all[first] ?? "") ?? [];
  if (header === undefined) return null;
  const lines = all.slice(first + 1);
  const kind = KINDS.get(number) ?? "other";
  const at = date === undefined ? null : new Date(`${date}T${time}`);
  const body = lines.flatMap((line) => line.trim() || []);
  return { kind, cluster: Number(cluster), at, exit: kind === "terminated" ? exitOf(body) : null, body };
}

function exitOf(body: readonly string[]): JobEvent["exit"] {
  for (const line of body) {
    const [, code, signal] =
      /Normal termination \(return value (-?\d+)\)|Abnormal termination \(signal (\d+)\)/.exec(line) ?? [];
    if (code !== undefined) return { code: Number(code) };
    if (signal !== undefined) return { signal: Number(signal) };
  }
  return null;
}

const ENDS: readonly EventKind[] = ["evicted", "terminated", "aborted", "held", "lost"];

/** The clusters that execute by the end of the log, each with the time since when. */
export function executingIn(text: string): ReadonlyMap<number, Date> {
  const running = new Map<number, Date>();
  for (const [, number = "", cluster, date, time] of text.matchAll(HEADERS)) {
    const kind = KINDS.get(number);
    if (kind === "execute" && date !== undefined) running.set(Number(cluster), new Date(`${date}T${time}`));
    else if (kind !== undefined && ENDS.includes(kind)) running.delete(Number(cluster));
  }
  return running;
}
