/**
 * Gives units to blocks, in order. A block ends at its target size or its most units. It never spans what
 * cannot complete together: rounds (each begins with a new number), or fresh files and files that have failed
 * before. Units of an earlier block go first, so begun blocks are finished before new ones are opened.
 */
export class BlockCutter {
  readonly #targetBytes: number;
  readonly #maxUnits: number;
  readonly #first: number;
  #index: number;
  #units = 0;
  #bytes = 0;
  #attempted = false;

  constructor(first: number, targetBytes: number, maxUnits: number) {
    this.#first = first;
    this.#index = first;
    this.#targetBytes = targetBytes;
    this.#maxUnits = maxUnits;
  }

  /** The block of the next unit, and how early it is to run. */
  place(unitBytes: number, attempted: boolean): { index: number; priority: number } {
    const isFull =
      this.#units >= this.#maxUnits || this.#bytes + unitBytes > this.#targetBytes || attempted !== this.#attempted;
    if (isFull && this.#units > 0) {
      this.#index += 1;
      this.#units = 0;
      this.#bytes = 0;
    }
    this.#attempted = attempted;
    this.#units += 1;
    this.#bytes += unitBytes;
    return { index: this.#index, priority: FIRST_PRIORITY - (this.#index - this.#first) };
  }
}

/** Of a round's first block; each later one has one less. Far below the differences between requests. */
const FIRST_PRIORITY = 10;
