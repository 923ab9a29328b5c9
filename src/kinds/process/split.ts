import type { PlanRefusal } from "../../domain/plan.ts";
import type { RequestSpec, SplitAlgorithm } from "../../domain/request.ts";
import type { InputFile } from "../../domain/workflow.ts";
import type { Piece } from "../../planning/piece.ts";
import { compileMask } from "./mask.ts";
import { splitByEvents } from "./split-events.ts";
import { splitByFiles } from "./split-files.ts";
import { splitByLumis } from "./split-lumis.ts";

/** The pieces of one location group, by the request's algorithm. */
export function splitFiles({ split, input }: RequestSpec, files: readonly InputFile[]): Generator<Piece> {
  if (split.algorithm === "EventBased") return splitByEvents(files, split.eventsPerJob);
  const mask = compileMask(input?.mask ?? null);
  if (split.algorithm === "FileBased") return splitByFiles(files, split.filesPerJob, mask);
  return splitByLumis(files, split, mask);
}

/** It goes by runs and lumis: a file that has none is not for it. */
export const needsLumis = (algorithm: SplitAlgorithm): boolean =>
  algorithm === "LumiBased" || algorithm === "EventAwareLumiBased";

/** DAGMan reads lines of 60 kB (23.9.6), and one line of a unit's DAG names all its nodes. */
export const MAX_NODES_PER_UNIT = 4000;

/** The numbers the request's algorithm goes by have to be whole and positive. */
export function refuseSplit({ kind, unit, split, generation }: RequestSpec): PlanRefusal | null {
  const { jobsPerUnit } = unit;
  if (jobsPerUnit !== null && (jobsPerUnit < 1 || jobsPerUnit > MAX_NODES_PER_UNIT)) {
    const message = `a work unit has 1 to ${MAX_NODES_PER_UNIT} jobs, not ${jobsPerUnit}`;
    return { code: "contradiction", message, evidence: { jobsPerUnit } };
  }
  const needed: Record<string, number> = {};
  if (kind === "process" && split.algorithm === "FileBased") needed["files per job"] = split.filesPerJob;
  else if (kind === "process" && split.algorithm === "LumiBased") needed["lumis per job"] = split.lumisPerJob;
  else needed["events per job"] = split.eventsPerJob;
  if (kind === "generate") needed["events per lumi"] = generation?.eventsPerLumi ?? 1;
  for (const [what, value] of Object.entries(needed)) {
    if (Number.isSafeInteger(value) && value > 0) continue;
    const message = `${what} must be a whole number above 0, not ${value}`;
    return { code: "contradiction", message, evidence: { algorithm: split.algorithm, [what]: value } };
  }
  return null;
}
