import { toEnd } from "../base/slices.ts";
import { datasetName } from "../domain/output-names.ts";
import type { DagPlan, PlannedOutput, PlanOutcome, PlanRefusal, UnplannedFile } from "../domain/plan.ts";
import type { RequestSpec } from "../domain/request.ts";
import { MERGE_GROUP } from "../domain/roles.ts";
import { fullPolicy, type PlanFacts, type PlanFile } from "./facts.ts";
import { lastEvent, type RoundLimits, refuseSize, roundLimits } from "./limits.ts";
import { groupByLocation, NO_SITE, noSite, noSiteAtAll, type SiteRules, sitesForAnything } from "./locality.ts";
import { sizeResources } from "./resources.ts";
import { selectFiles } from "./selection.ts";
import { refuseSplit } from "./split.ts";
import { SummaryTally } from "./summary.ts";
import { type Source, type Walk, walkUnits } from "./walk.ts";

/**
 * Plans one round: facts in, a plan or the reason why there is none out. The units are not kept: the plan walks
 * them anew each time it is asked, so a plan of a million nodes weighs no more than its facts.
 */
export const planRound = (facts: PlanFacts): PlanOutcome => toEnd(planInSlices(facts));

/** The same, with a pause offered after every few hundred units, for a caller that has other things to do. */
export function* planInSlices(facts: PlanFacts): Generator<undefined, PlanOutcome> {
  const { spec } = facts;
  const policy = fullPolicy(facts.policy);
  const refusal = refuseSplit(spec) ?? refuseSize(facts, policy);
  if (refusal) return refused(refusal);

  const found = spec.kind === "generate" ? generationSource(facts) : fileSource(facts, facts.files);
  if ("kind" in found) return found;
  const most = roundLimits(facts, policy);
  let { source } = found;
  if (source.kind === "files" && (most.units !== null || most.nodes !== null)) {
    const whole = yield* wholeFiles({ facts, policy, source, sized: null, most }, facts.files);
    const narrowed = fileSource(facts, whole);
    if ("kind" in narrowed) return narrowed;
    source = narrowed.source;
  }

  const outputs = plannedOutputs(spec);
  const dataset = (outputs.find(({ keep }) => keep) ?? outputs[0])?.dataset ?? `/${spec.name}`;
  const tally = new SummaryTally(dataset);
  const walk: Walk = { facts, policy, source, sized: null, most: source.kind === "generation" ? most : NO_LIMITS };
  for (const unit of walkUnits(walk)) {
    tally.add(unit);
    if (tally.units % SLICE_UNITS === 0) yield;
  }
  if (tally.nodes === 0) return { kind: "nothing-left", unplanned: found.unplanned };
  const warnings = [...found.warnings];
  if (source.kind === "files" && most.units !== null && tally.units > most.units) {
    warnings.push(`${tally.units} units instead of ${most.units}: a round takes files whole`);
  }
  const isWhole = source.kind === "files" && countFiles(source) === countFiles(found.source);
  if (most.nodes !== null && most.units === null && !isWhole)
    warnings.push(`a round has at most ${most.nodes} jobs: the rest follows in later rounds`);
  if (tally.uncounted > 0) warnings.push(`${tally.uncounted} jobs read files whose events nobody has counted`);
  const sized = sizeResources(spec.resources, policy, facts.measured ?? null, tally.biggestEvents);
  if (!sized.ok) return refused(sized.error);

  const plan: DagPlan = {
    dagId: facts.dagId,
    requestName: spec.name,
    round: facts.round,
    priority: facts.priority ?? spec.priority,
    shape: MERGE_GROUP,
    steps: spec.steps,
    outputs,
    retries: spec.retries,
    throttles: spec.throttles,
    resources: sized.value.byRole,
    avoidSites: spec.sites.deny,
    stepProfile: facts.measured?.stepProfile ?? null,
    units: { [Symbol.iterator]: () => walkUnits({ ...walk, sized: sized.value }) },
    summary: tally.finish(facts.next, countFiles(source), [...warnings, ...sized.value.warnings]),
  };
  return { kind: "planned", plan, unplanned: found.unplanned };
}

const SLICE_UNITS = 256;
const NO_LIMITS: RoundLimits = { units: null, nodes: null };
const refused = (refusal: PlanRefusal): PlanOutcome => ({ kind: "refused", refusal });

type Found = {
  readonly source: Source;
  readonly unplanned: readonly UnplannedFile[];
  readonly warnings: readonly string[];
};

function generationSource(facts: PlanFacts): Found | PlanOutcome {
  const { generation, kind } = facts.spec;
  if (generation === null)
    return refused({ code: "contradiction", message: "no events to generate", evidence: { kind } });
  const last = lastEvent(facts);
  if (facts.next.firstEvent > last) return { kind: "nothing-left", unplanned: [] };
  const rules = siteRules(facts);
  const sites = sitesForAnything(rules);
  if (sites === null) return refused(noSiteAtAll(rules));
  return { source: { kind: "generation", lastEvent: last, sites }, unplanned: [], warnings: [] };
}

function fileSource(facts: PlanFacts, files: readonly PlanFile[]): Found | PlanOutcome {
  const { spec, round } = facts;
  if (files.length === 0 && round === 0) {
    return refused({ code: "no-input-files", message: "the input has no files", evidence: { input: spec.input } });
  }
  const open = files.filter(({ state }) => state !== "processed" && state !== "excluded");
  const selected = selectFiles(facts, open);
  if (!selected.ok) return refused(selected.error);
  const { files: wanted, unplanned } = selected.value;
  if (wanted.length === 0) {
    if (round > 0 || open.length === 0) return { kind: "nothing-left", unplanned };
    return refused({
      code: "nothing-selected",
      message: `none of the ${open.length} files has work in it: ${unplanned[0]?.reason}`,
      evidence: { mask: spec.input?.mask ?? null, files: unplanned.slice(0, 20) },
    });
  }
  const { groups, nowhere } = groupByLocation(wanted, siteRules(facts));
  if (nowhere.length > 0 && (spec.input?.onMissing !== "skip" || groups.length === 0))
    return refused(noSite(nowhere, siteRules(facts)));
  return {
    source: { kind: "files", groups },
    unplanned: [...unplanned, ...nowhere.map(({ lfn }) => ({ lfn, code: "no-site" as const, reason: NO_SITE }))],
    warnings: warnOfSiteless(wanted),
  };
}

/** Where some files say where they are and others do not, the others were perhaps forgotten. */
function warnOfSiteless(files: readonly PlanFile[]): readonly string[] {
  const without = files.filter(({ sites }) => sites.length === 0).map(({ lfn }) => lfn);
  if (without.length === 0 || without.length === files.length) return [];
  const first = without.reduce((a, b) => (a < b ? a : b));
  return [
    `${without.length} of ${files.length} files name no site and may be read anywhere: ${first}${without.length > 1 ? ", …" : ""}`,
  ];
}

const siteRules = ({ spec: { sites }, usableSites }: PlanFacts): SiteRules => ({ ...sites, usable: usableSites });

/**
 * A file is in exactly one state, so a round takes it whole or not at all: the files its first units touch, each with
 * all of its jobs.
 */
function* wholeFiles(walk: Walk, files: readonly PlanFile[]): Generator<undefined, readonly PlanFile[]> {
  const touched = new Set<string>();
  let units = 0;
  for (const unit of walkUnits(walk)) {
    for (const node of unit.nodes) for (const { lfn } of node.inputs) touched.add(lfn);
    if (++units % SLICE_UNITS === 0) yield;
  }
  return files.filter(({ lfn }) => touched.has(lfn));
}

const countFiles = (source: Source): number =>
  source.kind === "generation" ? 0 : source.groups.reduce((sum, { files }) => sum + files.length, 0);

const plannedOutputs = (spec: RequestSpec): PlannedOutput[] =>
  spec.outputs.map(({ naming, ...output }) => ({
    ...output,
    dataset: datasetName(spec, { name: output.name, naming }),
  }));
