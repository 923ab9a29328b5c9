import type { ProcessWork, SplitAlgorithm } from "../../domain/work.ts";
import type { InputFile } from "../../domain/workflow.ts";
import type { Piece } from "../../planning/piece.ts";
import { compileMask } from "./mask.ts";
import { splitByEvents } from "./split-events.ts";
import { splitByFiles } from "./split-files.ts";
import { splitByLumis } from "./split-lumis.ts";

/** The pieces of one location group, by the request's algorithm. */
export function splitFiles({ split, input }: ProcessWork, files: readonly InputFile[]): Generator<Piece> {
  if (split.algorithm === "EventBased") return splitByEvents(files, split.eventsPerJob);
  const mask = compileMask(input.mask);
  if (split.algorithm === "FileBased") return splitByFiles(files, split.filesPerJob, mask);
  return splitByLumis(files, split, mask);
}

/** It goes by runs and lumis: a file that has none is not for it. */
export const needsLumis = (algorithm: SplitAlgorithm): boolean =>
  algorithm === "LumiBased" || algorithm === "EventAwareLumiBased";
