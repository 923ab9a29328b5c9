import type { PlanRefusal } from "../domain/plan.ts";
import type { RequestSpec } from "../domain/request.ts";
import type { InputFile } from "../domain/workflow.ts";
import { splitByEventsAndLumis } from "./event-aware-lumi.ts";
import { splitByEvents } from "./event-based.ts";
import type { SplitTuning } from "./facts.ts";
import { splitByFiles } from "./file-based.ts";
import { splitByLumis } from "./lumi-based.ts";
import { compileMask } from "./mask.ts";
import type { Budget, Piece } from "./piece.ts";

/** The pieces of one location group, by the request's algorithm. */
export function splitFiles(
  spec: RequestSpec,
  files: readonly InputFile[],
  tuning: SplitTuning,
  budget: Budget,
): Generator<Piece> {
  const { split } = spec;
  const mask = compileMask(spec.input?.mask ?? null);
  switch (split.algorithm) {
    case "FileBased":
      return splitByFiles(
        files,
        { filesPerJob: split.filesPerJob, respectRunBoundaries: tuning.respectRunBoundaries },
        mask,
      );
    case "EventBased":
      return splitByEvents(files, split.eventsPerJob);
    case "LumiBased":
      return splitByLumis(files, { ...tuning, mask, lumisPerJob: split.lumisPerJob }, budget);
    case "EventAwareLumiBased":
      return splitByEventsAndLumis(files, { ...tuning, mask, eventsPerJob: split.eventsPerJob }, budget);
  }
}

/** DAGMan reads lines of 60 kB (23.9.6), and one line of a unit's DAG names all its nodes. */
export const MAX_NODES_PER_UNIT = 4000;

/** The numbers the request's algorithm goes by have to be whole and positive. */
export function refuseSplit(spec: RequestSpec): PlanRefusal | null {
  const { jobsPerUnit } = spec.unit;
  if (jobsPerUnit !== null && (jobsPerUnit < 1 || jobsPerUnit > MAX_NODES_PER_UNIT)) {
    return {
      code: "contradiction",
      message: `a work unit has 1 to ${MAX_NODES_PER_UNIT} jobs, not ${jobsPerUnit}`,
      evidence: { jobsPerUnit },
    };
  }
  const { split, generation } = spec;
  const needed: [string, number][] =
    spec.kind === "generate"
      ? [
          ["events per job", split.eventsPerJob],
          ["events per lumi", generation?.eventsPerLumi ?? 1],
        ]
      : {
          FileBased: [["files per job", split.filesPerJob] as [string, number]],
          EventBased: [["events per job", split.eventsPerJob] as [string, number]],
          LumiBased: [["lumis per job", split.lumisPerJob] as [string, number]],
          EventAwareLumiBased: [["events per job", split.eventsPerJob] as [string, number]],
        }[split.algorithm];
  for (const [what, value] of needed) {
    if (Number.isSafeInteger(value) && value > 0) continue;
    return {
      code: "contradiction",
      message: `${what} must be a whole number above 0, not ${value}`,
      evidence: { algorithm: split.algorithm, [what]: value },
    };
  }
  return null;
}
