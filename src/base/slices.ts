/** Long work as a generator that offers pauses, for a caller that has other things to do; this one takes none. */
export function toEnd<T>(slices: Generator<undefined, T>): T {
  for (;;) {
    const step = slices.next();
    if (step.done) return step.value;
  }
}
