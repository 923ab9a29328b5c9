import type { InputFile } from "../domain/workflow.ts";
import { countLumis, type Mask, selectLumis, toRanges } from "./mask.ts";
import { byLfn, type LumiRanges, lowestRun, type Piece } from "./piece.ts";
import { roundHalfEven } from "./rounding.ts";

export interface FileBasedOptions {
  readonly filesPerJob: number;
  readonly respectRunBoundaries: boolean;
}

/**
 * So many files per job, cut in the order of their LFNs. The finished jobs then come out in the order of their
 * lowest runs: which files share a job is not touched by it, but jobs of one run end up in the same unit.
 */
export function* splitByFiles(files: readonly InputFile[], options: FileBasedOptions, mask: Mask): Generator<Piece> {
  const sorted = [...files].sort(byLfn);
  const { starts, order } = cutJobs(sorted, options);
  for (const job of order) {
    yield filePiece(sorted.slice(starts[job], starts[job + 1] ?? sorted.length), mask);
  }
}

/** Job i has the files from starts[i] up to starts[i+1]. Only numbers are held, not jobs. */
function cutJobs(files: readonly InputFile[], { filesPerJob, respectRunBoundaries }: FileBasedOptions) {
  const starts: number[] = [];
  const runs: number[] = [];
  let jobRun: number | null = null;
  for (const [index, file] of files.entries()) {
    const run = lowestRun(file);
    const isFull = starts.length === 0 || index - starts.at(-1)! >= filesPerJob;
    if (isFull || (respectRunBoundaries && run !== null && run !== jobRun)) {
      starts.push(index);
      runs.push(run ?? Number.POSITIVE_INFINITY);
      jobRun = run;
    } else if (run !== null && run < runs.at(-1)!) runs[runs.length - 1] = run;
  }
  const order = Uint32Array.from(starts.keys());
  if (runs.some((run) => run !== Number.POSITIVE_INFINITY)) {
    order.sort((a, b) => (runs[a] === runs[b] ? a - b : runs[a]! < runs[b]! ? -1 : 1));
  }
  return { starts, order };
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
  return {
    files,
    firstEvent: null,
    lastEvent: null,
    firstLumi: null,
    lastLumi: null,
    runLumis: mask.all ? null : (runLumis satisfies LumiRanges),
    events: events === null ? null : roundHalfEven(events),
    inputBytes,
    run,
  };
}

/** Appends the file's wanted ranges and tells which share of its lumis they are. */
function addSelected(file: InputFile, mask: Mask, into: Record<string, [number, number][]>): number {
  const wanted = selectLumis(file, mask);
  for (const { run, lumis } of wanted) into[run] = [...(into[run] ?? []), ...toRanges(lumis)];
  const all = file.lumis.reduce((sum, { lumis }) => sum + lumis.length, 0);
  return all === 0 ? 1 : countLumis(wanted) / all;
}
