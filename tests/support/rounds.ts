import { type AttemptRecord, NO_RECORD } from "../../src/recovery/ledger-record.ts";
import type { RoundFacts } from "../../src/recovery/round/decide.ts";
import type { FilesOfUnits, RoundFile } from "../../src/recovery/round/sort-files.ts";
import { EMPTY_ROUND, tallyRound, type UnitAttempts } from "../../src/recovery/round/tally.ts";

/** Rounds for tests and simulations: plain, whole, and changed one field at a time. */
export const attemptLine = (over: Partial<AttemptRecord> = {}): AttemptRecord => ({
  ...NO_RECORD,
  at: "2026-01-01T00:00:00.000Z",
  node: "proc_000000",
  maxRetries: 3,
  site: "T2_XX_Alpha",
  host: "worker1",
  decision: "done",
  reason: "done",
  ...over,
});

export const failedLine = (over: Partial<AttemptRecord> = {}): AttemptRecord =>
  attemptLine({
    cause: "exit",
    exitCode: 60307,
    decision: "stop",
    why: "run-retries",
    category: "transient",
    rule: "stage-out-failed",
    reason: "copying the output to storage failed",
    ...over,
  });

/** The files of each unit that is named in them. */
export function filesOfUnits(files: readonly RoundFile[]): FilesOfUnits {
  const units = new Set(files.flatMap((file) => file.units));
  return new Map([...units].map((unit) => [unit, files.filter((file) => file.units.includes(unit))]));
}

export const PERMANENT: Partial<AttemptRecord> = {
  category: "permanent",
  exitCode: 8001,
  rule: "cms-exception",
  why: "row-stops",
};
export const DATA = (...files: string[]): Partial<AttemptRecord> => ({
  category: "data",
  exitCode: 8021,
  rule: "read-failed",
  why: "bad-file",
  badFiles: files,
  files,
  reason: `no more retries: ${files[0]} failed at two sites`,
});
export const AWAY = (site: string): Partial<AttemptRecord> => ({
  category: "infrastructure",
  exitCode: 8020,
  rule: "open-failed",
  why: "site",
  site,
  changeSite: true,
  avoidSites: [site],
});

export const failing = (unit: string, ...failures: Partial<AttemptRecord>[]): UnitAttempts => ({
  unit,
  state: "failed",
  lines: failures.map((over, at) => failedLine({ node: `proc_${String(at).padStart(6, "0")}`, ...over })),
});

/** A round of so many units of which these failed; the others are done. */
export function sampleRound(
  unitsTotal: number,
  failed: readonly UnitAttempts[] = [],
  over: Partial<RoundFacts> = {},
): RoundFacts {
  const names = new Set(failed.map(({ unit }) => unit));
  const done = Array.from({ length: unitsTotal }, (_, at) => `mg_${String(at).padStart(6, "0")}`).filter(
    (name) => !names.has(name),
  );
  return {
    verdict: failed.length > 0 ? "failed" : "success",
    text: "",
    unitWord: "unit",
    unitsTotal,
    unitsDone: unitsTotal - failed.length,
    finishedUnits: new Set(done.slice(0, unitsTotal - failed.length)),
    failedUnits: [...names],
    tally: failed.length > 0 ? tallyRound(failed) : EMPTY_ROUND,
    rescuesUsed: 0,
    repairsUsed: 0,
    stopRequested: false,
    policy: { holdThreshold: 0.2, maxRescues: 3 },
    workRemains: false,
    filesOf: new Map(),
    directory: "complete",
    damaged: [],
    possibleSites: null,
    bannedSites: [],
    ...over,
  };
}
