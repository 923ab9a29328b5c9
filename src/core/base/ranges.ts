/** Inclusive ranges of whole numbers. */
export type Ranges = readonly (readonly [number, number])[];

/** Ascending, and joined where they touch. */
export function joinRanges(ranges: Ranges): [number, number][] {
  const joined: [number, number][] = [];
  for (const [first, last] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const before = joined.at(-1);
    if (before !== undefined && first <= before[1] + 1) before[1] = Math.max(before[1], last);
    else joined.push([first, last]);
  }
  return joined;
}

/** Appends 1,2,3,7 as [1,3],[7,7]; what stands there already is left alone. The numbers ascend. */
export function addRanges(numbers: readonly number[], into: [number, number][]): void {
  let open: [number, number] | null = null;
  for (const number of numbers) {
    if (open && open[1] + 1 === number) open[1] = number;
    else {
      open = [number, number];
      into.push(open);
    }
  }
}

/** The ranges are as joinRanges makes them. */
export function isWithin(number: number, ranges: Ranges): boolean {
  const at = countWhile(ranges.length, (index) => ranges[index]![1] < number);
  return at < ranges.length && ranges[at]![0] <= number;
}

/** How many of so many places, from the first on, are as asked; those that are come before all that are not. */
export function countWhile(length: number, isSo: (at: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isSo(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
