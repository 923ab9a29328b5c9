import type { RequestedSizes } from "../core/metrics.ts";
import { datasetName } from "../core/output-names.ts";
import { parallelSteps } from "../core/parallel-steps.ts";
import type { DagPlan, PlannedOutput, PlannedStep, PlanOutcome, PlanRefusal, UnplannedFile } from "../core/plan.ts";
import type { RequestSpec } from "../core/request.ts";
import { MERGE_GROUP } from "../core/roles.ts";
import type { CommonWork } from "../core/work.ts";
import type { PlanFacts } from "./facts.ts";
import { type SizedResources, sizeResources } from "./resources.ts";
import { askedOf } from "./size-round.ts";
import { SummaryTally } from "./summary.ts";
import { probesOf, type Walk, walkUnits } from "./walk.ts";

/** A round that is a list of jobs, as a kind has decided it. */
interface Round extends Omit<Walk, "sized"> {
  readonly inputFiles: number;
  readonly unplanned: readonly UnplannedFile[];
  /** What people should know, once it is known how many units there are. */
  warnings(units: number): readonly string[];
}

export const SLICE_UNITS = 256;
export const refused = (refusal: PlanRefusal): PlanOutcome => ({ kind: "refused", refusal });

/**
 * Jobs become units, blocks, counters and sizes: landing, processing, merge, cleanup. The units are not kept: the plan
 * walks them again each time it is asked, so a plan of a million nodes weighs no more than its facts. A pause is offered
 * after every few hundred units, for a caller that has other things to do.
 */
export function* planUnits(round: Round): Generator<undefined, PlanOutcome> {
  const { facts, unplanned } = round;
  const { spec } = facts;
  const outputs = plannedOutputs(spec);
  const dataset = (outputs.find(({ keep }) => keep) ?? outputs[0])?.dataset ?? `/${spec.name}`;
  const tally = new SummaryTally(dataset);
  for (const unit of walkUnits({ ...round, sized: null })) {
    tally.add(unit);
    if (tally.units % SLICE_UNITS === 0) yield;
  }
  if (tally.nodes === 0) return { kind: "nothing-left", unplanned };
  const warnings = [...(facts.warnings ?? []), ...round.warnings(tally.units)];
  if (tally.uncounted > 0) warnings.push(`${tally.uncounted} jobs read files whose events nobody has counted`);
  const sized = sizeResources(spec.resources, facts.policy, facts.sizing ?? null, tally.biggestEvents);
  if (!sized.ok) return refused(sized.error);

  const plan: DagPlan = {
    dagId: facts.dagId,
    requestName: spec.name,
    round: facts.round,
    priority: facts.priority ?? spec.priority,
    shape: MERGE_GROUP,
    steps: plannedSteps(facts, sized.value.byRole.processing.cores),
    outputs,
    retries: spec.retries,
    throttles: spec.throttles,
    resources: sized.value.byRole,
    avoidSites: spec.sites.deny,
    requested: requestedSizes(facts, sized.value),
    stepProfile: facts.sizing?.profile ?? null,
    units: { [Symbol.iterator]: () => walkUnits({ ...round, sized: sized.value }) },
    summary: tally.finish(facts.next, round.inputFiles, [
      ...warnings,
      ...eventsWarning(facts),
      ...tellRuns(facts).map((words) => words.join(" ")),
      ...sized.value.warnings,
    ]),
  };
  return { kind: "planned", plan, unplanned };
}

const eventsWarning = ({ sizing, spec }: PlanFacts): readonly string[] =>
  sizing?.sizes.eventsPerJob && spec.work.split
    ? [`${spec.work.split.eventsPerJob} events a job: ${sizing.sizes.eventsPerJob.why}`]
    : [];

/** Steps that do not run as they are: how, and why. */
const tellRuns = ({ sizing }: PlanFacts): readonly (readonly [step: string, words: string])[] =>
  Object.entries(sizing?.sizes.runs ?? {}).map(([name, { instances, threads, why }]) => {
    const how =
      instances > 1 ? `in ${instances} instances at once, of ${threads} threads each` : `with ${threads} threads`;
    return [name, `runs ${how}: ${why}`];
  });

function requestedSizes(facts: PlanFacts, { byRole, why }: SizedResources): RequestedSizes {
  const { spec, sizing } = facts;
  const { cores, memoryMb, wallMinutes, diskMb } = byRole.processing;
  const events = sizing?.sizes.eventsPerJob;
  return {
    isMeasured: sizing?.isFirm ?? false,
    ...(sizing?.sizes.areCoresDecided && { areCoresDecided: true }),
    cores,
    memoryMb,
    wallMinutes,
    diskMb,
    eventsPerJob: askedOf(spec).eventsPerJob,
    why: {
      ...why,
      ...(events && { events: events.why }),
      ...Object.fromEntries(tellRuns(facts).map(([step, words]) => [`step ${step}`, words])),
    },
  };
}

/** With how they run, where that is not as they are. */
function plannedSteps(facts: PlanFacts, cores: number): readonly PlannedStep[] {
  const { spec, sizing } = facts;
  const { eventsPerLumi }: CommonWork = spec.work;
  const may = parallelSteps(spec);
  const isProbed = probesOf(facts) > 0 && cores > 1;
  return spec.steps.map((step) => {
    const run = sizing?.sizes.runs[step.name];
    if (!run && !isProbed) return step;
    const probe = { instances: may.has(step.name) ? 2 : 1, threads: Math.floor(cores / 2), why: "this job is a probe" };
    return { ...step, ...(run && { run }), ...(isProbed && { probe }), ...(eventsPerLumi && { eventsPerLumi }) };
  });
}

const plannedOutputs = (spec: RequestSpec): PlannedOutput[] =>
  spec.outputs.map(({ naming, ...output }) => ({
    ...output,
    dataset: datasetName(spec, { name: output.name, naming }),
  }));
