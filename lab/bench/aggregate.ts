import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { WorkflowId } from "../../src/core/names.ts";
import { unitName } from "../../src/core/names.ts";
import { decideBans } from "../../src/recovery/bans/decide-bans.ts";
import { describeErrors } from "../../src/recovery/explain/describe-errors.ts";
import { errorsView } from "../../src/recovery/explain/errors-view.ts";
import { type AttemptRecord, NO_RECORD, readTallyLines } from "../../src/recovery/ledger-record.ts";
import { decideRound } from "../../src/recovery/round/decide.ts";
import { RoundTallying } from "../../src/recovery/round/tally.ts";
import { inOwnDirectory, peakRssMb, timed } from "./measure.ts";

const JOBS_PER_UNIT = 8;
const SITES = ["T2_XX_Alpha", "T2_XX_Beta", "T2_XX_Gamma", "T1_XX_Delta"];
const CODES = [
  [8021, "read-failed", "infrastructure"],
  [8001, "cms-exception", "permanent"],
  [50660, "too-much-memory", "transient"],
  [60307, "stage-out-failed", "infrastructure"],
] as const;

/** Writes the ledgers of a round with so many processing nodes, then times what happens when its run has ended. */
export const run = ({ nodes = 100_000, failures = Math.ceil(nodes / 10) } = {}) =>
  inOwnDirectory("aggregate", (root) => {
    const { units, bytes } = writeLedgers(root, nodes, failures);
    const { value: decision, seconds, cpuSeconds } = timed(() => aggregate(root, units));
    return {
      nodes,
      failures,
      bytes,
      /** Reading all ledgers of the round from disk, tally, bans, decision and errors view. */
      aggregateSeconds: seconds,
      aggregateCpuSeconds: cpuSeconds,
      aggregatePeakRssMb: peakRssMb(),
      decision,
    };
  });

const BANS = { minFailures: 3, failureRatio: 0.5, durationDays: 7, promotionThreshold: 3 };

function aggregate(root: string, units: readonly { name: string; failed: boolean }[]): string {
  const tallying = new RoundTallying();
  for (const { name, failed } of units) {
    const { lines, unreadable } = readTallyLines(readFileSync(join(root, name, "ledger.jsonl"), "utf8"));
    tallying.add({ unit: name, state: failed ? "failed" : "done", lines, unreadable });
  }
  const tally = tallying.finish();
  const bans = decideBans({ workflowId: "bench" as WorkflowId, sites: tally.sites, bans: [] }, BANS, new Date(0));
  const failedUnits = units.filter(({ failed }) => failed).map(({ name }) => name);
  const finishedUnits = new Set(units.filter(({ failed }) => !failed).map(({ name }) => name));
  const sites = { possibleSites: null, damaged: [], bannedSites: bans.banned };
  const decision = decideRound({
    ...sites,
    verdict: "failed",
    text: "",
    unitWord: "unit",
    unitsTotal: units.length,
    unitsDone: finishedUnits.size,
    finishedUnits,
    failedUnits,
    tally,
    rescuesUsed: 0,
    repairsUsed: 0,
    stopRequested: false,
    policy: { holdThreshold: 0.2, maxRescues: 3 },
    workRemains: false,
    filesOf: new Map(),
    directory: "complete",
  });
  const facts = {
    ...sites,
    unitWord: "unit",
    excluded: [],
    unitsTotal: units.length,
    unitsDone: finishedUnits.size,
    tails: new Map(),
  };
  describeErrors(errorsView(tally, facts), 100);
  return `${decision.kind}: ${decision.reason}`;
}

/** Failures come in runs of five, each tried once before, so some units are whole and some are not. */
function writeLedgers(root: string, nodes: number, failures: number) {
  const units: { name: string; failed: boolean }[] = [];
  const every = failures > 0 ? nodes / failures : Number.POSITIVE_INFINITY;
  let bytes = 0;
  for (let first = 0, index = 0; first < nodes; first += JOBS_PER_UNIT, index++) {
    const name = unitName(index);
    const site = SITES[index % SITES.length]!;
    const lines = [line("landing", 1, site, 0, null)];
    let failed = false;
    for (let node = first; node < Math.min(nodes, first + JOBS_PER_UNIT); node++) {
      const isBad = Math.floor(node / 5) % Math.max(1, Math.round(every)) === 0;
      const label = `proc_${String(node).padStart(6, "0")}`;
      if (isBad) lines.push(line(label, node * 2 + 10, site, 0, CODES[node % CODES.length]!, "retry"));
      lines.push(line(label, node * 2 + 11, site, 1, isBad ? CODES[node % CODES.length]! : null));
      failed ||= isBad;
    }
    if (!failed) lines.push(line("merge", 2, site, 0, null), line("cleanup", 3, site, 0, null));
    const text = lines.join("");
    mkdirSync(join(root, name));
    writeFileSync(join(root, name, "ledger.jsonl"), text);
    bytes += text.length;
    units.push({ name, failed });
  }
  return { units, bytes };
}

function line(
  node: string,
  cluster: number,
  site: string,
  retry: number,
  code: (typeof CODES)[number] | null,
  decision: "done" | "retry" | "stop" = code ? "stop" : "done",
): string {
  const file = `/store/data/Run2026A/Muons/RAW/v1/000/${String(cluster).padStart(8, "0")}.root`;
  const record: AttemptRecord = {
    ...NO_RECORD,
    at: new Date(1_790_000_000_000 + cluster * 1000).toISOString(),
    node,
    cluster,
    retry,
    maxRetries: 3,
    return: code ? 1 : 0,
    rrn: retry + 1,
    cause: code ? "exit" : null,
    exitCode: code?.[0] ?? 0,
    decodedFrom: code ? "report" : null,
    site,
    host: `worker${cluster % 500}.example.org`,
    startedAt: "2026-11-15T10:00:00.000Z",
    endedAt: "2026-11-15T11:00:00.000Z",
    wallSec: 3600,
    cpuSec: 3500.5,
    peakMemoryMb: 1812,
    memoryMb: 2048,
    wallMinutes: 480,
    nextMemoryMb: 2048,
    nextWallMinutes: 480,
    decision,
    why: code ? "run-retries" : "succeeded",
    category: code?.[2] ?? null,
    rule: code?.[1] ?? null,
    ruleSource: code ? "built-in" : null,
    changeSite: code?.[0] === 8021,
    avoidSites: code?.[0] === 8021 && decision === "stop" ? [site] : [],
    files: code?.[0] === 8021 ? [file] : [],
    reason: code ? `exit ${code[0]} at ${site}; no more retries in this run: its 3 retries are used up` : "done",
  };
  return `${JSON.stringify(record)}\n`;
}
