import type { RequestFacts } from "./facts.ts";
import type { Expectation } from "./read-expectations.ts";
import { passes } from "./read-parts.ts";
import { type Entry, stamp } from "./timeline.ts";

/** One thing a story expected, and what came of it. */
export interface Checked {
  readonly holds: boolean;
  readonly text: string;
}

/** Compares one expectation with what happened; a line for every single thing it says. */
export function check(expectation: Expectation, facts: RequestFacts, entries: readonly Entry[]): Checked[] {
  const when = expectation.atSec === null ? "finally" : `at ${stamp(expectation.atSec)}`;
  const found: Checked[] = [];
  const say = (holds: boolean, what: string, got: string) =>
    found.push({ holds, text: `${when} ${facts.request}: ${what}${holds ? "" : `, but ${got}`}` });
  const { status, hold, numbers, decisions, never, timeline } = expectation;
  if (status) say(status.includes(facts.status), `is ${status.join(" or ")}`, `it is ${statusText(facts)}`);
  if (hold) say(facts.hold?.code === hold, `is held for ${hold}`, `it is ${statusText(facts)}`);
  for (const { name, test } of numbers)
    say(passes(test, facts.numbers[name]), `${name} ${test.text}`, `it is ${facts.numbers[name]}`);
  const mine = entries.filter(({ request }) => request === null || request === facts.request);
  const kinds = mine.flatMap(({ kind, detail }) => (kind === "decision" ? [String(detail.decision)] : []));
  if (decisions.length > 0) {
    const missing = firstMissing(decisions, kinds, (wanted, kind) => wanted === kind);
    say(missing === null, `decided ${decisions.join(" → ")}`, `${missing} did not come; it was ${path(kinds)}`);
  }
  for (const kind of never) say(!kinds.includes(kind), `never decides ${kind}`, "it did");
  if (timeline.length > 0) {
    const texts = mine.map(({ text }) => text);
    const missing = firstMissing(timeline, texts, (wanted, text) => text.includes(wanted));
    say(missing === null, `tells of ${timeline.map((text) => `"${text}"`).join(" → ")}`, `"${missing}" is not there`);
  }
  return found;
}

const statusText = ({ status, hold, waiting }: RequestFacts): string =>
  hold ? `${status} (${hold.code}: ${hold.message})` : `${status}${waiting ? ` (${waiting})` : ""}`;

/** The first wanted thing that does not come after the one before it; null: all come in this order. */
function firstMissing(
  wanted: readonly string[],
  given: readonly string[],
  fits: (wanted: string, given: string) => boolean,
): string | null {
  let from = 0;
  for (const want of wanted) {
    const at = given.findIndex((one, index) => index >= from && fits(want, one));
    if (at < 0) return want;
    from = at + 1;
  }
  return null;
}

/** Repeated kinds once: a run is followed again and again. */
const path = (kinds: readonly string[]): string =>
  kinds
    .filter((kind, at) => kind !== kinds[at - 1])
    .slice(-20)
    .join(" → ");
