import type { ProcessWork, SplitAlgorithm } from "../../core/work.ts";
import type { InputFile } from "../../core/workflow.ts";
import { byLfn, inOrder, lowestRun, type Piece, pieceOf } from "../../planning/piece.ts";
import { compileMask } from "./mask.ts";
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

/**
 * So many events per job, never from two files: job k of a file has events kN … (k+1)N − 1, the last one what is
 * left. A file with no events, or whose events nobody counted, is one job from 0 to its end. Files go by their lowest
 * run, those without runs last, then by LFN.
 */
export function* splitByEvents(files: readonly InputFile[], eventsPerJob: number): Generator<Piece> {
  const runOf = (file: InputFile) => lowestRun(file) ?? Number.MAX_SAFE_INTEGER;
  for (const file of inOrder(files, (a, b) => runOf(a) - runOf(b) || byLfn(a, b))) {
    const run = lowestRun(file);
    const files = [file];
    if (!file.events) yield pieceOf({ files, firstEvent: 0n, events: file.events, inputBytes: file.sizeBytes, run });
    for (let first = 0; first < (file.events ?? 0); first += eventsPerJob) {
      const events = Math.min(eventsPerJob, file.events! - first);
      const inputBytes = (file.sizeBytes * events) / file.events!;
      const lastEvent = BigInt(first + events - 1);
      yield pieceOf({ files, firstEvent: BigInt(first), lastEvent, events, inputBytes, run });
    }
  }
}
