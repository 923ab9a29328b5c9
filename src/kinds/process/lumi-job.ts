import { roundHalfEven } from "../../core/base/rounding.ts";
import type { InputFile, RunLumis } from "../../core/workflow.ts";
import { type Piece, pieceOf } from "../../planning/piece.ts";
import { countDistinct, type Mask, selectLumis } from "./mask.ts";
import type { SharedLumis } from "./shared-lumis.ts";

/** A file on its way through the lumi walk. */
export class LumiFile {
  readonly file: InputFile;
  readonly #mask: Mask;
  /** All of the file's lumis, wanted or not: averages are over these. */
  readonly lumiCount: number;
  /** Rounded, as quotas are computed. */
  readonly averageEvents: number;

  constructor(file: InputFile, mask: Mask) {
    this.file = file;
    this.#mask = mask;
    this.lumiCount = countDistinct(file.lumis);
    this.averageEvents = this.lumiCount === 0 ? 0 : roundHalfEven((file.events ?? 0) / this.lumiCount);
  }

  /** The wanted ones, ascending. Made again each time: a job may have a million files. */
  get runs(): readonly RunLumis[] {
    return selectLumis(this.file, this.#mask);
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
  readonly number: number;
  readonly #shared: SharedLumis;
  #openRange: [number, number] | null = null;
  #lowestRun: number | null = null;
  readonly #lumisByFile: number[] = [];
  /** Of the last file's own, those that are in other files too. */
  #ownShared = 0;

  constructor(number: number, shared: SharedLumis) {
    this.number = number;
    this.#shared = shared;
  }

  add(file: LumiFile, run: number, lumi: number): void {
    if (this.files.at(-1) !== file) {
      this.files.push(file);
      this.#lumisByFile.push(0);
      this.#ownShared = 0;
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
    if (this.#lowestRun === null || run < this.#lowestRun) this.#lowestRun = run;
    this.lastRun = run;
    this.lumis += 1;
    this.quotaEvents += file.averageEvents;
    this.#lumisByFile[this.#lumisByFile.length - 1]! += 1;
    if (this.#shared.take(run, lumi, this.number)) this.#ownShared += 1;
  }

  /** What it reads of its last file without being asked: lumis it took from another file, and which are in this one too. */
  #unasked(): number {
    const last = this.files.at(-1);
    if (last === undefined || this.files.length === 1) return 0;
    return this.#shared.countTaken(last, this.number) - this.#ownShared;
  }

  toPiece(): Piece {
    let events: number | null = 0;
    let inputBytes = 0;
    this.#lumisByFile[this.#lumisByFile.length - 1]! += this.#unasked();
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
      run: this.#lowestRun,
    });
  }
}
