import type { AttemptRecord } from "../ledger-record.ts";

/** How often something is behind a final failure. `first` is the earliest of them, by time, unit and node. */
export interface Count {
  readonly key: string;
  readonly failures: number;
  readonly units: number;
  readonly first: Example;
}

/** A failure a person can look up: whose log to read, and what was said of it. */
export interface Example {
  readonly at: string;
  readonly unit: string;
  readonly node: string;
  readonly cluster: number;
  readonly site: string | null;
  readonly exitCode: number;
  readonly reason: string;
}

const LONGEST_REASON = 500;

export const exampleOf = (unit: string, line: AttemptRecord): Example => ({
  at: line.at,
  unit,
  node: line.node,
  cluster: line.cluster,
  site: line.site,
  exitCode: line.exitCode,
  reason: line.reason.length > LONGEST_REASON ? `${line.reason.slice(0, LONGEST_REASON)}…` : line.reason,
});

/** Lines without a time come last: they cannot be called the first failure. */
export function isEarlier(unit: string, line: AttemptRecord, than: Example): boolean {
  if (line.at !== than.at) return than.at === "" || (line.at !== "" && line.at < than.at);
  if (unit !== than.unit) return unit < than.unit;
  if (line.node !== than.node) return line.node < than.node;
  return line.cluster < than.cluster;
}

interface Open {
  failures: number;
  units: number;
  lastUnit: string;
  first: Example;
}

/** Counts by key. A unit is added once and whole, so the units of a key are counted without remembering them. */
export class Counter {
  readonly #rows = new Map<string, Open>();

  add(key: string, unit: string, line: AttemptRecord): void {
    const row = this.#rows.get(key);
    if (!row) {
      this.#rows.set(key, { failures: 1, units: 1, lastUnit: unit, first: exampleOf(unit, line) });
      return;
    }
    row.failures += 1;
    if (row.lastUnit !== unit) row.units += 1;
    row.lastUnit = unit;
    if (isEarlier(unit, line, row.first)) row.first = exampleOf(unit, line);
  }

  /** Most frequent first; of equals, the first by name. */
  finish(): readonly Count[] {
    return [...this.#rows]
      .map(([key, { failures, units, first }]) => ({ key, failures, units, first }))
      .sort((a, b) => b.failures - a.failures || compare(a.key, b.key));
  }
}

export const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
export const sorted = (items: Iterable<string>): readonly string[] => [...new Set(items)].sort(compare);
