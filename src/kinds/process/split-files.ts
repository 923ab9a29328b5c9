import { addRanges } from "../../core/base/ranges.ts";
import { roundHalfEven } from "../../core/base/rounding.ts";
import type { InputFile } from "../../core/workflow.ts";
import { byLfn, inOrder, lowestRun, type Piece, pieceOf } from "../../planning/piece.ts";
import { countDistinct, countLumis, type Mask, selectLumis } from "./mask.ts";

/**
 * So many files per job, cut in the order of their LFNs. The finished jobs then come out in the order of their
 * lowest runs: which files share a job is not touched by it, but jobs of one run end up in the same unit.
 */
export function* splitByFiles(files: readonly InputFile[], filesPerJob: number, mask: Mask): Generator<Piece> {
  const sorted = inOrder(files, byLfn);
  for (const start of jobStarts(sorted, filesPerJob)) yield filePiece(sorted.slice(start, start + filesPerJob), mask);
}

/** The first file of each job, in the order the jobs come out. Only numbers are held, not jobs. */
function jobStarts(files: readonly InputFile[], filesPerJob: number): Iterable<number> {
  const runs = new Float64Array(Math.ceil(files.length / filesPerJob)).fill(Number.POSITIVE_INFINITY);
  for (const [index, file] of files.entries()) {
    const job = Math.floor(index / filesPerJob);
    runs[job] = Math.min(runs[job]!, lowestRun(file) ?? Number.POSITIVE_INFINITY);
  }
  const order = Uint32Array.from(runs.keys());
  order.sort((a, b) => (runs[a] === runs[b] ? a - b : runs[a]! - runs[b]!));
  return order.map((job) => job * filesPerJob);
}

function filePiece(files: readonly InputFile[], mask: Mask): Piece {
  let events: number | null = 0;
  let inputBytes = 0;
  let run: number | null = null;
  const runLumis: Record<string, [number, number][]> = {};
  for (const file of files) {
    const lowest = lowestRun(file);
    if (lowest !== null && (run === null || lowest < run)) run = lowest;
    const share = mask.all ? 1 : addSelected(file, mask, runLumis);
    inputBytes += share * file.sizeBytes;
    events = events === null || file.events === null ? null : events + share * file.events;
  }
  if (events !== null) events = roundHalfEven(events);
  return pieceOf({ files, runLumis: mask.all ? null : runLumis, events, inputBytes, run });
}

/** Appends the file's wanted ranges and answers which share of its lumis they are. */
function addSelected(file: InputFile, mask: Mask, into: Record<string, [number, number][]>): number {
  const wanted = selectLumis(file, mask);
  for (const { run, lumis } of wanted) {
    into[run] ??= [];
    addRanges(lumis, into[run]);
  }
  const all = countDistinct(file.lumis);
  return all === 0 ? 1 : countLumis(wanted) / all;
}
