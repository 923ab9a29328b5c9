import type { AttemptRecord } from "../ledger-record.ts";
import { compare } from "./counts.ts";

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

interface Open {
  attempts: number;
  nodes: number;
  failed: number;
  blamed: number;
  lastBlamedAt: string | null;
}

interface Visit {
  readonly site: string;
  done: boolean;
  failed: boolean;
  blamedAt: string | null;
}

export class SiteCounter {
  readonly #sites = new Map<string, Open>();

  /** All attempts of one unit. `bad`: its files that are proved bad, so the sites that could not read them are not. */
  addUnit(lines: Iterable<AttemptRecord>, finals: ReadonlyMap<string, AttemptRecord>, bad: ReadonlySet<string>): void {
    const visits = new Map<string, Visit>();
    for (const line of lines) {
      if (line.site === null) continue;
      const site = this.#open(line.site);
      site.attempts += 1;
      const key = `${line.node} ${line.site}`;
      let visit = visits.get(key);
      if (!visit) {
        visit = { site: line.site, done: false, failed: false, blamedAt: null };
        visits.set(key, visit);
      }
      visit.done = line.decision === "done";
      visit.failed = !visit.done && finals.get(line.node) === line;
      if (visit.done) visit.blamedAt = null;
      else if (isSiteToBlame(line, bad) && (visit.blamedAt === null || line.at > visit.blamedAt))
        visit.blamedAt = line.at;
      if (visit.done && line.node === "landing") visits.delete(key);
    }
    for (const visit of visits.values()) {
      const site = this.#open(visit.site);
      site.nodes += 1;
      if (visit.failed) site.failed += 1;
      if (visit.blamedAt === null) continue;
      site.blamed += 1;
      if (site.lastBlamedAt === null || visit.blamedAt > site.lastBlamedAt) site.lastBlamedAt = visit.blamedAt;
    }
  }

  #open(name: string): Open {
    let site = this.#sites.get(name);
    if (!site) {
      site = { attempts: 0, nodes: 0, failed: 0, blamed: 0, lastBlamedAt: null };
      this.#sites.set(name, site);
    }
    return site;
  }

  finish(): readonly SiteCount[] {
    return [...this.#sites]
      .map(([site, counts]) => ({ site, ...counts }))
      .sort((a, b) => b.failed - a.failed || b.blamed - a.blamed || compare(a.site, b.site));
  }
}

/** Infrastructure, and data trouble nobody could pin to a file: then it may well be the site's storage. */
function isSiteToBlame({ category, badFiles, files }: AttemptRecord, bad: ReadonlySet<string>): boolean {
  if (category === "data") return badFiles.length === 0;
  if (category !== "infrastructure") return false;
  return files.length === 0 || !files.every((file) => bad.has(file));
}
