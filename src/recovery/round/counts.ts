import { reports, roleOfNode } from "../../core/roles.ts";
import type { AttemptRecord } from "../ledger-record.ts";

/** How often something is behind a final failure. `first` is the earliest of them, by time, unit and node. */
export interface Count {
  readonly key: string;
  readonly failures: number;
  readonly units: number;
  readonly first: Example;
}

/** A failure a person can look up: whose log to read, and what was said of it. */
export interface Example
  extends Pick<AttemptRecord, "at" | "node" | "cluster" | "site" | "exitCode" | "reason" | "notBefore"> {
  readonly unit: string;
  /** What the person called a job of a graph. */
  readonly job?: string;
}

const LONGEST_REASON = 500;

function exampleOf(unit: string, { at, node, cluster, site, exitCode, reason, notBefore }: AttemptRecord): Example {
  const shown = reason.length > LONGEST_REASON ? `${reason.slice(0, LONGEST_REASON)}…` : reason;
  return { at, unit, node, cluster, site, exitCode, reason: shown, notBefore };
}

/** Lines without a time come last: they cannot be called the first failure. */
function isEarlier(unit: string, line: AttemptRecord, than: Example): boolean {
  if (line.at !== than.at) return than.at === "" || (line.at !== "" && line.at < than.at);
  if (unit !== than.unit) return unit < than.unit;
  if (line.node !== than.node) return line.node < than.node;
  return line.cluster < than.cluster;
}

/** Counts by key. A unit is added once and whole, so the units of a key are counted without remembering them. */
export class Counter {
  readonly #rows = new Map<string, { failures: number; units: number; lastUnit: string; first: Example }>();

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

/** Suspects beyond these are left out; bad files never are. */
const MOST_SUSPECTS = 100;

export class FileCounter {
  readonly #failures = new Counter();
  readonly #proofs = new Counter();
  readonly #sites = new Map<string, Set<string>>();

  add(unit: string, line: AttemptRecord): void {
    const bad = badFilesOf(line);
    for (const file of bad.length === 0 ? line.files : new Set([...bad, ...line.files])) {
      this.#failures.add(file, unit, line);
      if (bad.includes(file)) this.#proofs.add(file, unit, line);
      if (line.site !== null) this.#sites.set(file, (this.#sites.get(file) ?? new Set()).add(line.site));
    }
  }

  finish(): readonly FileCount[] {
    const proofs = new Map(this.#proofs.finish().map(({ key, first }) => [key, first]));
    const files = this.#failures.finish().map(({ key, failures, units, first }) => {
      const { reason } = proofs.get(key) ?? first;
      return { file: key, bad: proofs.has(key), failures, units, sites: sorted(this.#sites.get(key) ?? []), reason };
    });
    return [...files.filter(({ bad }) => bad), ...files.filter(({ bad }) => !bad).slice(0, MOST_SUSPECTS)];
  }
}

/** Files a failure proves to be bad, as the job knew them. */
export const badFilesOf = ({ category, badFiles }: AttemptRecord): readonly string[] =>
  category === "data" ? badFiles : [];

/** What happened at a site, for bans. A node counts once per site, however often it was tried there. */
export interface SiteCount {
  readonly site: string;
  readonly attempts: number;
  /** Nodes that ran there; landing jobs only when they failed, for they do no work. */
  readonly nodes: number;
  /** Nodes that failed there in the end. */
  readonly failed: number;
  /** Nodes that did not get through there and where the place is to blame. */
  readonly blamed: number;
  readonly lastBlamedAt: string | null;
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

export class SiteCounter {
  readonly #sites = new Map<string, Mutable<SiteCount>>();

  /** All attempts of one unit. `bad`: its files that are proved bad, so the sites that could not read them are not. */
  addUnit(lines: Iterable<AttemptRecord>, finals: ReadonlyMap<string, AttemptRecord>, bad: ReadonlySet<string>): void {
    const visits = new Map<string, { site: Mutable<SiteCount>; failed: boolean; blamedAt: string | null }>();
    for (const line of lines) {
      if (line.site === null) continue;
      const site = this.#open(line.site);
      site.attempts += 1;
      const key = `${line.node} ${line.site}`;
      const visit = visits.get(key) ?? { site, failed: false, blamedAt: null };
      visits.set(key, visit);
      const isDone = line.decision === "done";
      visit.failed = !isDone && finals.get(line.node) === line;
      if (isDone) visit.blamedAt = null;
      else if (isSiteToBlame(line, bad)) visit.blamedAt = latest(visit.blamedAt, line.at);
      if (isDone && !reports(roleOfNode(line.node))) visits.delete(key);
    }
    for (const { site, failed, blamedAt } of visits.values()) {
      site.nodes += 1;
      if (failed) site.failed += 1;
      if (blamedAt === null) continue;
      site.blamed += 1;
      site.lastBlamedAt = latest(site.lastBlamedAt, blamedAt);
    }
  }

  #open(name: string): Mutable<SiteCount> {
    const known = this.#sites.get(name);
    if (known) return known;
    const site = { site: name, attempts: 0, nodes: 0, failed: 0, blamed: 0, lastBlamedAt: null };
    this.#sites.set(name, site);
    return site;
  }

  finish(): readonly SiteCount[] {
    return [...this.#sites.values()]
      .map((site) => ({ ...site }))
      .sort((a, b) => b.failed - a.failed || b.blamed - a.blamed || compare(a.site, b.site));
  }
}

/** Infrastructure, and data trouble nobody could pin to a file: then it may well be the site's storage. */
export function isSiteToBlame({ category, badFiles, files }: AttemptRecord, bad: ReadonlySet<string>): boolean {
  if (category === "data") return badFiles.length === 0;
  if (category !== "infrastructure") return false;
  return files.length === 0 || !files.every((file) => bad.has(file));
}

const latest = (before: string | null, at: string): string => (before !== null && before > at ? before : at);

export const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
export const sorted = <T extends string>(items: Iterable<T>): readonly T[] => [...new Set(items)].sort(compare);
