import type { AttemptView } from "../../../src/operations/attempts.ts";
import type { Tone } from "../../ui/badge.tsx";
import { duration } from "../../ui/time-words.ts";

/** How an attempt looks, by what was decided about it, and how it goes on. */
export const DECISION_LOOK: Readonly<
  Record<AttemptView["decision"], readonly [tone: Tone, letter: string, word: string, then: string]>
> = {
  done: ["done", "✓", "done", "it is done"],
  retry: ["retrying", "↻", "failed, and tried again", "it is tried again"],
  stop: ["failed", "F", "failed", "no more retries"],
  unclassified: ["held", "?", "failed", "it waits for a person to say what the failure means"],
  abort: ["failed", "✕", "failed", "it ended the whole run"],
};

/** What was tried, in one sentence. */
export function storySentence(attempts: readonly AttemptView[]): string {
  const last = attempts.at(-1);
  if (!last) return "It was not tried yet";
  const failed = attempts.filter(({ cause }) => cause !== null);
  const codes = [...new Set(failed.map(({ exit_code }) => exit_code))].join(", ");
  const sites = [...new Set(failed.map(({ site }) => site ?? "an unknown site"))].join(", ");
  const tried = attempts.length === 1 ? "Tried once" : `Tried ${attempts.length} times`;
  const bad = failed.length === 0 ? "" : `, ${failed.length} failed with exit ${codes} at ${sites}`;
  return `${tried}${bad}: ${DECISION_LOOK[last.decision][3]}`;
}

/** What was asked for and what was used, as one line; a share where both are known. */
export function usedOf(asked: number | null, used: number | null, word: (value: number) => string): string {
  if (asked === null || asked <= 0) return used === null ? "not measured" : `${word(used)} used`;
  if (used === null) return `${word(asked)} asked`;
  return `${word(used)} of ${word(asked)} (${Math.round((100 * used) / asked)} %)`;
}
export const megabytes = (value: number): string => `${Math.round(value).toLocaleString("en")} MB`;
export const seconds = (value: number): string => duration(value);
export const wallAskedSec = ({ wall_minutes }: Pick<AttemptView, "wall_minutes">): number | null =>
  wall_minutes === null ? null : wall_minutes * 60;

/**
 * The good attempt that tells most when it stands beside a bad one: of the same node, else of its kind on the same host,
 * at the same site, anywhere; of several the one that ended last. null: none is known.
 */
export function nearestGood(bad: AttemptView, known: readonly AttemptView[]): AttemptView | null {
  const kindOf = ({ node }: AttemptView) => node.replace(/_\d+$/, "");
  const nearness = (good: AttemptView): number => {
    if (good.unit === bad.unit && good.node === bad.node) return 3;
    if (good.host !== null && good.host === bad.host) return 2;
    return good.site !== null && good.site === bad.site ? 1 : 0;
  };
  const good = known.filter((other) => other.decision === "done" && kindOf(other) === kindOf(bad));
  return good.toSorted((a, b) => nearness(b) - nearness(a) || b.at.localeCompare(a.at))[0] ?? null;
}

interface Compared {
  readonly what: string;
  readonly bad: string;
  readonly good: string;
  readonly differs: boolean;
}

/** The same facts of both, and which of them differ; numbers by more than half. What a good one asked for is not kept. */
export function compared(bad: AttemptView, good: AttemptView): readonly Compared[] {
  const text = (what: string, of: (attempt: AttemptView) => string | null): Compared => {
    const [left, right] = [of(bad) ?? "unknown", of(good) ?? "unknown"];
    return { what, bad: left, good: right, differs: left !== right };
  };
  const number = (
    what: string,
    of: (attempt: AttemptView) => number | null,
    word: (value: number) => string,
  ): Compared => {
    const [left, right] = [of(bad), of(good)];
    const say = (value: number | null) => (value === null ? "not measured" : word(value));
    const [less, more] = [Math.min(left ?? 0, right ?? 0), Math.max(left ?? 0, right ?? 0)];
    return { what, bad: say(left), good: say(right), differs: left !== null && right !== null && more > less * 1.5 };
  };
  return [
    text("Site", ({ site }) => site),
    text("Host", ({ host }) => host),
    number("Memory used", ({ peak_memory_mb }) => peak_memory_mb, megabytes),
    number("Time", ({ wall_sec }) => wall_sec, seconds),
    number("Processor time", ({ cpu_sec }) => cpu_sec, seconds),
    number("Execution", ({ rrn }) => rrn, String),
  ];
}
