import { groupBy } from "../core/base/group-by.ts";
import { type Dag, isInEngine, isOpenSite, type Site } from "../core/dag.ts";
import { jobName, type SiteName, unitName } from "../core/names.ts";
import { allowsSite, type RequestRecord, type RequestSpec } from "../core/request.ts";
import { isTerminal } from "../core/request-status.ts";
import type { RunVerdict } from "../core/run.ts";
import type { Workflow } from "../core/workflow.ts";
import { kindOf } from "../kinds/kind.ts";
import { concerns } from "../recovery/bans/ban.ts";
import { type BanDecision, decideBans } from "../recovery/bans/decide-bans.ts";
import { readTallyLines } from "../recovery/ledger-record.ts";
import { type Answers, answersOf, withAnswers } from "../recovery/round/answers.ts";
import type { UnitDamage } from "../recovery/round/damage.ts";
import { MOST_REPAIRS, type RoundFacts } from "../recovery/round/decide.ts";
import type { OwnRecovery } from "../recovery/round/recover-alone.ts";
import { type RoundTally, RoundTallying } from "../recovery/round/tally.ts";
import { failedNodes } from "./gather-failed.ts";
import type { Ports, Work } from "./ports.ts";
import { refusedLine, refusedUnits } from "./refused-outputs.ts";

/** A round whose run has ended: what is known of it, and what its failures say about sites. */
export interface EndedRound {
  readonly facts: RoundFacts;
  readonly bans: BanDecision;
  /** All units of the round, and those of them that did not finish. */
  readonly unitNames: readonly string[];
  readonly unfinished: readonly string[];
  /** What could be recovered without a person; null: the request did not ask for it. */
  readonly recovery: OwnRecovery | null;
  /** How many jobs were done beside its last run. */
  readonly doneBeside: number;
}

/** How the run ended, as `end-partial` noted it. */
interface EndNote {
  readonly verdict: RunVerdict;
  readonly text: string;
  readonly unitsFailed: readonly string[];
  /** Units whose outputs were not believed, and why. */
  readonly refused: ReadonlyMap<string, string>;
}

export async function gatherRound(
  ports: Work,
  request: RequestRecord,
  workflow: Workflow,
  dag: Dag,
  workRemains: boolean,
): Promise<EndedRound> {
  const { store, spool, clock } = ports;
  const note = await endNote(ports, dag);
  const isThere = await spool.isComplete(dag.submitDir);
  const finished: ReadonlySet<string> = await store.units.finishedNames(workflow.id);
  const { unitNames, unfinished } = await roundUnits(ports, workflow, dag, finished);
  // Of a request that is over, housekeeping leaves only what explains failures: nothing will run from there again.
  const mayRunAgain = isThere && !isInEngine(dag.status) && !isTerminal(request.status);
  const damaged = mayRunAgain ? await spool.damaged(dag.submitDir, unfinished) : [];
  const answers = answersOf(await store.nodeActions.ofWorkflow(workflow.id));
  const tally = await tallyLedgers(ports, dag, unitNames, finished, note, answers, damaged);
  const possibleSites = await possible(ports, request);
  const sites = tally.sites.map(({ site }) => site as SiteName);
  const known = sites.length ? await store.sites.bans({ sites, includePast: true, at: clock.now() }) : [];
  const bans = decideBans({ workflowId: workflow.id, sites: tally.sites, bans: known }, ports.policy.bans, clock.now());
  const active = (await store.sites.activeBans(clock.now())).filter((ban) => concerns(ban, workflow.id));
  const { recovery } = effectiveSpec(request);
  const files = request.spec.work.input ? await store.files.placed(workflow.id) : [];
  const placed = groupBy(
    files.flatMap((file) => file.units.map((unit) => ({ unit, file }))),
    ({ unit }) => unit,
  );
  return {
    bans,
    doneBeside: (await store.dags.sidesOf([dag.id])).reduce((sum, { units }) => sum + units.done, 0),
    unitNames,
    unfinished,
    recovery: recovery.auto && mayRunAgain ? await ownRecovery(ports, request, workflow, dag, unfinished) : null,
    facts: {
      verdict: note.verdict,
      text: note.text,
      unitWord: kindOf(ports.kinds, request.spec.work).unitWord,
      unitsTotal: dag.units.total,
      unitsDone: dag.units.total - unfinished.length,
      finishedUnits: finished,
      failedUnits: note.unitsFailed,
      tally,
      rescuesUsed: request.rescuesUsed,
      repairsUsed: await repairsUsed(ports, dag),
      stopRequested: dag.stopRequestedAt !== null,
      policy: { holdThreshold: recovery.holdThreshold, maxRescues: recovery.maxRescues },
      workRemains,
      filesOf: new Map([...placed].map(([unit, of]) => [unit, of.map(({ file }) => file)])),
      directory: isThere ? "complete" : "gone",
      damaged,
      possibleSites,
      bannedSites: [...new Set([...bans.banned, ...active.map(({ site }) => site)])].sort(),
    },
  };
}

/** Of the run and those before it, up to the first that is none: what a person or a failure began starts the count anew. */
async function repairsUsed({ store }: Ports, last: Dag): Promise<number> {
  let used = 0;
  for (let dag: Dag | null = last; dag?.rescueKind === "repair" && used < MOST_REPAIRS; used += 1)
    dag = dag.parentDagId && (await store.dags.get(dag.parentDagId));
  return used;
}

async function ownRecovery(
  ports: Work,
  request: RequestRecord,
  { id }: Workflow,
  dag: Dag,
  unfinished: readonly string[],
): Promise<OwnRecovery> {
  const spec = effectiveSpec(request);
  return {
    name: request.spec.name,
    nodes: await failedNodes(ports, dag.submitDir, unfinished),
    limits: ports.policy,
    cores: spec.resources.cores,
    used: await ports.store.dags.countRescues(id, dag.round, "recovery"),
    most: spec.recovery.maxRescues,
  };
}

/**
 * The units of a round, and those of them that are neither done nor left out. Which these are the plan says, whatever became of the
 * submit directory. Of a graph that took over jobs of an earlier version, the directory knows which ones were left to run.
 */
export async function roundUnits(
  { spool, store }: Ports,
  workflow: Workflow,
  dag: Dag,
  finished: ReadonlySet<string>,
): Promise<{ readonly unitNames: readonly string[]; readonly unfinished: readonly string[] }> {
  const isOpen = (unit: string) => !finished.has(unit);
  if (dag.roleCounts.job === undefined) {
    const unitNames = latestUnits(workflow, dag);
    return { unitNames, unfinished: unitNames.filter(isOpen) };
  }
  const left = await store.units.abandonedNames(workflow.id);
  const unfinished: string[] = [];
  for (let index = 0; index < workflow.nextUnit; index++) {
    const job = jobName(index);
    if (isOpen(job) && !left.has(job)) unfinished.push(job);
  }
  const there = (await spool.isComplete(dag.submitDir)) ? await spool.unitNames(dag.submitDir) : [...finished];
  return { unitNames: [...new Set([...there, ...unfinished])], unfinished };
}

/** Units are numbered through all rounds: the names of the latest, once planned, are known without its directory. */
const latestUnits = ({ nextUnit }: Workflow, { status, parentDagId, units: { total } }: Dag): readonly string[] =>
  status === "planning" && parentDagId === null
    ? []
    : Array.from({ length: total }, (_, at) => unitName(nextUnit - total + at));

async function endNote(ports: Ports, dag: Dag): Promise<EndNote> {
  const history = await ports.store.dags.history(dag.id);
  const ended = history.findLast((event) => event.type === "ended");
  const { verdict = "lost", text = "", unitsFailed = [] } = (ended?.detail ?? {}) as Partial<EndNote>;
  return { verdict, text, unitsFailed, refused: refusedUnits(history) };
}

/** One ledger at a time: a hundred thousand nodes must not be in memory together. */
async function tallyLedgers(
  ports: Ports,
  dag: Dag,
  units: readonly string[],
  finished: ReadonlySet<string>,
  { unitsFailed, refused }: EndNote,
  answers: Answers,
  damaged: readonly UnitDamage[],
): Promise<RoundTally> {
  const tally = new RoundTallying();
  const closed = new Set(damaged.map(({ unit }) => unit));
  const failed = new Set(unitsFailed);
  for await (const { unit, text } of ports.spool.ledgers(dag.submitDir, units)) {
    const state = finished.has(unit) ? "done" : failed.has(unit) ? "failed" : "open";
    // One that cannot be read does not hide the others: it counts as a line that cannot.
    const { lines, unreadable } = readTallyLines(closed.has(unit) ? "" : (text ?? "?"));
    const known = withAnswers(unit, lines, answers);
    const reason = refused.get(unit);
    tally.add({ unit, state, lines: reason === undefined ? known : [...known, refusedLine(reason)], unreadable });
  }
  return tally.finish();
}

/** Where the request may run at all: what it allows of what is enabled, bans not counted; null: sites have no names. */
async function possible({ engine, store }: Ports, { spec }: RequestRecord): Promise<readonly SiteName[] | null> {
  return engine.capabilities.sites ? allowedSites(spec, await store.sites.list()) : null;
}

export const allowedSites = ({ sites }: RequestSpec, known: readonly Site[]): readonly SiteName[] =>
  known.filter((site) => isOpenSite(site) && allowsSite(sites, site.name)).map(({ name }) => name);

/** The spec with what an operator changed at a release: what the next plan and recovery go by. */
export function effectiveSpec(request: Pick<RequestRecord, "spec" | "modifications">): RequestSpec {
  const { modifications } = request;
  if (!modifications) return request.spec;
  const spec = { ...request.spec, ...modifications.revision };
  const { memoryMb, retries, holdThreshold, topUp } = modifications;
  return {
    ...spec,
    resources: { ...spec.resources, memoryMb: memoryMb ?? spec.resources.memoryMb },
    retries: { ...spec.retries, processing: retries ?? spec.retries.processing },
    recovery: { ...spec.recovery, holdThreshold: holdThreshold ?? spec.recovery.holdThreshold },
    work: topUp === null || spec.work.topUp === undefined ? spec.work : { ...spec.work, topUp },
  };
}
