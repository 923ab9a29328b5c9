import { REQUEST_STATUSES } from "../../src/core/request-status.ts";
import type { Form } from "../../src/intake/reading/form.ts";
import { shown } from "../../src/intake/reading/notes.ts";
import { readNumberTest, readRows, SPAN, textOrNull } from "./read-parts.ts";

/** Numbers an expectation can speak of, and what they count. */
const FACT_NAMES = {
  units_done: "finished units over all rounds",
  units_failed: "failed units of the present run",
  units_registered: "units in the catalog",
  events_done: "events of finished units",
  rounds: "rounds begun",
  runs: "submissions to the engine, rescues included",
  rescues: "runs that continue another",
  failure_rescues: "those of them that answer failures; stops and people's rescues do not count",
  attempts: "executions of nodes",
  failed_attempts: "executions that failed",
  retries: "failed executions that were tried again in the same run",
  most_memory_mb: "the most memory any attempt asked for",
  files_excluded: "input files set aside",
  bans: "site bans in force, for the request or for all",
} as const;
export type FactName = keyof typeof FACT_NAMES;

export type Expectation = Readonly<ReturnType<typeof readExpectation>>;

export const readExpectations = (top: Form): readonly Expectation[] =>
  readRows(
    top,
    { key: "expect", max: 1000, what: "an expectation", example: "{status: completed, rescues: 1}" },
    readExpectation,
  );

const readExpectation = (form: Form) => ({
  /** null: when the story is over. */
  atSec: form.duration("at", SPAN, null),
  request: textOrNull(form, "request"),
  status: readStatuses(form),
  /** Code of the hold. */
  hold: textOrNull(form, "hold"),
  numbers: (Object.keys(FACT_NAMES) as FactName[]).flatMap((name) => {
    const test = readNumberTest(form, name);
    return test ? [{ name, test }] : [];
  }),
  /** Kinds of decisions that must come in this order, others between them. */
  decisions: texts(form, "decisions"),
  /** Kinds that must not come at all. */
  never: texts(form, "never"),
  /** Pieces of the timeline that must come in this order. */
  timeline: texts(form, "timeline"),
});

function readStatuses(form: Form): readonly string[] | null {
  const spot = form.spot("status");
  if (spot === null) return null;
  const words: readonly unknown[] = Array.isArray(spot.value) ? spot.value : [spot.value];
  for (const word of words)
    if (!(REQUEST_STATUSES as readonly unknown[]).includes(word))
      form.notes.problem(spot.path, `${shown(word)} is no status`, REQUEST_STATUSES.join(", "));
  return words.map(String);
}

function texts(form: Form, key: string): readonly string[] {
  return form
    .list(key, 1000)
    .flatMap((spot) => (typeof spot.value === "string" ? spot.value : (spot.mustBe("text") ?? [])));
}
