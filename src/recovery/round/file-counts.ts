import type { AttemptRecord } from "../ledger-record.ts";
import { compare, sorted } from "./counts.ts";

/** A file behind failures. `bad`: there is proof against it; otherwise it is only suspected. */
export interface FileCount {
  /** As the job knew it: LFN or path. */
  readonly file: string;
  readonly bad: boolean;
  readonly failures: number;
  readonly units: number;
  readonly sites: readonly string[];
  /** What the failure that proved it said; else that of the first. */
  readonly reason: string;
}

interface Open {
  bad: boolean;
  failures: number;
  units: number;
  lastUnit: string;
  readonly sites: Set<string>;
  at: string;
  reason: string;
}

/** Suspects beyond these are left out; bad files never are. */
const MOST_SUSPECTS = 100;

export class FileCounter {
  readonly #files = new Map<string, Open>();

  add(unit: string, line: AttemptRecord): void {
    const bad = line.category === "data" ? line.badFiles : [];
    const files = bad.length === 0 ? line.files : new Set([...bad, ...line.files]);
    for (const file of files) this.#addOne(file, bad.includes(file), unit, line);
  }

  #addOne(name: string, bad: boolean, unit: string, line: AttemptRecord): void {
    let file = this.#files.get(name);
    if (!file) {
      file = { bad, failures: 0, units: 0, lastUnit: "", sites: new Set(), at: "", reason: "" };
      this.#files.set(name, file);
    }
    file.failures += 1;
    if (file.lastUnit !== unit) file.units += 1;
    file.lastUnit = unit;
    if (line.site !== null) file.sites.add(line.site);
    const order = `${line.at} ${unit} ${line.node} ${line.cluster}`;
    const proves = bad && !file.bad;
    if (proves || (bad === file.bad && (file.at === "" || order < file.at))) {
      file.at = order;
      file.reason = line.reason.slice(0, 500);
    }
    file.bad ||= bad;
  }

  finish(): readonly FileCount[] {
    const files = [...this.#files]
      .map(([file, { bad, failures, units, sites, reason }]) => ({
        file,
        bad,
        failures,
        units,
        sites: sorted(sites),
        reason,
      }))
      .sort((a, b) => b.failures - a.failures || compare(a.file, b.file));
    const bad = files.filter((file) => file.bad);
    return [...bad, ...files.filter((file) => !file.bad).slice(0, MOST_SUSPECTS)];
  }
}
