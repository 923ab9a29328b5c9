import type { Clock } from "../../../core/base/clock.ts";

/** Waits so long. */
export type Wait = (ms: number) => Promise<void>;

/**
 * A token bucket that holds one second's worth: so many calls may begin at once, then one by one. Resolves when the caller
 * may begin.
 */
export function makePace(perSec: number, clock: Clock, wait: Wait): () => Promise<void> {
  const stepMs = 1000 / perSec;
  let fullAtMs = 0;
  return async () => {
    const nowMs = clock.now().getTime();
    fullAtMs = Math.max(fullAtMs, nowMs) + stepMs;
    const tooEarlyMs = fullAtMs - nowMs - 1000;
    if (tooEarlyMs > 0) await wait(tooEarlyMs);
  };
}

/** Time before a repetition: doubles with each, and differs between callers so that they do not come back together. */
export const retryDelayMs = (attempt: number, random: number): number => 250 * 2 ** attempt * (0.5 + random);
