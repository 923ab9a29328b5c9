import { err, ok, type Result } from "../../core/base/result.ts";
import { listed, plural } from "../../core/base/text.ts";
import type { Problem } from "../../core/problem.ts";
import { shapeOf } from "../../core/roles.ts";
import { nearest } from "../../intake/reading/spelling.ts";
import type { RoundFacts } from "./decide.ts";
import { type Reelection, reelectUnits, type SiteFacts, sortUnits } from "./failed-units.ts";

/** Running failed work again because a person says so. No limit holds them back, but what is finished stays finished. */
export interface RerunFacts
  extends SiteFacts,
    Pick<RoundFacts, "finishedUnits" | "failedUnits" | "tally" | "unitWord"> {
  /** There is a run that ended, and its submit directory stands. */
  readonly canRescue: boolean;
  /** The run goes on: only what has failed can be chosen, and waits for its end. */
  readonly stillRuns?: boolean;
  readonly roundUnits: ReadonlySet<string>;
  /** Of the nodes asked for ("mg_000003/proc_000021"), those that are done. */
  readonly doneNodes: ReadonlySet<string>;
  /** While the run goes on, only these nodes may be chosen: they failed for good. */
  readonly failedNodes: ReadonlySet<string>;
  /** All that a person may call units and nodes: the nearest of them is proposed for a name that nobody has. */
  readonly names: Iterable<string>;
  /** Of the units asked for by one of their nodes: all nodes they have. */
  readonly nodesOf: ReadonlyMap<string, readonly string[]>;
  /** While the run goes on: its jobs that have a place in a side run, and those of which only so many may run at once. */
  readonly besideNow: ReadonlySet<string>;
  readonly limited: ReadonlySet<string>;
}

interface Rerun {
  /** What to give a new budget: null for all unfinished units, else the nodes of each unit (null: all of them). */
  readonly epochOf: ReadonlyMap<string, readonly string[] | null> | null;
  readonly reelectUnits: readonly Reelection[];
  /** They run while the others go on. */
  readonly beside: boolean;
  readonly reason: string;
}

const NO_FILES: ReadonlyMap<string, never[]> = new Map();

export function decideRescueNow(facts: RerunFacts): Result<Rerun, readonly Problem[]> {
  const problems = cannotRerun(facts);
  if (problems.length > 0) return err(problems);
  const { failed, open, beyondRescue } = sortUnits({ ...facts, filesOf: NO_FILES });
  return ok({
    epochOf: null,
    reelectUnits: reelectUnits([...open, ...beyondRescue], facts),
    beside: false,
    reason: `rescue on request: ${plural(failed, `failed ${facts.unitWord}`)} to be run again`,
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
    const refused = cannotChoose(facts, name, unit, node);
    if (refused) problems.push({ path: `nodes[${at}]`, ...refused });
    const known = epochOf.get(unit);
    if (node === null || known === null) epochOf.set(unit, null);
    else epochOf.set(unit, [...new Set([...(known ?? []), node])]);
  }
  if (problems.length > 0) return err(problems);
  const beside = facts.stillRuns === true && [...epochOf.keys()].every((unit) => canRunBeside(facts, unit));
  const when = facts.stillRuns ? (beside ? " beside the others" : whyLater(facts, [...epochOf.keys()])) : "";
  return ok({
    epochOf,
    reelectUnits: [],
    beside,
    reason: `resubmitted by hand${when}: ${plural(epochOf.size, facts.unitWord)}`,
  });
}

const isJob = (unit: string): boolean => shapeOf(unit).layout === "flat";
const canRunBeside = ({ limited }: RerunFacts, unit: string): boolean => isJob(unit) && !limited.has(unit);
const whyLater = ({ limited }: RerunFacts, units: readonly string[]): string =>
  units.some((unit) => limited.has(unit))
    ? ", when the run has ended, since only so many of them may run at once"
    : ", when the others have ended";

type Refused = Omit<Problem, "path">;

function cannotChoose(facts: RerunFacts, name: string, unit: string, node: string | null): Refused | null {
  const shown = name.slice(0, 200);
  if (!facts.roundUnits.has(unit)) {
    const near = nearest(shown, facts.names);
    return { message: `${shown} is not of this round`, allowed: near && `did you mean ${near}?` };
  }
  const nodes = facts.nodesOf.get(unit);
  if (node !== null && nodes && !nodes.includes(node)) {
    const near = nearest(node, nodes);
    const allowed = near ? `did you mean ${unit}/${near}?` : `one of ${listed(nodes)}`;
    return { message: `${unit} has no node ${node.slice(0, 200)}`, allowed };
  }
  if (facts.finishedUnits.has(unit)) return { message: `${unit} is finished and is never run again`, allowed: null };
  if (facts.doneNodes.has(name)) {
    const allowed = "a node that is not done; a rescue goes on with what its unit lacks";
    return { message: `${name} is done, and what is done never runs again`, allowed };
  }
  if (facts.besideNow.has(unit)) return { message: `${name} runs again already`, allowed: "one that failed" };
  if (facts.stillRuns && !hasFailed(facts, unit, name))
    return { message: `${name} has not failed: it runs, or waits to`, allowed: "one that failed" };
  return null;
}

/** A node by itself: others of its unit may still run. A unit as a whole once anything of it has failed. */
const hasFailed = ({ failedNodes, tally }: RerunFacts, unit: string, name: string): boolean =>
  name === unit ? tally.failedUnits.some((failed) => failed.unit === unit) : failedNodes.has(name);

function cannotRerun(facts: RerunFacts): readonly Problem[] {
  if (!facts.canRescue) return [{ path: "", message: "there is no run to go on with", allowed: "release, or restart" }];
  const left = [...facts.roundUnits].some((unit) => !facts.finishedUnits.has(unit));
  return left ? [] : [{ path: "", message: `all ${facts.unitWord}s of the round are finished`, allowed: "release" }];
}
