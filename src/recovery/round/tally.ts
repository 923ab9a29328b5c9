import { roleOfNode } from "../../core/roles.ts";
import { builtinRows } from "../builtin-policy.ts";
import { signalName } from "../codes.ts";
import type { AttemptRecord } from "../ledger-record.ts";
import { numberScore } from "../policy.ts";
import { badFilesOf, type Count, Counter, compare, FileCounter, SiteCounter } from "./counts.ts";
import { type FailedUnit, failedUnit } from "./failed-units.ts";

/**
 * Folds what the units of a round left behind into numbers. Units may come in any order, one at a time, each once and
 * whole; nothing of a unit is kept but counts and, if it failed, one small record. Within a unit the order of the
 * ledger tells which record of a node is its last; how the nodes interleave does not matter.
 */
export interface UnitAttempts {
  readonly unit: string;
  /** As engine and store say. open: neither done nor failed, because the run was cut off. */
  readonly state: "done" | "failed" | "open";
  /** In ledger order. */
  readonly lines: readonly AttemptRecord[];
  readonly unreadable?: number;
}

export type RoundTally = Readonly<ReturnType<RoundTallying["finish"]>>;

export function tallyRound(units: Iterable<UnitAttempts>): RoundTally {
  const tally = new RoundTallying();
  for (const unit of units) tally.add(unit);
  return tally.finish();
}

/** For a shell that reads unit after unit. */
export class RoundTallying {
  readonly #units = { done: 0, failed: 0, open: 0 };
  readonly #nodes = { done: 0, failed: 0, recovered: 0, retrying: 0 };
  readonly #failedUnits: FailedUnit[] = [];
  readonly #all = new Counter();
  readonly #categories = new Counter();
  readonly #causes = new Counter();
  readonly #codes = new Counter();
  readonly #retrying = new Counter();
  readonly #hosts = new Counter();
  readonly #sites = new SiteCounter();
  readonly #files = new FileCounter();
  #attempts = 0;
  #unclassified = 0;
  #unreadable = 0;
  #killedAtMb: number | null = null;
  #killedJobs = 0;

  add({ unit, state, lines: all, unreadable = 0 }: UnitAttempts): void {
    this.#units[state] += 1;
    this.#unreadable += unreadable;
    const lines = withoutRepeats(all);
    this.#attempts += lines.length;
    const finals = new Map<string, AttemptRecord>();
    const stumbled = new Set<string>();
    const killed = new Set<string>();
    for (const line of lines) {
      finals.set(line.node, line);
      if (line.decision !== "done") stumbled.add(line.node);
      if (line.cause !== "oom" || line.memoryMb === null || !isWork(line.node)) continue;
      this.#killedAtMb = Math.max(this.#killedAtMb ?? 0, line.memoryMb);
      killed.add(line.node);
    }
    this.#killedJobs += killed.size;
    const failures: AttemptRecord[] = [];
    const bad = new Set<string>();
    for (const line of finals.values()) {
      if (line.decision === "done") {
        this.#nodes.done += 1;
        if (stumbled.has(line.node)) this.#nodes.recovered += 1;
      } else if (state !== "done" && isFinal(line)) {
        failures.push(line);
        for (const file of badFilesOf(line)) bad.add(file);
      } else if (state !== "done") {
        this.#nodes.retrying += 1;
        this.#retrying.add(codeKey(line), unit, line);
      }
    }
    for (const line of failures) this.#count(unit, line);
    this.#sites.addUnit(lines, finals, bad);
    if (state === "failed" || failures.length > 0) this.#failedUnits.push(failedUnit(unit, failures));
  }

  #count(unit: string, line: AttemptRecord): void {
    this.#nodes.failed += 1;
    if (line.decision === "unclassified") this.#unclassified += 1;
    this.#all.add("", unit, line);
    this.#categories.add(line.category ?? "unknown", unit, line);
    this.#causes.add(line.cause ?? "unknown", unit, line);
    this.#codes.add(codeKey(line), unit, line);
    if (line.host !== null) this.#hosts.add(line.host, unit, line);
    this.#files.add(unit, line);
  }

  finish() {
    return {
      units: { ...this.#units },
      /** `recovered`: done, after at least one failure. `retrying`: failed, and to be tried again. */
      nodes: { ...this.#nodes },
      attempts: this.#attempts,
      unclassified: this.#unclassified,
      /** Lines of ledgers that could not be read. */
      unreadable: this.#unreadable,
      /** The most memory that a job had asked for which was killed for using more, and how many were; null: none was. */
      killedAtMb: this.#killedAtMb,
      killedJobs: this.#killedJobs,
      /** By name. Every one of them: the rescue needs them all. */
      failedUnits: this.#failedUnits.toSorted((a, b) => compare(a.unit, b.unit)),
      /** Counts are of nodes whose last word is a failure; most frequent first. */
      categories: this.#categories.finish(),
      causes: this.#causes.finish(),
      codes: this.#codes.finish().map(codeCount),
      /** The same of nodes that are to be tried again: no final failures. */
      retrying: this.#retrying.finish().map(codeCount),
      hosts: this.#hosts.finish(),
      sites: this.#sites.finish(),
      /** All bad files, then the most suspected ones. */
      files: this.#files.finish(),
      first: (this.#all.finish()[0] ?? this.#retrying.finish()[0])?.first ?? null,
    };
  }
}

/** A retry that never came, because the run ended before, is no verdict; one that had no tries left is. */
export const isFinal = ({ decision, retry, maxRetries }: AttemptRecord): boolean =>
  decision !== "retry" || retry >= maxRetries;

/** POST may tell of one attempt twice (it was killed after writing); the first telling counts. */
export function withoutRepeats(lines: readonly AttemptRecord[]): readonly AttemptRecord[] {
  const seen = new Set<string>();
  return lines.filter(({ node, cluster }) => {
    if (cluster <= 0) return true;
    const key = `${node} ${cluster}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

const SPLIT = "\u0000";
const codeKey = (line: AttemptRecord): string =>
  [line.exitCode, line.rule ?? "", line.cause ?? "", line.category ?? "unknown"].join(SPLIT);

/** Failures alike: the same code, seen by the same rule. */
export type CodeCount = Readonly<ReturnType<typeof codeCount>>;

function codeCount(count: Count) {
  const [code = "0", ruleId = "", causeWord = "", category = "unknown"] = count.key.split(SPLIT);
  const [exitCode, rule, cause] = [Number(code), ruleId || null, causeWord || null];
  const key = rule === null ? code : `${code} ${rule}`;
  const [name, meaning] = [codeName(exitCode, cause), meaningOf(exitCode, rule, cause)];
  return { ...count, key, exitCode, name, cause, category, rule, meaning };
}

/**
 * What a failure means, by the built-in table: the row that ruled on it if it is ours, else the row that names the
 * code, else the cause's. null: no row knows it (a rule of the request or installation ruled).
 */
export function meaningOf(exitCode: number, rule: string | null, cause: string | null): string | null {
  const rows = builtinRows();
  const ruled = rows.find(({ id }) => id === rule);
  if (ruled) return ruled.meaning ?? null;
  const failure = { exitCode, shortCode: null, signal: cause === "signal" ? exitCode - 128 : null, hold: null };
  const named =
    rows.find(({ match }) => !match.stderr && match.speech !== "cms" && numberScore(match, failure) >= 0) ??
    rows.find(
      ({ match: { causes, codes, signals, speech } }) =>
        causes?.some((one) => one === cause) && !codes && !signals && !speech,
    );
  return named?.meaning ?? null;
}

/** How a code is written for people: 8021, SIGKILL, oom. */
export function codeName(exitCode: number, cause: string | null): string {
  if (cause === "signal") return signalName(exitCode - 128);
  if (exitCode < 0) return cause ?? String(exitCode);
  return cause === null || cause === "exit" || cause === "unknown" ? String(exitCode) : `${exitCode} ${cause}`;
}

/** What people wrote, not what is done around it. */
const isWork = (node: string): boolean => ["processing", "job"].includes(roleOfNode(node));

export const EMPTY_ROUND: RoundTally = tallyRound([]);
