import { err, ok, type Result } from "../../base/result.ts";
import { plural } from "../../base/text.ts";
import type { Problem } from "../../domain/problem.ts";
import type { RoundFacts } from "./decide.ts";
import { type Reelection, reelectUnits, type SiteFacts, sortUnits } from "./failed-units.ts";

/** Running failed work again because a person says so. No limit holds them back, but what is finished stays finished. */
export interface RerunFacts extends SiteFacts, Pick<RoundFacts, "finishedUnits" | "failedUnits" | "tally"> {
  /** There is a run that ended, and its submit directory stands. */
  readonly canRescue: boolean;
  readonly roundUnits: ReadonlySet<string>;
  /** Of the nodes asked for ("mg_000003/proc_000021"), those that are done. */
  readonly doneNodes: ReadonlySet<string>;
}

interface Rerun {
  /** What to give a new budget: null for all unfinished units, else the nodes of each unit (null: all of them). */
  readonly epochOf: ReadonlyMap<string, readonly string[] | null> | null;
  readonly reelectUnits: readonly Reelection[];
  readonly reason: string;
}

const NO_FILES: ReadonlyMap<string, never[]> = new Map();

export function decideRescueNow(facts: RerunFacts): Result<Rerun, readonly Problem[]> {
  const problems = cannotRerun(facts);
  if (problems.length > 0) return err(problems);
  const { failed, open, settled } = sortUnits({ ...facts, filesOf: NO_FILES });
  return ok({
    epochOf: null,
    reelectUnits: reelectUnits([...open, ...settled], facts),
    reason: `rescue by hand: ${plural(failed, "failed unit")} to be run again`,
  });
}

/** `selection`: names of units ("mg_000003") and of nodes within them ("mg_000003/proc_000021"). */
export function decideResubmit(facts: RerunFacts, selection: readonly string[]): Result<Rerun, readonly Problem[]> {
  const problems = [...cannotRerun(facts)];
  if (selection.length === 0)
    problems.push({ path: "nodes", message: "names nothing", allowed: "mg_000003, mg_000003/proc_000021" });
  const epochOf = new Map<string, string[] | null>();
  for (const [at, name] of selection.entries()) {
    const [unit = "", node = null] = name.split("/", 2);
    const path = `nodes[${at}]`;
    if (!facts.roundUnits.has(unit))
      problems.push({ path, message: `${name.slice(0, 200)} is not of this round`, allowed: null });
    else if (facts.finishedUnits.has(unit))
      problems.push({ path, message: `${unit} is finished and is never run again`, allowed: null });
    else if (facts.doneNodes.has(name)) {
      const allowed = "a node that is not done; a rescue goes on with what its unit lacks";
      problems.push({ path, message: `${name} is done, and what is done never runs again`, allowed });
    }
    const known = epochOf.get(unit);
    if (node === null || known === null) epochOf.set(unit, null);
    else epochOf.set(unit, [...new Set([...(known ?? []), node])]);
  }
  if (problems.length > 0) return err(problems);
  return ok({ epochOf, reelectUnits: [], reason: `resubmitted by hand: ${plural(epochOf.size, "unit")}` });
}

function cannotRerun(facts: RerunFacts): readonly Problem[] {
  if (!facts.canRescue) return [{ path: "", message: "there is no run to go on with", allowed: "release, or restart" }];
  const left = [...facts.roundUnits].some((unit) => !facts.finishedUnits.has(unit));
  return left ? [] : [{ path: "", message: "all units of the round are finished", allowed: "release" }];
}
