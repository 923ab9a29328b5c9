/**
 * When each of those that wait would start: a slot is free when one that runs has ended, and the first in the queue takes
 * the first. Of those that run, some have no estimate: they are taken to end after all others. null: too few have one.
 */
export function estimateStarts(
  waiting: number,
  ends: readonly (Date | null)[],
  maxActive: number,
): readonly (Date | null)[] {
  if (maxActive === 0) return Array.from({ length: waiting }, () => null);
  const known = ends.filter((end) => end !== null).sort((a, b) => a.getTime() - b.getTime());
  // More run than may: the first ends only make up for that.
  const over = Math.max(0, ends.length - maxActive);
  return Array.from({ length: waiting }, (_, place) => known[over + place] ?? null);
}
