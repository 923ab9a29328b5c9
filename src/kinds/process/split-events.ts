import type { InputFile } from "../../domain/workflow.ts";
import { byLfn, lowestRun, type Piece, pieceOf } from "../../planning/piece.ts";

/**
 * So many events per job, never from two files: job k of a file has events kN … (k+1)N − 1, the last one what is
 * left. A file with no events, or whose events nobody counted, is one job from 0 to its end. Files go by their lowest
 * run, those without runs last, then by LFN.
 */
export function* splitByEvents(files: readonly InputFile[], eventsPerJob: number): Generator<Piece> {
  const runOf = (file: InputFile) => lowestRun(file) ?? Number.MAX_SAFE_INTEGER;
  for (const file of [...files].sort((a, b) => runOf(a) - runOf(b) || byLfn(a, b))) {
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

export interface GenerationOptions {
  readonly firstEvent: bigint;
  /** The last event there will be; nothing is yielded when firstEvent is past it. */
  readonly lastEvent: bigint;
  readonly firstLumi: bigint;
  readonly eventsPerJob: number;
  readonly eventsPerLumi: number;
}

/**
 * Event ranges without input. Each job takes ceil(events / eventsPerLumi) lumis and the next one begins at the
 * next unused lumi, so a lumi that is only partly filled is never shared. Numbers are 64-bit and do not wrap at
 * 2^32 (the reference's do): an event number is used once in the life of a request.
 */
export function* splitGeneration(options: GenerationOptions): Generator<Piece> {
  const { lastEvent, eventsPerLumi } = options;
  const perJob = BigInt(options.eventsPerJob);
  const files: readonly InputFile[] = [];
  let firstLumi = options.firstLumi;
  for (let firstEvent = options.firstEvent; firstEvent <= lastEvent; firstEvent += perJob) {
    const left = lastEvent - firstEvent + 1n;
    const events = left < perJob ? Number(left) : options.eventsPerJob;
    const last = firstEvent + BigInt(events) - 1n;
    const nextLumi = firstLumi + BigInt(Math.ceil(events / eventsPerLumi));
    const lastLumi = nextLumi - 1n;
    yield pieceOf({ files, firstEvent, lastEvent: last, firstLumi, lastLumi, events, inputBytes: 0, run: null });
    firstLumi = nextLumi;
  }
}
