import type { Hook } from "../core/graph.ts";
import type { RunObservation } from "../core/run.ts";
import { isGlob, JobNames } from "../kinds/graph/job-names.ts";

/** What is known when a request's hooks are looked at. */
interface HookFacts {
  readonly hooks: readonly Hook[];
  /** Of the first run of a round; what comes after is the same graph going on. */
  readonly isFirstRun: boolean;
  readonly observation: RunObservation | null;
  /** Those that were run for this run, by their place in `hooks`. */
  readonly told: ReadonlySet<number>;
  /** The jobs of the graph, by the names people gave them, and which of them have a row. */
  readonly jobs: ReadonlyMap<string, string>;
  readonly finished: ReadonlySet<string>;
}

/** Which hooks are due, by their place. A run that has ended has ended all of its jobs. Pauses are offered: there may be 200,000. */
export function* decideHooks(facts: HookFacts): Generator<undefined, readonly number[]> {
  const { hooks, observation, told, isFirstRun } = facts;
  if (!observation || observation.kind === "unknown") return [];
  const isOver = observation.kind === "ended";
  let haveEnded: ((jobs: readonly string[]) => boolean) | null = null;
  const due: number[] = [];
  for (const [place, { on, jobs }] of hooks.entries()) {
    if (told.has(place)) continue;
    if (on === "jobs-ended" && !isOver) haveEnded ??= yield* endedJobs(observation, facts);
    if (on === "start" ? isFirstRun : isOver || (on === "jobs-ended" && haveEnded?.(jobs))) due.push(place);
    yield;
  }
  return due;
}

/** Tells whether all of some jobs have ended, which are named or matched by globs. */
function* endedJobs(
  { unitsDone, unitsFailed }: Exclude<RunObservation, { kind: "unknown" }>,
  { jobs, finished }: HookFacts,
): Generator<undefined, (wanted: readonly string[]) => boolean> {
  const names = [...jobs.keys()];
  const known = new JobNames(names);
  yield* known.prepare();
  const ended = new Set<string>([...unitsDone, ...unitsFailed, ...finished]);
  const hasEnded = (name: string) => ended.has(jobs.get(name) ?? "");
  return (wanted) =>
    wanted.every((name) => (isGlob(name) ? known.matching(name).every((at) => hasEnded(names[at]!)) : hasEnded(name)));
}
