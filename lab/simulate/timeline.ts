import type { VirtualTime } from "./virtual-time.ts";

/** What kind of thing happened. `world`: the story did it · `operator`: somebody asked for it. */
type EntryKind = "world" | "operator" | "server" | "move" | "decision" | "attempt" | "unit" | "run" | "trouble" | "law";

export interface Entry {
  /** Seconds since the story began. */
  readonly sec: number;
  readonly kind: EntryKind;
  readonly request: string | null;
  readonly text: string;
  /** Entries alike are told a few times, then counted; null: each is told. */
  readonly alike: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

export type Timeline = ReturnType<typeof makeTimeline>;

/** Everything that happened, in order. The listener hears of it at once. */
export function makeTimeline(time: VirtualTime, listener: (entry: Entry) => void) {
  const entries: Entry[] = [];
  const add = (
    kind: EntryKind,
    request: string | null,
    text: string,
    detail: Entry["detail"] = {},
    alike: string | null = null,
  ): void => {
    const entry = { sec: time.sec, kind, request, text, alike, detail };
    entries.push(entry);
    listener(entry);
  };
  return { entries: entries as readonly Entry[], add };
}

/** "+0:12:00", "+3d 04:05:06". */
export function stamp(sec: number): string {
  const whole = Math.floor(sec);
  const [days, hours] = [Math.floor(whole / 86_400), Math.floor(whole / 3600) % 24];
  const rest = `${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
  return days > 0 ? `+${days}d ${two(hours)}:${rest}` : `+${hours}:${rest}`;
}

const two = (number: number): string => String(number).padStart(2, "0");

/** "26 h 13 min", "3 d 4 h": for sentences. */
export function spoken(sec: number): string {
  if (sec < 60) return `${Math.round(sec)} s`;
  if (sec < 7200) return `${Math.round(sec / 60)} min`;
  if (sec < 2 * 86_400) return `${Math.floor(sec / 3600)} h ${Math.round((sec % 3600) / 60)} min`;
  return `${Math.floor(sec / 86_400)} d ${Math.round((sec % 86_400) / 3600)} h`;
}
