import type { FailureRow } from "../../core/failure-row.ts";
import type { AttemptRecord } from "../ledger-record.ts";
import { badFilesOf, compare, isSiteToBlame } from "./counts.ts";
import { isFinal, withoutRepeats } from "./tally.ts";

/** A row as long as it is counted up. */
type GrowingRow = { -readonly [Field in keyof FailureRow]: FailureRow[Field] };
interface SiteHour {
  readonly site: string;
  readonly hour: Date;
  done: number;
  failed: number;
  blamed: number;
  busySec: number;
}

const MOST_ROWS = 500;
const LONGEST_REASON = 300;
const LONGEST_FILE = 1000;
const HOUR_MS = 3_600_000;

/** Folds ledgers, a unit at a time, into rows that can be added up over requests, and into attempts by site and hour. */
export class FailureRows {
  readonly #rows = new Map<string, GrowingRow & { lastUnit: string }>();
  readonly #hours = new Map<string, SiteHour>();
  readonly #hoursSince: Date;
  #failing = 0;

  constructor(hoursSince: Date) {
    this.#hoursSince = hoursSince;
  }

  add(unit: string, isDone: boolean, all: readonly AttemptRecord[]): void {
    const lines = withoutRepeats(all);
    const finals = new Map<string, AttemptRecord>();
    for (const line of lines) {
      finals.set(line.node, line);
      this.#countHour(line);
    }
    if (isDone) return;
    for (const line of finals.values()) if (line.decision !== "done") this.#count(unit, line);
  }

  /** A unit whose ledger is not read, for it is done: one attempt that ended well. */
  addDone(site: string | null, at: Date): void {
    if (site !== null && at >= this.#hoursSince) this.#hourOf(site, at.getTime()).done += 1;
  }

  #count(unit: string, line: AttemptRecord): void {
    const isRetried = !isFinal(line);
    if (isRetried) this.#failing += 1;
    const row = this.#rowOf(unit, line);
    if (isRetried) row.retrying += 1;
    else row.failures += 1;
    if (line.decision === "unclassified") row.unclassified += 1;
    if (row.lastUnit !== unit) row.units += 1;
    row.lastUnit = unit;
    const at = timeOf(line);
    if (at && (!row.firstAt || at < row.firstAt)) row.firstAt = at;
    if (at && (!row.lastAt || at > row.lastAt)) row.lastAt = at;
  }

  #rowOf(unit: string, line: AttemptRecord) {
    const { exitCode, rule, cause, site, node, cluster, reason } = line;
    const category = line.category ?? "unknown";
    const [bad] = badFilesOf(line);
    // Many bad files are many rows: beyond a number they are told without their names.
    const file = bad && bad.length <= LONGEST_FILE && this.#rows.size < MOST_ROWS ? bad : null;
    const key = JSON.stringify([exitCode, rule, cause, category, site, file]);
    const known = this.#rows.get(key);
    if (known) return known;
    const example = { unit, node, cluster, reason: reason.slice(0, LONGEST_REASON) };
    const counts = { failures: 0, retrying: 0, unclassified: 0, units: 0, lastUnit: "", firstAt: null, lastAt: null };
    const row = { exitCode, rule, cause, category, site, file, example, ...counts };
    this.#rows.set(key, row);
    return row;
  }

  #countHour(line: AttemptRecord): void {
    const at = timeOf(line);
    if (line.site === null || !at || at < this.#hoursSince) return;
    const row = this.#hourOf(line.site, at.getTime());
    if (line.decision === "done") row.done += 1;
    else row.failed += 1;
    if (line.decision !== "done" && isSiteToBlame(line, NO_FILES)) row.blamed += 1;
    const since = Math.max(at.getTime() - (line.wallSec ?? 0) * 1000, this.#hoursSince.getTime());
    for (let from = since; from < at.getTime(); ) {
      const to = Math.min(at.getTime(), (Math.floor(from / HOUR_MS) + 1) * HOUR_MS);
      this.#hourOf(line.site, from).busySec += (to - from) / 1000;
      from = to;
    }
  }

  #hourOf(site: string, ms: number): SiteHour {
    const hour = new Date(Math.floor(ms / HOUR_MS) * HOUR_MS);
    const key = `${site} ${hour.getTime()}`;
    const row = this.#hours.get(key) ?? { site, hour, done: 0, failed: 0, blamed: 0, busySec: 0 };
    this.#hours.set(key, row);
    return row;
  }

  finish() {
    const rows = [...this.#rows.values()].map(({ lastUnit: _, ...row }): FailureRow => row);
    rows.sort((a, b) => b.failures - a.failures || b.retrying - a.retrying || a.exitCode - b.exitCode);
    const hours = [...this.#hours.values()]
      .map((hour) => ({ ...hour, busySec: Math.round(hour.busySec) }))
      .sort((a, b) => compare(a.site, b.site) || a.hour.getTime() - b.hour.getTime());
    return { failing: this.#failing, rows, hours };
  }
}

const NO_FILES: ReadonlySet<string> = new Set();

/** When it ended, as the engine or POST says; null: nobody does. */
function timeOf({ endedAt, at }: AttemptRecord): Date | null {
  const date = new Date(endedAt ?? at);
  return Number.isNaN(date.getTime()) ? null : date;
}
