import type { DagPlan, Measured, PlanOutcome, PlanRefusal, UnplannedFile } from "../domain/plan.ts";
import type { RequestSpec } from "../domain/request.ts";
import { type FullPolicy, fullPolicy, type PlanFacts, type PlanFile, type SplitTuning, tuningFor } from "./facts.ts";
import { groupByLocation, noSiteAtAll, type SiteRules, sitesForAnything } from "./locality.ts";
import { plannedOutputs } from "./outputs.ts";
import { type SizedResources, sizeResources } from "./resources.ts";
import { selectFiles } from "./selection.ts";
import { refuseSplit } from "./split.ts";
import { SummaryTally } from "./summary.ts";
import { type Source, type Walk, walkUnits } from "./walk.ts";

/**
 * Plans one round: facts in, a plan or the reason why there is none out. The units are not kept: the plan walks
 * them anew each time it is asked, so a plan of a million nodes weighs no more than its facts.
 */
export function planRound(facts: PlanFacts): PlanOutcome {
  const steps = planInSlices(facts);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The same, with a pause offered after every few hundred units, for a caller that has other things to do. */
export function* planInSlices(facts: PlanFacts): Generator<undefined, PlanOutcome> {
  const { spec } = facts;
  const policy = fullPolicy(facts.policy);
  const tuning = tuningFor(facts);
  const refusal = refuseSplit(spec);
  if (refusal) return refused(refusal);

  const found = spec.kind === "generate" ? generationSource(facts, tuning) : fileSource(facts, tuning, facts.files);
  if ("kind" in found) return found;
  const limit = unitLimit(facts, policy);
  const warnings: string[] = [];
  let { source } = found;
  if (source.kind === "files" && limit !== null) {
    const whole = yield* wholeFiles(walkOf(facts, policy, tuning, source, null, limit), facts.files);
    if (whole) {
      const narrowed = fileSource(facts, tuning, whole);
      if ("kind" in narrowed) return narrowed;
      source = narrowed.source;
    }
  }

  const outputs = plannedOutputs(spec);
  const dataset = (outputs.find(({ keep }) => keep) ?? outputs[0])?.dataset ?? `/${spec.name}`;
  const tally = new SummaryTally(facts.next, dataset);
  const unitsAllowed = source.kind === "generation" ? limit : null;
  for (const unit of walkUnits(walkOf(facts, policy, tuning, source, null, unitsAllowed))) {
    tally.add(unit, source.kind === "generation");
    if (tally.units % SLICE_UNITS === 0) yield;
  }
  if (tally.nodes === 0) return { kind: "nothing-left", unplanned: found.unplanned };
  if (tuning.jobLimit > 0 && tally.nodes > tuning.jobLimit) return refused(tooManyJobs(tally.nodes, tuning.jobLimit));
  if (source.kind === "files" && limit !== null && tally.units > limit) {
    warnings.push(`${tally.units} units instead of ${limit}: a round takes files whole`);
  }
  if (tally.uncounted > 0) warnings.push(`${tally.uncounted} jobs read files whose events nobody has counted`);
  const sized = sizeResources(spec.resources, policy, facts.measured ?? null, { events: tally.biggestEvents });
  if (!sized.ok) return refused(sized.error);

  const walk = walkOf(facts, policy, tuning, source, sized.value, unitsAllowed);
  const plan: DagPlan = {
    dagId: facts.dagId,
    requestName: spec.name,
    round: facts.round,
    priority: facts.priority ?? spec.priority,
    steps: spec.steps,
    outputs,
    retries: spec.retries,
    throttles: spec.throttles,
    resources: sized.value.byRole,
    avoidSites: spec.sites.deny,
    stepProfile: facts.measured?.stepProfile ?? null,
    units: { [Symbol.iterator]: () => walkUnits(walk) },
    summary: tally.finish(countFiles(source), [...warnings, ...sized.value.warnings]),
  };
  return { kind: "planned", plan, unplanned: found.unplanned };
}

const SLICE_UNITS = 256;
const refused = (refusal: PlanRefusal): PlanOutcome => ({ kind: "refused", refusal });

type Found = { readonly source: Source; readonly unplanned: readonly UnplannedFile[] };

function generationSource(facts: PlanFacts, tuning: SplitTuning): Found | PlanOutcome {
  const { generation } = facts.spec;
  if (generation === null) return refused({ code: "contradiction", message: "no events to generate", evidence: {} });
  const topUp = generation.topUp ? (facts.abandonedEvents ?? 0n) : 0n;
  const lastEvent = generation.firstEvent + generation.totalEvents + topUp - 1n;
  if (facts.next.firstEvent > lastEvent) return { kind: "nothing-left", unplanned: [] };
  const rules = siteRules(facts, tuning);
  const sites = sitesForAnything(rules);
  if (sites === null) return refused(noSiteAtAll(rules));
  return { source: { kind: "generation", lastEvent, sites }, unplanned: [] };
}

function fileSource(facts: PlanFacts, tuning: SplitTuning, files: readonly PlanFile[]): Found | PlanOutcome {
  if (files.length === 0 && facts.round === 0) {
    return refused({
      code: "no-input-files",
      message: "the input has no files",
      evidence: { input: facts.spec.input },
    });
  }
  const open = files.filter(({ state }) => state !== "processed" && state !== "excluded");
  const secondsPerEvent = facts.measured?.secondsPerEvent ?? facts.spec.resources.secondsPerEvent ?? 0;
  const selected = selectFiles(facts.spec, open, tuning, secondsPerEvent);
  if (!selected.ok) return refused(selected.error);
  const { files: wanted, unplanned } = selected.value;
  if (wanted.length === 0) {
    if (facts.round > 0 || open.length === 0) return { kind: "nothing-left", unplanned };
    return refused({
      code: "nothing-selected",
      message: `none of the ${open.length} files has work in it: ${unplanned[0]?.reason}`,
      evidence: { mask: facts.spec.input?.mask ?? null, files: unplanned.slice(0, 20) },
    });
  }
  const groups = groupByLocation(wanted, siteRules(facts, tuning));
  return groups.ok ? { source: { kind: "files", groups: groups.value }, unplanned } : refused(groups.error);
}

const siteRules = ({ spec, usableSites }: PlanFacts, { trustSiteLists }: SplitTuning): SiteRules => ({
  allow: spec.sites.allow,
  deny: spec.sites.deny,
  usable: usableSites,
  trustSiteLists,
});

function unitLimit({ spec, round }: PlanFacts, policy: FullPolicy): number | null {
  const isFirstLook = spec.adaptive && round === 0;
  return isFirstLook ? Math.max(1, policy.roundZeroUnits) : policy.maxUnitsPerRound;
}

/**
 * A file is in exactly one state, so a round takes it whole or not at all: the files its first units touch, each with
 * all of its jobs. null when that is every file.
 */
function* wholeFiles(walk: Walk, files: readonly PlanFile[]): Generator<undefined, readonly PlanFile[] | null> {
  const touched = new Set<string>();
  let units = 0;
  for (const unit of walkUnits(walk)) {
    for (const node of unit.nodes) for (const { lfn } of node.inputs) touched.add(lfn);
    if (++units % SLICE_UNITS === 0) yield;
  }
  return touched.size === files.length ? null : files.filter(({ lfn }) => touched.has(lfn));
}

function walkOf(
  facts: PlanFacts,
  policy: FullPolicy,
  tuning: SplitTuning,
  source: Source,
  sized: SizedResources | null,
  maxUnits: number | null,
): Walk {
  const { spec, measured } = facts;
  const resources = sized?.byRole.processing ?? NOT_SIZED_YET;
  return {
    spec,
    tuning,
    next: facts.next,
    source,
    unitRule: {
      jobsPerUnit: spec.unit.jobsPerUnit,
      targetBytes: spec.unit.targetMergedBytes,
      maxJobs: policy.maxJobsPerUnit,
      unsizedJobs: policy.unsizedJobsPerUnit,
      bytesPerEvent: bytesPerEvent(spec, measured ?? null),
    },
    resources,
    probe: sized?.probe ?? resources,
    probeJobs: spec.adaptive && facts.round === 0 ? policy.probeJobs : 0,
    maxUnits,
  };
}

/** Merged bytes per event read or generated. What was asked for counts events that survive; measurements, all. */
function bytesPerEvent({ resources, generation }: RequestSpec, measured: Measured | null): number | null {
  if (measured?.kbPerEvent) return measured.kbPerEvent * 1024;
  return resources.kbPerEvent === null ? null : resources.kbPerEvent * 1024 * (generation?.filterEfficiency ?? 1);
}

/** The first walk only counts. */
const NOT_SIZED_YET = { cores: 0, memoryMb: 0, diskMb: 0, wallMinutes: 0, gpus: 0 };

const countFiles = (source: Source): number =>
  source.kind === "generation" ? 0 : source.groups.reduce((sum, { files }) => sum + files.length, 0);

const tooManyJobs = (jobs: number, limit: number): PlanRefusal => ({
  code: "contradiction",
  message: `the request splits into ${jobs} jobs; at most ${limit} are allowed`,
  evidence: { jobs, limit },
});
