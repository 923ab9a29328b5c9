import type { RunLumis } from "../../core/workflow.ts";

/**
 * Of each run the lumis that occur more than once, ascending, each once. Tens of millions are looked at, so hardly any are
 * held: nothing where they only ascend, as they do in data; else two bits for each number between the lowest and the
 * highest; all of them only where they lie far apart.
 */
export function repeatedByRun(files: Iterable<{ readonly runs: readonly RunLumis[] }>): Map<number, Float64Array> {
  const extents = new Map<number, Extent>();
  for (const { runs } of files) {
    for (const { run, lumis } of runs) {
      const extent = extents.get(run) ?? new Extent();
      extents.set(run, extent);
      for (const lumi of lumis) extent.add(lumi);
    }
  }
  const open = new Map(
    [...extents].filter(([, { ascends }]) => !ascends).map(([run, extent]) => [run, makeBook(extent)]),
  );
  if (open.size === 0) return new Map();
  for (const { runs } of files) {
    for (const { run, lumis } of runs) {
      const book = open.get(run);
      if (book) for (const lumi of lumis) book.add(lumi);
    }
  }
  return new Map([...open].map(([run, book]) => [run, book.repeated()]));
}

class Extent {
  count = 0;
  lowest = Number.POSITIVE_INFINITY;
  highest = Number.NEGATIVE_INFINITY;
  ascends = true;

  add(lumi: number): void {
    this.count += 1;
    if (lumi <= this.highest) this.ascends = false;
    else this.highest = lumi;
    if (lumi < this.lowest) this.lowest = lumi;
  }
}

interface Book {
  add(lumi: number): void;
  repeated(): Float64Array;
}

/** Two bits for each number within reach, or eight bytes for each that comes: whichever is less. */
const makeBook = (extent: Extent): Book =>
  extent.highest - extent.lowest < 32 * extent.count ? new BitBook(extent) : new ListBook(extent);

class BitBook implements Book {
  readonly #lowest: number;
  readonly #seen: Uint8Array;
  readonly #again: Uint8Array;
  #count = 0;

  constructor({ lowest, highest }: Extent) {
    this.#lowest = lowest;
    this.#seen = new Uint8Array(Math.floor((highest - lowest) / 8) + 1);
    this.#again = new Uint8Array(this.#seen.length);
  }

  add(lumi: number): void {
    const at = lumi - this.#lowest;
    const bit = 1 << (at % 8);
    const byte = Math.floor(at / 8);
    if ((this.#seen[byte]! & bit) === 0) this.#seen[byte]! |= bit;
    else if ((this.#again[byte]! & bit) === 0) {
      this.#again[byte]! |= bit;
      this.#count += 1;
    }
  }

  repeated(): Float64Array {
    const found = new Float64Array(this.#count);
    let count = 0;
    for (const [byte, bits] of this.#again.entries())
      for (let bit = 0; bits >> bit > 0; bit++) if ((bits >> bit) & 1) found[count++] = this.#lowest + byte * 8 + bit;
    return found;
  }
}

class ListBook implements Book {
  readonly #numbers: Float64Array;
  #count = 0;

  constructor({ count }: Extent) {
    this.#numbers = new Float64Array(count);
  }

  add(lumi: number): void {
    this.#numbers[this.#count++] = lumi;
  }

  repeated(): Float64Array {
    const all = this.#numbers.sort();
    return all.filter((number, at) => all[at - 1] === number && all[at - 2] !== number);
  }
}
