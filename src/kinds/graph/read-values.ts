import type { Spot } from "../../intake/reading/values.ts";
import { digitsAt, parseDecimal, writeDecimal } from "./decimal.ts";
import { MAX_RANGE_VALUES, MAX_ROWS } from "./limits.ts";

const NUMBER = "[+-]?\\d{1,30}(?:\\.\\d{1,30})?";
const RANGE = new RegExp(`^\\s*(${NUMBER})\\s*\\.\\.\\s*(${NUMBER})(?:\\s+step\\s+(${NUMBER}))?\\s*$`);
const LIKE_A_RANGE = /^\s*[+-]?\d[\d.]*\s*\.\./;
export const isLikeRange = (text: string): boolean => LIKE_A_RANGE.test(text);
const VALUE_FORMS = "a value, a list of values, or a range: 1..50, 0..1 step 0.1, 10..0 step -2";

/** How many values ranges of a document may still make. One for all of it. */
export interface RangeRoom {
  left: number;
}

/** The values of a parameter in the order they were written, as text; [] after a problem. Counted before they are made. */
export function readValues(spot: Spot, room: RangeRoom): readonly string[] {
  const entries = Array.isArray(spot.value) ? spot.list(MAX_ROWS) : [spot];
  if (Array.isArray(spot.value) && spot.value.length === 0) spot.problem("has no values", VALUE_FORMS);
  const read = entries.map(readOne).filter((one) => one !== null);
  const made = read.reduce((sum, one) => sum + (typeof one === "string" ? 0 : one.count), 0);
  const count = read.reduce((sum, one) => sum + (typeof one === "string" ? 1 : one.count), 0);
  if (count > MAX_ROWS) return spot.problem(`has ${count} values; at most ${MAX_ROWS}`) ?? [];
  room.left -= made;
  if (room.left < 0)
    return spot.problem(`the ranges of this document have more than ${MAX_RANGE_VALUES} values together`) ?? [];
  return read.flatMap((one) => (typeof one === "string" ? [one] : one.values()));
}

function readOne(spot: Spot): string | Range | null {
  const { value } = spot;
  if (["number", "bigint", "boolean"].includes(typeof value)) return String(value);
  if (typeof value !== "string") return spot.mustBe("a value", VALUE_FORMS);
  if (!isLikeRange(value)) return value.length <= 10_000 ? value : spot.problem("is too long");
  const range = readRange(value);
  return typeof range === "string" ? spot.problem(range, VALUE_FORMS) : range;
}

interface Range {
  readonly count: number;
  /** All with as many places as its most exact number. */
  values(): readonly string[];
}

/** What a range has, exactly; or what is wrong with it. */
export function readRange(text: string): Range | string {
  const numbers = RANGE.exec(text)
    ?.slice(1)
    .map((number) => (number === undefined ? null : parseDecimal(number)));
  const [from, to, by = null] = numbers ?? [];
  if (!from || !to) return "is not a range";
  const places = Math.max(from.places, to.places, by?.places ?? 0);
  const [first, last] = [digitsAt(from, places), digitsAt(to, places)];
  const isDown = last < first;
  const step = digitsAt(by ?? { digits: isDown ? -1n : 1n, places: 0 }, places);
  if (step === 0n) return "has a step of 0";
  if (first !== last && step < 0n !== isDown) return `never gets from ${writeDecimal(from)} to ${writeDecimal(to)}`;
  const count = (last - first) / step + 1n;
  if (count > BigInt(MAX_ROWS)) return `has ${count} values; at most ${MAX_ROWS}`;
  const valueAt = (index: number) => writeDecimal({ digits: first + step * BigInt(index), places });
  return { count: Number(count), values: () => Array.from({ length: Number(count) }, (_, index) => valueAt(index)) };
}
