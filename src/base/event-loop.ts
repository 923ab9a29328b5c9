/** So long at most nobody else has a turn. */
const TURN_MS = 20;

/**
 * Work that never waits for anything outside would keep callers and timers of this process waiting. Asked before each
 * piece of it: once its turn is over, others have theirs.
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
