import { sortInSlices, toEnd } from "../../core/base/slices.ts";
import { MAX_COMPARISONS } from "./limits.ts";

export const isGlob = (text: string): boolean => /[*?]/.test(text);

/**
 * Finds jobs by name and by anchored glob. Each glob is looked up once, among the names that begin or end as it does,
 * so a hundred thousand globs cost little more than what they find. `isSpent`: they would have cost too much.
 */
export class JobNames {
  readonly #names: readonly string[];
  readonly #byName = new Map<string, number>();
  readonly #found = new Map<string, readonly number[]>();
  #forward: Sorted | null = null;
  #backward: Sorted | null = null;
  #compared = 0;

  constructor(names: readonly string[]) {
    this.#names = names;
    for (const [index, name] of names.entries()) if (!this.#byName.has(name)) this.#byName.set(name, index);
  }

  /** What globs are looked up in, made ready with pauses; else the first of them does. */
  *prepare(): Generator<undefined, void> {
    this.#forward = yield* sortNames(this.#names, (name) => name);
  }

  named(name: string): number | undefined {
    return this.#byName.get(name);
  }

  get isSpent(): boolean {
    return this.#compared > MAX_COMPARISONS;
  }

  /** In the order of the document. */
  matching(glob: string): readonly number[] {
    const known = this.#found.get(glob);
    if (known) return known;
    const candidates = this.#candidates(glob);
    this.#compared += candidates.length;
    const literal = glob.split(/[*?]+/).reduce((longest, part) => (part.length > longest.length ? part : longest));
    const found: number[] = [];
    for (const index of this.isSpent ? [] : candidates) {
      const name = this.#names[index]!;
      if (name.includes(literal) && matches(glob, name)) found.push(index);
    }
    found.sort((a, b) => a - b);
    this.#found.set(glob, found);
    return found;
  }

  #candidates(glob: string): Int32Array {
    const start = glob.slice(0, glob.search(/[*?]/));
    const end = reversed(/[^*?]*$/.exec(glob)![0]);
    this.#forward ??= toEnd(sortNames(this.#names, (name) => name));
    const beginning = startingWith(this.#forward, start);
    if (end === "" || beginning.length < 1000) return beginning;
    this.#backward ??= toEnd(sortNames(this.#names, reversed));
    const ending = startingWith(this.#backward, end);
    return ending.length < beginning.length ? ending : beginning;
  }
}

interface Sorted {
  readonly keys: readonly string[];
  readonly indexes: Int32Array;
}

const reversed = (text: string): string => text.split("").reverse().join("");

function* sortNames(names: readonly string[], keyOf: (name: string) => string): Generator<undefined, Sorted> {
  const keys = names.map(keyOf);
  const indexes = yield* sortInSlices([...keys.keys()], (a, b) =>
    keys[a]! < keys[b]! ? -1 : keys[a]! > keys[b]! ? 1 : 0,
  );
  return { keys: indexes.map((index) => keys[index]!), indexes: Int32Array.from(indexes) };
}

function startingWith({ keys, indexes }: Sorted, start: string): Int32Array {
  const from = firstFrom(keys, (key) => key >= start);
  return indexes.subarray(
    from,
    firstFrom(keys, (key) => key >= start && !key.startsWith(start)),
  );
}

/** Of sorted keys, the first for which it holds; it holds for all that follow. */
export function firstFrom(keys: readonly string[], holds: (key: string) => boolean): number {
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(keys[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The whole name: `*` is any text, `?` one character. Takes time in proportion to the product of their lengths, at worst. */
export function matches(glob: string, name: string): boolean {
  let [at, to, star, retry] = [0, 0, -1, 0];
  while (to < name.length) {
    if (glob[at] === "*") {
      star = at++;
      retry = to;
    } else if (at < glob.length && (glob[at] === "?" || glob[at] === name[to])) {
      to += glob[at] === "?" ? width(name, to) : 1;
      at += 1;
    } else if (star >= 0) {
      at = star + 1;
      retry += width(name, retry);
      to = retry;
    } else return false;
  }
  while (glob[at] === "*") at += 1;
  return at === glob.length;
}
const width = (text: string, at: number): number => (text.codePointAt(at)! > 0xffff ? 2 : 1);
