import type { PlanOutcome, PlanRefusal, UnplannedFile } from "../../core/plan.ts";
import type { ProcessWork } from "../../core/work.ts";
import type { InputFile } from "../../core/workflow.ts";
import type { PlanFacts, PlanFile } from "../../planning/facts.ts";
import { NO_LIMITS, refuseJobs, refuseNumbers, roundLimits } from "../../planning/limits.ts";
import { groupByLocation, type LocationGroup, NO_SITE, noSite, siteRules } from "../../planning/locality.ts";
import { only } from "../../planning/piece.ts";
import { planUnits, refused, SLICE_UNITS } from "../../planning/plan-round.ts";
import { type PieceSource, type Walk, walkUnits } from "../../planning/walk.ts";
import { countLumis } from "./mask.ts";
import { selectFiles } from "./selection.ts";
import { splitFiles } from "./split.ts";

type Facts = PlanFacts<ProcessWork>;

/** The files that are still to be done, cut into jobs where they may be read. A round takes each of them whole. */
export function* planFiles(facts: Facts): Generator<undefined, PlanOutcome> {
  const { spec } = facts;
  const refusal = refuseNumbers(spec, neededNumbers(spec.work)) ?? refuseSize(facts);
  if (refusal) return refused(refusal);
  const found = findFiles(facts, facts.files);
  if ("kind" in found) return found;
  const most = roundLimits(facts, mostJobs(facts));
  let taken = found;
  if (most.units !== null || most.nodes !== null) {
    const source = sourceOf(spec.work, found.groups);
    const narrowed = findFiles(facts, yield* wholeFiles({ facts, source, sized: null, most }, facts.files));
    if ("kind" in narrowed) return narrowed;
    taken = narrowed;
  }
  const isWhole = countFiles(taken.groups) === countFiles(found.groups);
  return yield* planUnits({
    facts,
    source: sourceOf(spec.work, taken.groups),
    most: NO_LIMITS,
    inputFiles: countFiles(taken.groups),
    unplanned: found.unplanned,
    warnings: (units) => [
      ...found.warnings,
      ...(most.units !== null && units > most.units
        ? [`${units} units instead of ${most.units}: a round takes files whole`]
        : []),
      ...(most.nodes !== null && most.units === null && !isWhole
        ? [`a round has at most ${most.nodes} jobs: the rest follows in later rounds`]
        : []),
    ],
  });
}

/** Exact where work is split by events, else no fewer than there will be. */
export const mostJobs = ({ spec, files }: Facts): bigint =>
  BigInt(files.reduce((sum, file) => sum + jobsOf(file, spec.work), 0));

function jobsOf(file: InputFile, { split }: ProcessWork): number {
  if (split.algorithm === "FileBased") return 1;
  if (split.algorithm === "EventBased") return Math.max(1, Math.ceil((file.events ?? 0) / split.eventsPerJob));
  return countLumis(file.lumis);
}

function neededNumbers({ split }: ProcessWork): Record<string, number> {
  if (split.algorithm === "FileBased") return { "files per job": split.filesPerJob };
  if (split.algorithm === "LumiBased") return { "lumis per job": split.lumisPerJob };
  return { "events per job": split.eventsPerJob };
}

function refuseSize(facts: Facts): PlanRefusal | null {
  const { work } = facts.spec;
  if (work.split.algorithm !== "EventBased") return null;
  const { eventsPerJob } = work.split;
  const { maxNodesPerRound } = facts.policy;
  const tooMany = refuseJobs(facts, mostJobs(facts), eventsPerJob);
  // A round takes files whole.
  const file = tooMany ? undefined : facts.files.find((one) => jobsOf(one, work) > maxNodesPerRound);
  if (!file) return tooMany;
  const message = `${file.lfn} alone would be ${jobsOf(file, work)} jobs of ${eventsPerJob} events; a round has at most ${maxNodesPerRound} (planning.max_nodes_per_round): put more events into a job`;
  return { code: "too-many-nodes", message, evidence: { lfn: file.lfn, eventsPerJob, maxNodesPerRound } };
}

interface Found {
  readonly groups: readonly LocationGroup[];
  readonly unplanned: readonly UnplannedFile[];
  readonly warnings: readonly string[];
}

function findFiles(facts: Facts, files: readonly PlanFile[]): Found | PlanOutcome {
  const { round } = facts;
  const { input } = facts.spec.work;
  if (files.length === 0 && round === 0)
    return refused({ code: "no-input-files", message: "the input has no files", evidence: { input } });
  const open = only(files, ({ state }) => state !== "processed" && state !== "excluded");
  const selected = selectFiles(facts, open);
  if (!selected.ok) return refused(selected.error);
  const { files: wanted, unplanned } = selected.value;
  if (wanted.length === 0) {
    if (round > 0 || open.length === 0) return { kind: "nothing-left", unplanned };
    return refused({
      code: "nothing-selected",
      message: `none of the ${open.length} files has work in it: ${unplanned[0]?.reason}`,
      evidence: { mask: input.mask, files: unplanned.slice(0, 20) },
    });
  }
  const rules = siteRules(facts);
  const { groups, nowhere } = groupByLocation(wanted, rules);
  if (nowhere.length > 0 && (input.onMissing !== "skip" || groups.length === 0)) return refused(noSite(nowhere, rules));
  return {
    groups,
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

const sourceOf = (work: ProcessWork, groups: readonly LocationGroup[]): PieceSource => ({
  *streams() {
    for (const { sites, attempted, files } of groups) yield { sites, attempted, pieces: splitFiles(work, files) };
  },
  survival: 1,
  sharesLumi: false,
});

const countFiles = (groups: readonly LocationGroup[]): number =>
  groups.reduce((sum, { files }) => sum + files.length, 0);
