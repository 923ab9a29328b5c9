import { rmdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import { isDagOver } from "../domain/dag.ts";
import type { Engine } from "../engine/port.ts";
import type { Log } from "../lifecycle/ports.ts";
import type { Store } from "../store/port.ts";
import { compactDirectory, isCompacted } from "./compact.ts";
import { type DirectoryDecision, decideDirectory, dueTimes, type KeepPolicy } from "./decide-directory.ts";
import { type Budget, entriesOf, isBeingRemoved, removeTree, setAside } from "./disk-steps.ts";
import { askEngine, gatherRequest, type RequestFacts } from "./gather-request.ts";

export interface TidyPorts {
  readonly store: Store;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly log: Log;
  readonly spoolDir: string;
  readonly storageDir: string;
}

/** When to look again; null: nothing is left to do. "unfinished": the budget ended first. */
export type Tidied = { readonly again: Date | null } | "unfinished";

const SUBMIT_DIRECTORY = /^r\d+-.+$/;
const UNWRITTEN = /^\.tmp-/;
/** What waits for something else than time is looked at again after this. */
const LOOK_AGAIN_MS = 6 * 3_600_000;

const lookAgain = (now: Date): Date => new Date(now.getTime() + LOOK_AGAIN_MS);

/** One finished request: its submit directories, what was left of unfinished ones, and its unmerged files. */
export async function tidyRequest(ports: TidyPorts, policy: KeepPolicy, name: string, budget: Budget): Promise<Tidied> {
  const { store, spoolDir, clock } = ports;
  const facts = await gatherRequest(store, spoolDir, name);
  if (!facts) return { again: lookAgain(clock.now()) };
  const home = join(spoolDir, name);
  let again: Date | null = null;
  const soonest = (at: Date | null) => {
    if (at !== null && (again === null || at < again)) again = at;
  };
  for (const entry of await entriesOf(home)) {
    if (budget.isOut) return "unfinished";
    if (!entry.isDirectory()) continue; // notes for people stay
    const path = join(home, entry.name);
    if (isBeingRemoved(entry.name)) {
      if (!(await removeTree(path, budget))) return "unfinished";
    } else if (SUBMIT_DIRECTORY.test(entry.name)) {
      const outcome = await tidyDirectory(ports, policy, facts, entry.name, budget);
      if (outcome === "unfinished") return outcome;
      soonest(outcome.again);
    }
  }
  const rest = await tidyLeftovers(ports, policy, facts, budget);
  if (rest === "unfinished") return rest;
  soonest(rest.again);
  if ((await entriesOf(home)).length === 0) await rmdir(home).catch(() => {});
  return { again: again ?? lookAgain(clock.now()) };
}

async function tidyDirectory(
  ports: TidyPorts,
  policy: KeepPolicy,
  facts: RequestFacts,
  directory: string,
  budget: Budget,
): Promise<Tidied> {
  const { engine, clock, log } = ports;
  const path = join(ports.spoolDir, facts.request.spec.name, directory);
  const dags = facts.dags.get(directory) ?? [];
  const known = { ...facts, dags, isCompacted: await isCompacted(path), engine: engine.name };
  const judge = (inEngine: "absent" | "found" | "unknown" | null): DirectoryDecision =>
    decideDirectory({ ...known, inEngine }, policy, clock.now());
  let decision = judge(null);
  if (decision.kind === "ask-engine") decision = judge(await askEngine(engine, dags));
  const before = { files: budget.freedFiles, bytes: budget.freedBytes };
  const told = (event: string, because: string) =>
    log.info(event, {
      directory: path,
      because,
      files: budget.freedFiles - before.files,
      bytes: budget.freedBytes - before.bytes,
    });
  switch (decision.kind) {
    case "compact": {
      if (!(await compactDirectory(path, budget, clock.now()))) return "unfinished";
      told("housekeeping.compacted", decision.because);
      return { again: dueTimes(facts.request.statusSince, policy).removeAt };
    }
    case "remove": {
      if (!(await removeTree(await setAside(path), budget))) return "unfinished";
      told("housekeeping.removed", decision.because);
      return { again: null };
    }
    case "leave":
      return { again: decision.until ?? lookAgain(clock.now()) };
    case "ask-engine":
      return { again: lookAgain(clock.now()) };
  }
}

/** Directories that were never finished, and files of jobs that nobody will merge any more: with the first compaction. */
async function tidyLeftovers(
  ports: TidyPorts,
  policy: KeepPolicy,
  facts: RequestFacts,
  budget: Budget,
): Promise<Tidied> {
  const { request, openVersions } = facts;
  const { compactAt } = dueTimes(request.statusSince, policy);
  if (ports.clock.now() < compactAt) return { again: compactAt };
  const home = join(ports.spoolDir, request.spec.name);
  const unwritten = (await entriesOf(home)).filter(
    (entry) => entry.isDirectory() && (UNWRITTEN.test(entry.name) || isBeingRemoved(entry.name)),
  );
  const unmerged = join(ports.storageDir, "unmerged", request.spec.name);
  const aside = join(ports.storageDir, "unmerged", `.removing-${request.spec.name}`);
  const hasUnmerged = (await entriesOf(unmerged)).length + (await entriesOf(aside)).length > 0;
  if (unwritten.length === 0 && !hasUnmerged) return { again: null };
  const dags = [...facts.dags.values()].flat();
  const isBusy =
    openVersions.length > 0 || dags.some(({ status, engine }) => !isDagOver(status) || engine !== ports.engine.name);
  if (isBusy || (await askEngine(ports.engine, dags)) !== "absent") return { again: lookAgain(ports.clock.now()) };
  for (const { name } of unwritten)
    if (!(await removeTree(await setAside(join(home, name)), budget))) return "unfinished";
  if (hasUnmerged) {
    // What an earlier turn set aside must be gone before the name is free for this one.
    if (!(await removeTree(aside, budget)) || !(await removeTree(await setAside(unmerged), budget)))
      return "unfinished";
    ports.log.info("housekeeping.unmerged-removed", { request: request.spec.name });
  }
  return { again: null };
}
