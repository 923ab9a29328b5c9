/** The only way to learn the time. Pure code gets a Date as an argument; shells ask a Clock. */
export interface Clock {
  now(): Date;
}

/**
 * Whether something put off at `notedAt` until `at` may be done. What was noted later than now was noted by a clock that has been
 * set back since: its times mean nothing, and nobody waits until the clock catches up with them.
 */
export const isDue = (at: Date, notedAt: Date, now: Date): boolean => at <= now || notedAt > now;

export const secondsBetween = (from: Date, to: Date): number => (to.getTime() - from.getTime()) / 1000;
