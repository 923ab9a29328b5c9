/** Letters to change, add, drop or swap to make one word of the other; stops caring above `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, before[j - 2]! + 1);
      row.push(cost);
    }
    before = last;
    last = row;
  }
  return last[b.length]!;
}

const plain = (word: string): string => word.toLowerCase().replaceAll(/[_\-\s]/g, "");

/** Of a document's own words there may be thousands, known and unknown. */
const MOST_LOOKS = 300;

/** The known word a person most likely meant; null when none is near. */
export function nearest(word: string, known: Iterable<string>): string | null {
  if (word.length > 60) return null;
  let best: string | null = null;
  let bestDistance = Number.POSITIVE_INFINITY;
  const limit = word.length <= 4 ? 1 : word.length <= 8 ? 2 : 3;
  let looks = 0;
  for (const candidate of known) {
    if (++looks > MOST_LOOKS) break;
    const distance = editDistance(plain(word), plain(candidate), limit);
    if (distance <= limit && distance < bestDistance && distance < plain(candidate).length) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

export function didYouMean(word: string, known: Iterable<string>): string {
  const found = nearest(word, known);
  return found === null ? "" : `; did you mean ${found}?`;
}
