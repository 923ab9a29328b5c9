import type { ShownJobState } from "../../core/job-state.ts";
import { jobIndex } from "../../core/names.ts";
import type { AttemptView, ErrorsReply } from "../../operations/attempts.ts";
import type { RequestDetailView } from "../../operations/requests.ts";
import type { OutlineView, ResultView } from "../../operations/results.ts";

/** All that a report is made of. */
export interface ReportFacts {
  readonly now: Date;
  readonly server: string;
  readonly request: RequestDetailView;
  readonly errors: ErrorsReply;
  /** null: its kind has none. */
  readonly graph: OutlineView | null;
  /** Of the present round. */
  readonly results: readonly ResultView[];
  /** Jobs an earlier version did; they are not among the results. */
  readonly credited: number;
  readonly attempts: readonly AttemptView[];
  /** There is more than was read. */
  readonly isCut: boolean;
  /** As it can be submitted again. */
  readonly document: string;
}

export type Counts = Readonly<Partial<Record<ShownJobState, number>>>;

export function tallyStates(states: Iterable<ShownJobState>): Counts {
  const counts: Partial<Record<ShownJobState, number>> = {};
  for (const state of states) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

/** The state of a graph's job by its number. One without a result was done by an earlier version, if any was. */
export function jobStates({ results, credited }: ReportFacts): (index: number) => ShownJobState {
  const known = new Map(results.map(({ unit, state }) => [jobIndex(unit), state]));
  return (index) => known.get(index) ?? (credited > 0 ? "credited" : "waiting");
}

/** Jobs that are likely the same work: what differs is a number. */
export const stemOf = ({ name, unit, node }: Pick<ResultView, "name" | "unit" | "node">): string =>
  (jobIndex(unit) === null ? node : name).replace(/\d+(?:[.,]\d+)*/g, "#");
