import type { Interval, Month } from "../../core/calendar.ts";
import type { Component, Product, SegmentsWork } from "../../core/segments.ts";

/** Products of one family and frequency are made of each other: of the largest length that divides theirs; null: of history. */
export const subLength = (length: number, lengths: readonly number[]): number | null =>
  lengths.reduce<number | null>(
    (best, other) => (other < length && length % other === 0 && other > (best ?? 0) ? other : best),
    null,
  );

/** What is due: up to which month, and whether the experiment ends there, so that what is left over may be a short chunk. */
export interface DueUntil {
  readonly to: Month;
  readonly isClosed: boolean;
}
export const dueUntil = ({ end }: Pick<SegmentsWork, "end">, to: Month): DueUntil => ({
  to: Math.min(to, end ?? to),
  isClosed: end !== null && to >= end,
});

/** Chunks count from the component's start, whole ones; then what is left over, if the product wants it. They fall due at their ends. */
export function* chunksOf(
  { lengthMonths, tail }: Pick<Product, "lengthMonths" | "tail">,
  start: Month,
  { to, isClosed }: DueUntil,
): Generator<Interval> {
  let from = start;
  for (; from + lengthMonths <= to; from += lengthMonths) yield { from, to: from + lengthMonths };
  if (tail === "emit" && isClosed && from < to) yield { from, to };
}

/**
 * The chunks that one is made of; null: it is made straight from history. A short last chunk is made of chunks where they
 * make up all of it, the last of them perhaps short itself; else of history alone, so that a command never gets both.
 */
export function madeOfChunks(
  chunk: Interval,
  { fromMonths }: Pick<Product, "fromMonths">,
  part: Pick<Product, "tail"> | undefined,
  { to, isClosed }: DueUntil,
): readonly Interval[] | null {
  if (fromMonths === null || !part) return null;
  const parts: Interval[] = [];
  let from = chunk.from;
  for (; from + fromMonths <= chunk.to; from += fromMonths) parts.push({ from, to: from + fromMonths });
  if (from === chunk.to) return parts;
  return part.tail === "emit" && isClosed && chunk.to === to ? [...parts, { from, to: chunk.to }] : null;
}

/** The product whose chunks this one is made of. */
export const partOf = ({ products }: Component, { family, frequency, fromMonths }: Product): Product | undefined =>
  products.find(
    (other) => other.family === family && other.frequency === frequency && other.lengthMonths === fromMonths,
  );
