/** Long work is a generator that offers pauses, for callers that have other things to do; this one takes none. */
export function toEnd<T>(slices: Generator<undefined, T>): T {
  for (;;) {
    const step = slices.next();
    if (step.done) return step.value;
  }
}

const SLICE_MS = 20;

/** This one lets others have a turn every few milliseconds, and ends early when it is told to. */
export async function inSlices<T>(slices: Generator<undefined, T>, signal?: AbortSignal): Promise<T> {
  let sliceEnd = performance.now() + SLICE_MS;
  for (;;) {
    const step = slices.next();
    if (step.done) return step.value;
    if (performance.now() < sliceEnd) continue;
    await new Promise((resume) => setImmediate(resume));
    signal?.throwIfAborted();
    sliceEnd = performance.now() + SLICE_MS;
  }
}
