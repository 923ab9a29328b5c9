import { rmdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../../core/base/clock.ts";
import type { Log } from "../../../core/base/log.ts";
import type { Dag } from "../../../core/dag.ts";
import type { Engine } from "../../../engines/port.ts";
import type { Store } from "../../../store/port.ts";
import {
  asideOf,
  type Budget,
  entriesOf,
  isBeingRemoved,
  isSubmitDirectory,
  removeAtOnce,
  removeTree,
} from "../../../submit-dir/disk/disk-steps.ts";
import { isTemporaryName } from "../../../submit-dir/names.ts";
import { compactDirectory, isCompacted } from "./compact.ts";
import {
  type DirectoryDecision,
  type DirectoryFacts,
  decideDirectory,
  dueTimes,
  type KeepPolicy,
} from "./decide-directory.ts";
import { askEngine, gatherRequest, type RequestFacts } from "./gather-request.ts";

export interface CleanPorts {
  readonly store: Store;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly log: Log;
  readonly spoolDir: string;
  readonly storageDir: string;
}

/** One turn of cleaning. */
interface Turn extends CleanPorts {
  readonly policy: KeepPolicy;
  readonly budget: Budget;
}

/** When to look again; null: nothing is left to do. "unfinished": the budget ended first. */
type Cleaned = Date | null | "unfinished";

/** What waits for something else than time is looked at again after this. */
const LOOK_AGAIN_MS = 6 * 3_600_000;

const lookAgain = ({ clock }: CleanPorts): Date => new Date(clock.now().getTime() + LOOK_AGAIN_MS);

/** One finished request: its submit directories, what was left of unfinished ones, and its unmerged files. */
export async function cleanRequest(turn: Turn, name: string): Promise<Date | "unfinished"> {
  const { store, spoolDir, budget } = turn;
  const facts = await gatherRequest(store, spoolDir, name);
  if (!facts) return lookAgain(turn);
  const home = join(spoolDir, name);
  const times: (Date | null)[] = [];
  for (const entry of await entriesOf(home)) {
    if (budget.isOut) return "unfinished";
    if (isBeingRemoved(entry)) {
      if (!(await removeTree(join(home, entry.name), budget))) return "unfinished";
    } else if (isSubmitDirectory(entry)) {
      const outcome = await cleanDirectory(turn, facts, entry.name);
      if (outcome === "unfinished") return outcome;
      times.push(outcome);
    }
  }
  const rest = await cleanLeftovers(turn, facts);
  if (rest === "unfinished") return rest;
  // A request is found again by its directory: it stays while anything is left to do.
  if (rest === null && (await entriesOf(home)).length === 0) await rmdir(home).catch(() => {});
  const soonest = Math.min(...[...times, rest].filter((at) => at !== null).map(Number));
  return Number.isFinite(soonest) ? new Date(soonest) : lookAgain(turn);
}

/** What may become of it now; the engine is asked only when its answer matters. */
async function decideNow(
  { engine, clock, policy }: Pick<Turn, "engine" | "clock" | "policy">,
  facts: Pick<DirectoryFacts, "request" | "openVersions" | "isCompacted">,
  dags: readonly Dag[] | null,
): Promise<DirectoryDecision> {
  const decide = (inEngine: DirectoryFacts["inEngine"]) =>
    decideDirectory({ ...facts, dags, engine: engine.id, inEngine }, policy, clock.now());
  const decision = decide(null);
  return decision.kind === "ask-engine" ? decide(await askEngine(engine, dags ?? [])) : decision;
}

async function cleanDirectory(turn: Turn, facts: RequestFacts, directory: string): Promise<Cleaned> {
  const { policy, budget, clock, log } = turn;
  const path = join(turn.spoolDir, facts.request.spec.name, directory);
  const known = { ...facts, isCompacted: isCompacted(path) };
  const decision = await decideNow(turn, known, facts.dags.get(directory) ?? null);
  const before = { files: budget.freedFiles, bytes: budget.freedBytes };
  const logDone = (event: string, reason: string) =>
    log.info(event, {
      directory: path,
      reason,
      files: budget.freedFiles - before.files,
      bytes: budget.freedBytes - before.bytes,
    });
  switch (decision.kind) {
    case "compact":
      if (!(await compactDirectory(path, budget, clock.now()))) return "unfinished";
      logDone("housekeeping.compacted", decision.reason);
      return dueTimes(facts.request.statusSince, policy).removeAt;
    case "remove":
      if (!(await removeAtOnce(path, budget))) return "unfinished";
      logDone("housekeeping.removed", decision.reason);
      return null;
    case "leave":
      return decision.until ?? lookAgain(turn);
    case "ask-engine":
      return lookAgain(turn);
  }
}

/** Directories that were never finished, and files of jobs that nobody will merge any more: with the first compaction. */
async function cleanLeftovers(turn: Turn, facts: RequestFacts): Promise<Cleaned> {
  const { policy, budget, clock, log } = turn;
  const { name } = facts.request.spec;
  const { compactAt } = dueTimes(facts.request.statusSince, policy);
  if (clock.now() < compactAt) return compactAt;
  const home = join(turn.spoolDir, name);
  const unwritten = (await entriesOf(home)).filter((entry) => entry.isDirectory() && isTemporaryName(entry.name));
  const unmerged = join(turn.storageDir, "unmerged", name);
  const hasUnmerged = (await entriesOf(unmerged)).length + (await entriesOf(asideOf(unmerged))).length > 0;
  if (unwritten.length === 0 && !hasUnmerged) return null;
  const all = [...facts.dags.values()].flat();
  const never = { ...turn, policy: { ...policy, removeAfterDays: 0 } };
  const decision = await decideNow(never, { ...facts, isCompacted: false }, all);
  if (decision.kind !== "compact") return lookAgain(turn);
  for (const entry of unwritten) if (!(await removeAtOnce(join(home, entry.name), budget))) return "unfinished";
  if (hasUnmerged) {
    if (!(await removeAtOnce(unmerged, budget))) return "unfinished";
    log.info("housekeeping.unmerged-removed", { request: name });
  }
  return null;
}
