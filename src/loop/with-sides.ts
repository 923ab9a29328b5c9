import { type Dag, type EngineIntent, isInEngine } from "../core/dag.ts";
import { NO_WAITS, type RunObservation } from "../core/run.ts";

/** A run of failed jobs beside the others (docs/adr/0020-side-runs.md) that is not over. */
export interface SideRun {
  readonly dag: Dag;
  readonly submitIntent: EngineIntent | null;
  /** null: the engine was not asked. What it calls done has its line in the ledger. */
  readonly observation: RunObservation | null;
}

type Seen = Exclude<RunObservation, { kind: "unknown" }>;

/** Something of it may be in the engine. */
const isAlive = ({ dag, submitIntent, observation }: SideRun): boolean =>
  isInEngine(dag.status) ? observation?.kind !== "ended" : dag.status === "ready" && submitIntent !== null;

/**
 * A run together with what runs beside it: over when all of it is. Jobs that the run gave up and a side run did are done, and
 * those that one has now are no failures. `finished`: units that have a row.
 */
export function withSides(
  seen: RunObservation,
  sides: readonly SideRun[],
  finished: ReadonlySet<string>,
): RunObservation {
  if (seen.kind === "unknown") return seen;
  const alive = sides.filter(isAlive);
  const now = new Set([...finished, ...sides.flatMap(({ observation }) => doneIn(observation))]);
  const counted = joined(seen, now, alive);
  if (alive.length === 0) return counted;
  if (seen.kind === "running") return { ...(counted as typeof seen), beside: againIn(alive) };
  const silent = alive.find(({ observation }) => observation?.kind !== "running");
  if (silent) {
    const why = silent.observation?.kind === "unknown" ? silent.observation.why : "it is being submitted";
    return { kind: "unknown", why: `the run has ended; of the jobs beside it: ${why}` };
  }
  const { nodes, units, unitsDone, unitsFailed } = counted;
  const common = { nodes, units, unitsDone, unitsFailed };
  return { kind: "running", ...common, note: null, waits: NO_WAITS, beside: againIn(alive) };
}

const doneIn = (seen: RunObservation | null) => (seen && seen.kind !== "unknown" ? seen.unitsDone : []);
const countsOf = ({ dag, observation }: SideRun) =>
  observation && observation.kind !== "unknown" ? observation : { units: dag.units, nodes: dag.nodes };
const againIn = (sides: readonly SideRun[]): number =>
  sides.map(countsOf).reduce((sum, { units }) => sum + units.total - units.done - units.failed, 0);

function joined(seen: Seen, now: ReadonlySet<string>, alive: readonly SideRun[]): Seen {
  const did = seen.unitsFailed.filter((unit) => now.has(unit));
  const again = againIn(alive);
  const queued = (key: "queued" | "idle" | "held") =>
    alive.map(countsOf).reduce((sum, { nodes }) => sum + nodes[key], 0);
  const { units, nodes } = seen;
  return {
    ...seen,
    units: {
      ...units,
      done: units.done + did.length,
      failed: Math.max(0, units.failed - did.length - again),
      running: units.running + again,
    },
    nodes: {
      ...nodes,
      done: nodes.done + did.length,
      failed: Math.max(0, nodes.failed - did.length - again),
      queued: nodes.queued + queued("queued"),
      idle: nodes.idle + queued("idle"),
      held: nodes.held + queued("held"),
      waiting: nodes.waiting + again - queued("queued"),
    },
    unitsDone: [...seen.unitsDone, ...did],
    unitsFailed: seen.unitsFailed.filter((unit) => !now.has(unit)),
  };
}

/** DAGMan is not told of the end of a job whose end others wait for: only the ledger knows whether it is done. */
export function asLedgerSays(seen: RunObservation, isDone: (unit: string) => boolean): RunObservation {
  if (seen.kind === "unknown") return seen;
  const failed = seen.unitsDone.filter((unit) => !isDone(unit));
  if (failed.length === 0) return seen;
  const moved = <T extends { readonly done: number; readonly failed: number }>(tally: T): T => ({
    ...tally,
    done: tally.done - failed.length,
    failed: tally.failed + failed.length,
  });
  return {
    ...seen,
    units: moved(seen.units),
    nodes: moved(seen.nodes),
    unitsDone: seen.unitsDone.filter(isDone),
    unitsFailed: [...seen.unitsFailed, ...failed],
  };
}
