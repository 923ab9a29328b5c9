/** So long at most nobody else has a turn. */
const TURN_MS = 20;

let begun = 0;
const waiting: (() => void)[] = [];

/**
 * Work that never waits for anything outside would keep callers and timers of this process waiting. Asked after each
 * piece of it: once the turn is over, others have theirs. undefined: it may go on. All long work shares one turn: however much
 * there is, callers and timers come in between.
 */
export function turn(): Promise<void> | undefined {
  if (performance.now() - begun < TURN_MS) return undefined;
  return new Promise((resume) => {
    if (waiting.push(resume) === 1) setImmediate(next);
  });
}

/** One at a time: what is put off here runs after those who wait outside. */
function next(): void {
  begun = performance.now();
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(next);
}

/** So many items are looked at between two pauses. */
const FEW = 500;

/** Looks at all of them, with pauses. `weigh`: how many an item counts for; else one. */
export function* eachInSlices<T>(
  items: Iterable<T>,
  look: (item: T, index: number) => void,
  weigh: (item: T) => number = () => 1,
): Generator<undefined, void> {
  let [index, looked] = [0, 0];
  for (const item of items) {
    look(item, index++);
    looked += weigh(item);
    if (looked < FEW) continue;
    looked = 0;
    yield;
  }
}

export function* mapInSlices<T, R>(
  items: Iterable<T>,
  make: (item: T, index: number) => R,
  weigh?: (item: T) => number,
): Generator<undefined, R[]> {
  const made: R[] = [];
  yield* eachInSlices(items, (item, index) => void made.push(make(item, index)), weigh);
  return made;
}

/** In order, as the comparison says; those that it calls equal stay as they were. */
export function* sortInSlices<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
): Generator<undefined, readonly T[]> {
  const runs: (readonly T[])[] = [];
  for (let at = 0; at < items.length; at += FEW) {
    runs.push(items.slice(at, at + FEW).sort(compare));
    yield;
  }
  while (runs.length > 1)
    for (const [left, right] of pairs(runs.splice(0))) runs.push(right ? yield* merged(left, right, compare) : left);
  return runs[0] ?? [];
}

function* pairs<T>(all: readonly T[]): Generator<readonly [T, T | undefined]> {
  for (let at = 0; at < all.length; at += 2) yield [all[at]!, all[at + 1]];
}

function* merged<T>(
  left: readonly T[],
  right: readonly T[],
  compare: (a: T, b: T) => number,
): Generator<undefined, readonly T[]> {
  const all: T[] = [];
  let [l, r] = [0, 0];
  while (l < left.length || r < right.length) {
    const isLeft = r === right.length || (l < left.length && compare(left[l]!, right[r]!) <= 0);
    all.push(isLeft ? left[l++]! : right[r++]!);
    if (all.length % FEW === 0) yield;
  }
  return all;
}

/** Long work is a generator that offers pauses, for callers that have other things to do; this one takes none. */
export function toEnd<T>(slices: Generator<undefined, T>): T {
  for (;;) {
    const step = slices.next();
    if (step.done) return step.value;
  }
}

/** This one lets others have a turn every few milliseconds, and ends early when it is told to. */
export async function inSlices<T>(slices: Generator<undefined, T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    const step = slices.next();
    if (step.done) return step.value;
    const pause = turn();
    if (!pause) continue;
    await pause;
    signal?.throwIfAborted();
  }
}
