/** The only way to learn the time. Pure code gets a Date as an argument; shells ask a Clock. */
export interface Clock {
  now(): Date;
}

export const secondsBetween = (from: Date, to: Date): number => (to.getTime() - from.getTime()) / 1000;
