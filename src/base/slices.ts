/** So long at most nobody else has a turn. */
const TURN_MS = 20;

/**
 * Work that never waits for anything outside would keep callers and timers of this process waiting. Asked after each
 * piece of it: once its turn is over, others have theirs. undefined: it may go on.
 */
export function makeTurn(): () => Promise<void> | undefined {
  let begun = performance.now();
  return () => {
    if (performance.now() - begun < TURN_MS) return undefined;
    return new Promise((resume) =>
      setImmediate(() => {
        begun = performance.now();
        resume();
      }),
    );
  };
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
  const turn = makeTurn();
  for (;;) {
    const step = slices.next();
    if (step.done) return step.value;
    const pause = turn();
    if (!pause) continue;
    await pause;
    signal?.throwIfAborted();
  }
}
