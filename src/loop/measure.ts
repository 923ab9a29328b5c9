import { WorldError } from "../core/base/errors.ts";
import type { Metrics } from "../core/metrics.ts";
import { parallelSteps } from "../core/parallel-steps.ts";
import type { RequestRecord } from "../core/request.ts";
import { roleOfNode } from "../core/roles.ts";
import type { Workflow } from "../core/workflow.ts";
import { askedOf } from "../planning/size-round.ts";
import { tellRounds } from "../planning/sizing/figures.ts";
import { joinMetrics, larger, type MeasuredJob, summariseJobs, withMerged } from "../planning/sizing/metrics.ts";
import { readReport } from "../planning/sizing/read-report.ts";
import type { SizingFacts } from "../planning/sizing/size.ts";
import { killsThatTeach } from "../planning/sizing/step-memory.ts";
import { isAttempt } from "../recovery/ledger-record.ts";
import type { Store } from "../store/port.ts";
import { readManifest } from "../submit-dir/manifest.ts";
import type { Facts } from "./decision.ts";
import { effectiveSpec } from "./gather-round.ts";
import { changeWorkflow } from "./moves.ts";
import type { Ports } from "./ports.ts";

/** So many jobs of a unit, and units of a round, stand for all of them. */
const SAMPLED_JOBS = 200;
const SAMPLED_UNITS = 200;

/**
 * What the jobs of a unit showed, read once, when it is first seen done. Reports that cannot be read are left out and counted in
 * the log: a unit is never held up by its measurements.
 */
export async function measureUnit(
  { spool, log }: Ports,
  submitDir: string,
  unit: string,
  manifest: string | null,
  mergedBytes: number,
): Promise<Metrics | null> {
  const ledger = await spool.ledger(submitDir, unit).catch(ifUnreadable);
  const attempts = (ledger?.lines ?? []).filter(isAttempt).filter(({ node }) => roleOfNode(node) === "processing");
  const done = new Map(attempts.filter(({ decision }) => decision === "done").map((line) => [line.node, line]));
  const planned = readManifest(manifest ?? "")?.nodes ?? {};
  const jobs: MeasuredJob[] = [];
  let unread = ledger ? 0 : 1;
  for (const { node, cluster } of spread([...done.values()], SAMPLED_JOBS)) {
    const text = await spool.report(submitDir, unit, node, cluster).catch(ifUnreadable);
    const job = readReport(text ?? "", planned[node]?.events ?? null);
    if (job) jobs.push(job);
    else unread += 1;
  }
  if (unread > 0) log.info("reports.unread", { unit, submitDir, unread, read: jobs.length });
  // Two instances in one slot say nothing of one.
  const wasProbe = (node: string, memoryMb: number) => memoryMb <= (planned[node]?.probe ?? 0);
  const killed = attempts.filter(
    ({ cause, node, memoryMb }) => cause === "oom" && memoryMb !== null && !wasProbe(node, memoryMb),
  );
  const atMb = killed.reduce<number | null>((most, { memoryMb }) => larger(most, memoryMb), null);
  const metrics = summariseJobs(jobs, atMb, new Set(killed.map(({ node }) => node)).size);
  const events = Object.values(planned).reduce((sum, node) => sum + (node.events ?? 0), 0);
  return withMerged(metrics, mergedBytes, events);
}

function ifUnreadable(error: unknown): null {
  if (error instanceof WorldError) return null;
  throw error;
}

/** At most so many, at even distances. */
const spread = <T>(all: readonly T[], most: number): readonly T[] =>
  all.length <= most ? all : Array.from({ length: most }, (_, at) => all[Math.floor((at * all.length) / most)]!);

/** A run ended: what its units showed is told with the workflow from here on. */
export async function tellMetrics(store: Store, facts: Facts): Promise<void> {
  const { workflow, dag, round } = facts;
  if (!workflow || !dag) return;
  const measured = await store.units.measured(workflow.id, SAMPLED_UNITS);
  const tally = round?.facts.tally;
  const killed = tally ? { round: dag.round, atMb: tally.killedAtMb, jobs: tally.killedJobs } : null;
  if (measured.length === 0 && !killed?.atMb) return;
  await changeWorkflow(store, facts, ({ stepMetrics }) => ({ stepMetrics: tellRounds(stepMetrics, measured, killed) }));
}

/**
 * What the jobs so far say about the next ones. Steps that the request has no more say nothing, nor do jobs from before its
 * commands changed, what was asked for by them, and what killed them.
 */
export async function gatherSizing(
  { store }: Ports,
  request: RequestRecord,
  workflow: Workflow,
  isRoundOver: boolean,
): Promise<SizingFacts> {
  const spec = effectiveSpec(request);
  const steps: ReadonlySet<string> = new Set(spec.steps.map(({ name }) => name));
  const measured = await store.units.measured(workflow.id, SAMPLED_UNITS);
  const since = new Date(request.modifications?.commandsSince ?? 0);
  const fresh = measured.filter(({ finishedAt }) => finishedAt > since);
  const usable = fresh.filter(({ metrics }) => Object.keys(metrics.steps).every((name) => steps.has(name)));
  const metrics = joinMetrics(usable.map((one) => one.metrics));
  const stale = Math.max(-1, ...measured.filter((one) => !fresh.includes(one)).map(({ round }) => round));
  const rounds = (workflow.stepMetrics?.rounds ?? []).filter(({ round }) => round > stale);
  return {
    asked: askedOf(spec),
    before: rounds.findLast(({ requested }) => requested)?.requested ?? null,
    metrics,
    ...killsThatTeach(rounds),
    saidMb: request.modifications?.memoryMb ?? null,
    isRoundOver,
    parallelSteps: parallelSteps(spec),
  };
}
