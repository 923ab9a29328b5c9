import type { InputFile } from "../domain/workflow.ts";
import { byRunThenLfn, lowestRun, type Piece } from "./piece.ts";

/**
 * So many events per job, never from two files: job k of a file has events kN … (k+1)N − 1, the last one what is
 * left. A file with no events, or whose events nobody counted, is one job from 0 to its end.
 */
export function* splitByEvents(files: readonly InputFile[], eventsPerJob: number): Generator<Piece> {
  for (const file of [...files].sort(byRunThenLfn)) {
    const run = lowestRun(file);
    const inputs = [file];
    if (file.events === null || file.events === 0) {
      yield piece(inputs, run, 0, null, file.events, file.sizeBytes);
      continue;
    }
    for (let first = 0; first < file.events; first += eventsPerJob) {
      const last = Math.min(first + eventsPerJob, file.events) - 1;
      const events = last - first + 1;
      yield piece(inputs, run, first, last, events, (file.sizeBytes * events) / file.events);
    }
  }
}

function piece(
  files: readonly InputFile[],
  run: number | null,
  first: number,
  last: number | null,
  events: number | null,
  inputBytes: number,
): Piece {
  return {
    files,
    firstEvent: BigInt(first),
    lastEvent: last === null ? null : BigInt(last),
    firstLumi: null,
    lastLumi: null,
    runLumis: null,
    events,
    inputBytes,
    run,
  };
}
