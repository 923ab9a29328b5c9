import type { Piece } from "./piece.ts";

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
  const fullJobLumis = lumisFor(options.eventsPerJob, eventsPerLumi);
  let lumi = options.firstLumi;
  for (let first = options.firstEvent; first <= lastEvent; first += perJob) {
    const isFull = first + perJob - 1n <= lastEvent;
    const last = isFull ? first + perJob - 1n : lastEvent;
    const events = isFull ? options.eventsPerJob : Number(last - first + 1n);
    const nextLumi = lumi + (isFull ? fullJobLumis : lumisFor(events, eventsPerLumi));
    yield {
      files: [],
      firstEvent: first,
      lastEvent: last,
      firstLumi: lumi,
      lastLumi: nextLumi - 1n,
      runLumis: null,
      events,
      inputBytes: 0,
      run: null,
    };
    lumi = nextLumi;
  }
}

const lumisFor = (events: number, eventsPerLumi: number): bigint => BigInt(Math.ceil(events / eventsPerLumi));
