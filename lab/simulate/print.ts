import { plural } from "../../src/core/base/text.ts";
import { QUIET_DECISIONS } from "./server-listener.ts";
import type { StoryEnd } from "./story.ts";
import { type Entry, spoken, stamp } from "./timeline.ts";

/** How many entries alike are told before the others are only counted. */
const TOLD = 3;

/**
 * The timeline as lines for people. Entries alike (the same failure at the same site with the same decision) are told
 * three times and then counted; the count is told when the request moves, or the story ends.
 */
export class Teller {
  readonly #print: (line: string) => void;
  readonly #width: number;
  #pending: Entry | null = null;
  readonly #lastText = new Map<string, string>();
  readonly #seen = new Map<string, { told: number; untold: number; last: Entry }>();

  constructor(requests: readonly string[], print: (line: string) => void) {
    this.#print = print;
    this.#width = requests.length > 1 ? Math.min(24, Math.max(...requests.map((name) => name.length))) : 0;
  }

  tell(entry: Entry): void {
    if (entry.kind === "decision" && typeof entry.detail.decision === "string") {
      this.#tellPending();
      // The same decision pass after pass (waiting for a removal) is told once.
      if (this.#lastText.get(entry.request ?? "") === entry.text) return;
      this.#lastText.set(entry.request ?? "", entry.text);
      if (!QUIET_DECISIONS.includes(entry.detail.decision)) this.#pending = entry;
      return;
    }
    // A move says why; the decision behind it needs no line of its own.
    if (entry.kind === "move" && this.#pending?.request === entry.request) this.#pending = null;
    this.#tellPending();
    if (entry.alike === null) {
      if (entry.kind === "move" || entry.kind === "run") this.flush(entry.sec);
      this.#line(entry, entry.text);
      return;
    }
    const key = `${entry.request} ${entry.alike}`;
    const seen = this.#seen.get(key) ?? { told: 0, untold: 0, last: entry };
    this.#seen.set(key, seen);
    seen.last = entry;
    if (seen.told >= TOLD) {
      seen.untold += 1;
      return;
    }
    seen.told += 1;
    this.#line(entry, entry.text);
  }

  #tellPending(): void {
    const pending = this.#pending;
    this.#pending = null;
    if (pending) this.#line(pending, pending.text);
  }

  flush(sec?: number): void {
    this.#tellPending();
    for (const seen of this.#seen.values()) {
      if (seen.untold > 0)
        this.#line({ ...seen.last, sec: sec ?? seen.last.sec }, `… ${seen.untold} more like it: ${seen.last.alike}`);
      seen.untold = 0;
    }
  }

  #line({ sec, kind, request }: Entry, text: string): void {
    const sign = { world: "»", operator: "»", server: "»", law: "✗", trouble: "!" }[kind as string] ?? " ";
    const name = this.#width > 0 ? `${(request ?? "").padEnd(this.#width)}  ` : "";
    this.#print(`${stamp(sec).padStart(12)} ${sign} ${name}${text}`);
  }
}

const MOST_FAILURES = 6;

export const isFine = ({ checked, lawsBroken, refused }: StoryEnd): boolean =>
  refused.length === 0 && lawsBroken.length === 0 && checked.every(({ holds }) => holds);

/** The story in a few lines: each request, the failures, the expectations, how long it took. */
export function summarise(end: StoryEnd, wallSec: number): string {
  const lines: string[] = [""];
  for (const { request, status, hold, numbers } of end.facts) {
    const work = `${plural(numbers.units_done, "unit")} done, ${plural(numbers.rounds, "round")}, ${plural(numbers.rescues, "rescue")}`;
    const tries = `${plural(numbers.attempts, "attempt")}, ${numbers.failed_attempts} failed`;
    lines.push(`${request}: ${status}${hold ? ` (${hold.code}: ${hold.message})` : ""}; ${work}; ${tries}`);
    const failures = [...(end.tallies.get(request)?.failures ?? [])].sort((a, b) => b[1] - a[1]);
    for (const [what, times] of failures.slice(0, MOST_FAILURES))
      lines.push(`  ${String(times).padStart(6)} × ${what}`);
    if (failures.length > MOST_FAILURES) lines.push(`         and ${failures.length - MOST_FAILURES} other kinds`);
  }
  const servers = end.servers > 1 ? `, ${end.servers} servers` : "";
  lines.push(`${spoken(end.virtualSec)} in ${wallSec.toFixed(1)} s: ${plural(end.passes, "pass", "passes")}${servers}`);
  const wrong = end.checked.filter(({ holds }) => !holds);
  if (end.checked.length > 0)
    lines.push(`expectations: ${end.checked.length - wrong.length} of ${end.checked.length} hold`);
  for (const { text } of wrong) lines.push(`  ✗ ${text}`);
  for (const text of end.lawsBroken) lines.push(`  ✗ law broken: ${text}`);
  return lines.join("\n");
}

/** The same for programs: the last line of --json. */
export const summaryJson = (end: StoryEnd, wallSec: number) => ({
  kind: "summary",
  ok: isFine(end),
  requests: end.facts,
  expectations: end.checked,
  lawsBroken: end.lawsBroken,
  problems: end.refused,
  virtualSec: end.virtualSec,
  wallSec,
  passes: end.passes,
  servers: end.servers,
});
