import { groupBy } from "../base/group-by.ts";
import type { Dag, Site } from "../domain/dag.ts";
import type { SiteName } from "../domain/names.ts";
import type { RequestRecord, RequestSpec } from "../domain/request.ts";
import type { RunVerdict } from "../domain/run.ts";
import type { Workflow } from "../domain/workflow.ts";
import { type BanDecision, decideBans } from "../recovery/bans/decide-bans.ts";
import { type AttemptRecord, readTallyLines } from "../recovery/ledger-record.ts";
import type { RoundFacts } from "../recovery/round/decide.ts";
import { type RoundTally, RoundTallying } from "../recovery/round/tally.ts";
import type { Ports, Work } from "./ports.ts";

/** A round whose run has ended: what is known of it, and what its failures say about sites. */
export interface EndedRound {
  readonly facts: RoundFacts;
  readonly bans: BanDecision;
  /** All units of the round, and those of them that did not finish. */
  readonly unitNames: readonly string[];
  readonly unfinished: readonly string[];
}

/** How the run ended, as `end-partial` noted it. */
interface EndNote {
  readonly verdict: RunVerdict;
  readonly words: string;
  readonly unitsFailed: readonly string[];
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
  const unitNames = isThere ? await spool.unitNames(dag.submitDir) : [];
  const finished: ReadonlySet<string> = await store.units.finishedNames(workflow.id);
  const givenUp = await nodesGivenUp(ports, workflow);
  const tally = await tallyLedgers(ports, dag, unitNames, finished, new Set(note.unitsFailed), givenUp);
  const possibleSites = await possible(ports, request);
  const sites = tally.sites.map(({ site }) => site as SiteName);
  const known = sites.length ? await store.sites.bans({ sites, includePast: true, at: clock.now() }) : [];
  const bans = decideBans({ workflowId: workflow.id, sites: tally.sites, bans: known }, ports.policy.bans, clock.now());
  const { recovery } = effectiveSpec(request);
  const files = request.spec.kind === "process" ? await store.files.remaining(workflow.id) : [];
  const placed = groupBy(
    files.flatMap((file) => file.units.map((unit) => ({ unit, file }))),
    ({ unit }) => unit,
  );
  return {
    bans,
    unitNames,
    unfinished: unitNames.filter((unit) => !finished.has(unit)),
    facts: {
      verdict: note.verdict,
      words: note.words,
      unitsTotal: dag.units.total,
      unitsDone: unitNames.filter((unit) => finished.has(unit)).length,
      finishedUnits: finished,
      failedUnits: note.unitsFailed,
      tally,
      rescuesUsed: request.rescuesUsed,
      stopRequested: dag.stopRequestedAt !== null,
      policy: { holdThreshold: recovery.holdThreshold, maxRescues: recovery.maxRescues },
      workRemains,
      filesOf: new Map([...placed].map(([unit, of]) => [unit, of.map(({ file }) => file)])),
      directory: isThere ? "complete" : "gone",
      possibleSites,
      bannedSites: bans.banned,
    },
  };
}

async function endNote(ports: Ports, dag: Dag): Promise<EndNote> {
  const ended = (await ports.store.dags.history(dag.id)).findLast((event) => event.type === "ended");
  const { verdict = "lost", words = "", unitsFailed = [] } = (ended?.detail ?? {}) as Partial<EndNote>;
  return { verdict, words, unitsFailed };
}

/** One ledger at a time: a hundred thousand nodes must not be in memory together. */
async function tallyLedgers(
  ports: Ports,
  dag: Dag,
  units: readonly string[],
  finished: ReadonlySet<string>,
  failed: ReadonlySet<string>,
  givenUp: ReadonlySet<string>,
): Promise<RoundTally> {
  const tally = new RoundTallying();
  for (const unit of units) {
    const state = finished.has(unit) ? "done" : failed.has(unit) ? "failed" : "open";
    const { lines, unreadable } = readTallyLines(await ports.spool.ledgerText(dag.submitDir, unit));
    const judged = givenUp.size === 0 ? lines : lines.map((line) => judge(line, givenUp.has(`${unit}/${line.node}`)));
    tally.add({ unit, state, lines: judged, unreadable });
  }
  return tally.finish();
}

/** A failure no rule knew, and a person gave up: it waits for nobody any more. */
const judge = (line: AttemptRecord, isGivenUp: boolean): AttemptRecord =>
  isGivenUp && line.decision === "unclassified"
    ? { ...line, decision: "stop", category: "permanent", why: "row-stops" }
    : line;

/** "unit/node" of those that somebody classified as failed. */
async function nodesGivenUp(ports: Ports, workflow: Workflow): Promise<ReadonlySet<string>> {
  const pending = await ports.store.nodeActions.pending(workflow.id);
  return new Set(pending.filter(({ kind }) => kind === "fail").map(({ unit, node }) => `${unit}/${node}`));
}

/** Where the request may run at all: what it allows of what is enabled, bans not counted; null: sites have no names. */
async function possible({ engine, store }: Ports, { spec }: RequestRecord): Promise<readonly SiteName[] | null> {
  return engine.capabilities.sites ? allowedSites(spec, await store.sites.list()) : null;
}

export function allowedSites({ sites: { allow, deny } }: RequestSpec, known: readonly Site[]): readonly SiteName[] {
  const isAllowed = ({ name, status }: Site) =>
    status === "enabled" && (allow.length === 0 || allow.includes(name)) && !deny.includes(name);
  return known.filter(isAllowed).map(({ name }) => name);
}

/** The spec with what an operator changed at a release: what the next plan and recovery go by. */
export function effectiveSpec({ spec, modifications }: Pick<RequestRecord, "spec" | "modifications">): RequestSpec {
  if (!modifications) return spec;
  const { memoryMb, retries, holdThreshold, maxRescues, topUp } = modifications;
  return {
    ...spec,
    resources: { ...spec.resources, memoryMb: memoryMb ?? spec.resources.memoryMb },
    retries: { ...spec.retries, processing: retries ?? spec.retries.processing },
    recovery: {
      ...spec.recovery,
      holdThreshold: holdThreshold ?? spec.recovery.holdThreshold,
      maxRescues: maxRescues ?? spec.recovery.maxRescues,
    },
    generation: spec.generation && { ...spec.generation, topUp: topUp ?? spec.generation.topUp },
  };
}
