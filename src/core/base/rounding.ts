/**
 * Rounds halves to the even neighbour (2.5 → 2, 3.5 → 4), as the averages of the splitting algorithms are
 * defined; Math.round would send every half up and give other jobs.
 */
export function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest !== 0.5) return rest < 0.5 ? floor : floor + 1;
  return floor % 2 === 0 ? floor : floor + 1;
}
