import type { AttemptRecord } from "../ledger-record.ts";
import { sorted } from "./counts.ts";

/**
 * What a rescue could do for a failed unit, from the last word on each of its failed nodes.
 * unclassified: a node waits for a person to say what its failure means.
 * permanent: nothing would change. data: bad files are named; the file ledger settles them.
 * spent: the executions of this epoch are used up, and only a person opens a new one.
 * open: a rescue may help, or nobody knows.
 */
export type UnitOutlook = "unclassified" | "permanent" | "data" | "spent" | "open";

export interface FailedUnit {
  readonly unit: string;
  readonly outlook: UnitOutlook;
  /** Failed nodes by category; "unknown" where the record does not say. */
  readonly categories: Readonly<Record<string, number>>;
  readonly nodesFailed: number;
  readonly nodesDone: number;
  /** Where its failures happened. */
  readonly sites: readonly string[];
  /** Sites its failures speak against: the rescue elects another. */
  readonly avoidSites: readonly string[];
  /** Named as bad by its data failures, as the job knew them (LFN or path). */
  readonly badFiles: readonly string[];
}

const SPENT: readonly (string | null)[] = ["executions", "losses"];

export function failedUnit(unit: string, failures: readonly AttemptRecord[], nodesDone: number): FailedUnit {
  const categories: Record<string, number> = {};
  for (const { category } of failures) {
    const key = category ?? "unknown";
    categories[key] = (categories[key] ?? 0) + 1;
  }
  const moving = failures.filter((line) => line.changeSite && line.site !== null);
  return {
    unit,
    outlook: outlookOf(failures),
    categories,
    nodesFailed: failures.length,
    nodesDone,
    sites: sorted(failures.flatMap(({ site }) => site ?? [])),
    avoidSites: sorted(moving.flatMap((line) => [...line.avoidSites, line.site!])),
    badFiles: sorted(failures.flatMap((line) => (line.category === "data" ? line.badFiles : []))),
  };
}

/** A rescue of a unit helps if it may help every failed node: its merge needs them all. */
function outlookOf(failures: readonly AttemptRecord[]): UnitOutlook {
  if (failures.length === 0) return "open";
  if (failures.some(({ decision }) => decision === "unclassified")) return "unclassified";
  const named = (line: AttemptRecord) => line.category === "data" && line.badFiles.length > 0;
  if (failures.every(named)) return "data";
  const settled = (line: AttemptRecord) => line.category === "permanent" || named(line);
  if (failures.every(settled)) return "permanent";
  return failures.every((line) => settled(line) || SPENT.includes(line.why)) ? "spent" : "open";
}
