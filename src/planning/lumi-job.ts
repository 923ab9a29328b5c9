import { roundHalfEven } from "../base/rounding.ts";
import type { InputFile, RunLumis } from "../domain/workflow.ts";
import { type Mask, selectLumis } from "./mask.ts";
import { type Piece, pieceOf } from "./piece.ts";

/** A file on its way through the lumi walk. */
export class LumiFile {
  readonly file: InputFile;
  /** The wanted ones, ascending. */
  readonly runs: readonly RunLumis[];
  /** All of the file's lumis, wanted or not: averages are over these. */
  readonly lumiCount: number;
  /** Rounded, as quotas are reckoned. */
  readonly averageEvents: number;
  #sets: Map<number, Set<number>> | null = null;

  constructor(file: InputFile, mask: Mask) {
    this.file = file;
    this.runs = selectLumis(file, mask);
    this.lumiCount = file.lumis.reduce((sum, { lumis }) => sum + new Set(lumis).size, 0);
    this.averageEvents = this.lumiCount === 0 ? 0 : roundHalfEven((file.events ?? 0) / this.lumiCount);
  }

  has(run: number, lumi: number): boolean {
    this.#sets ??= new Map(this.runs.map(({ run, lumis }) => [run, new Set(lumis)]));
    return this.#sets.get(run)?.has(lumi) ?? false;
  }
}

/** A job being filled. Ranges are appended and never merged: a new file, a gap or a new run begins a new one. */
export class LumiJob {
  readonly files: LumiFile[] = [];
  readonly ranges: Record<string, [number, number][]> = {};
  lumis = 0;
  lastRun: number | null = null;
  /** Sum of the files' rounded averages. */
  quotaEvents = 0;
  #openRange: [number, number] | null = null;
  readonly #lumisByFile: number[] = [];

  add(file: LumiFile, run: number, lumi: number): void {
    if (this.files.at(-1) !== file) {
      this.files.push(file);
      this.#lumisByFile.push(0);
      this.#openRange = null;
    }
    const open = this.#openRange;
    if (open !== null && this.lastRun === run && open[1] + 1 === lumi) open[1] = lumi;
    else {
      this.#openRange = [lumi, lumi];
      const ranges = this.ranges[run];
      if (ranges) ranges.push(this.#openRange);
      else this.ranges[run] = [this.#openRange];
    }
    this.lastRun = run;
    this.lumis += 1;
    this.quotaEvents += file.averageEvents;
    this.#lumisByFile[this.#lumisByFile.length - 1]! += 1;
  }

  holds(run: number, lumi: number): boolean {
    return this.ranges[run]?.some(([first, last]) => first <= lumi && lumi <= last) ?? false;
  }

  toPiece(): Piece {
    let events: number | null = 0;
    let inputBytes = 0;
    for (const [index, { file, lumiCount }] of this.files.entries()) {
      const share = this.#lumisByFile[index]! / lumiCount;
      inputBytes += share * file.sizeBytes;
      events = events === null || file.events === null ? null : events + share * file.events;
    }
    return pieceOf({
      files: this.files.map(({ file }) => file),
      runLumis: this.ranges,
      events: events === null ? null : roundHalfEven(events),
      inputBytes,
      run: Math.min(...Object.keys(this.ranges).map(Number)),
    });
  }
}
