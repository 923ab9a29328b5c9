const SLICE_MS = 20;

/** Runs a generator of small steps to its end, and lets others have a turn every few milliseconds. */
export async function inSlices<T>(steps: Generator<unknown, T>): Promise<T> {
  let sliceEnd = performance.now() + SLICE_MS;
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() < sliceEnd) continue;
    await new Promise((resume) => setImmediate(resume));
    sliceEnd = performance.now() + SLICE_MS;
  }
}
