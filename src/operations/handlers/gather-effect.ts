import { isInEngine, runningNodes } from "../../core/dag.ts";
import { datasetName } from "../../core/output-names.ts";
import type { RequestRecord } from "../../core/request.ts";
import { kindOf } from "../../kinds/kind.ts";
import type { Work } from "../../loop/ports.ts";
import type { OperatorAction } from "../../recovery/round/actions.ts";
import { type Effect, killsJobs } from "../../recovery/round/effect.ts";
import { unitFolder } from "../../submit-dir/names.ts";
import { presentDag } from "./present-run.ts";

/** Counts what actions come to. One serves a whole answer: what is the same for all its requests is looked up once. */
export type Foresee = (request: RequestRecord, action: OperatorAction) => Promise<Effect>;

export function makeForesee(ports: Work): Foresee {
  const { store, kinds } = ports;
  let open: Promise<readonly RequestRecord[]> | null = null;
  const counted = new Map<string, ReturnType<typeof countJobs>>();
  const readersOf = async ({ spec }: RequestRecord): Promise<readonly string[]> => {
    const made = new Set(spec.outputs.map((output) => datasetName(spec, output)));
    if (made.size === 0) return [];
    open ??= store.requests.open();
    const reads = ({ input }: RequestRecord["spec"]["work"]) => input?.from === "dataset" && made.has(input.dataset);
    return (await open).flatMap((other) => (reads(other.spec.work) ? [other.spec.name] : []));
  };
  return async (request, action) => {
    const { spec, hold } = request;
    const { workflow, dag } = await presentDag(store, spec.name);
    const isKill = killsJobs(action, hold?.code ?? null);
    const key = dag?.id ?? "";
    // What is being removed already is not killed by this.
    const isThere = dag !== null && isInEngine(dag.status) && dag.stopRequestedAt === null;
    if (isKill && isThere && !counted.has(key)) counted.set(key, countJobs(ports, dag));
    const { jobs, seconds } = (isKill && (await counted.get(key))) || { jobs: 0, seconds: 0 };
    const { unitsDone = 0, unitsPlanned = 0 } = workflow ?? {};
    return {
      action,
      jobsKilled: jobs,
      secondsLost: seconds,
      unitsKept: unitsDone,
      unitsLeft: Math.max(0, unitsPlanned - unitsDone),
      unitWord: kindOf(kinds, spec.work).unitWord,
      requestor: spec.requestor,
      readers: isKill ? await readersOf(request) : [],
    };
  };
}

type InEngine = NonNullable<Awaited<ReturnType<typeof presentDag>>["dag"]>;

/** The logs tell of this moment; where they cannot be read, the last look at the engine does, and nobody knows for how long. */
async function countJobs({ spool, clock }: Work, { submitDir, nodes }: InEngine) {
  const unread = { jobs: runningNodes(nodes), seconds: null };
  const states = await spool.unitStates(submitDir);
  const begun = states?.names.filter((_, at) => states.states[at] === "r");
  const folders = begun ? [...new Set(begun.map(unitFolder))] : await spool.folders(submitDir);
  const since = await spool.runningSince(submitDir, folders);
  if (since === null) return unread;
  if (since.length === 0 && unread.jobs > 0) return unread;
  const now = clock.now().getTime();
  return { jobs: since.length, seconds: since.reduce((sum, at) => sum + Math.max(0, now - at.getTime()) / 1000, 0) };
}
