import type { Spot } from "../../reading/values.ts";
import { digitsAt, parseDecimal, writeDecimal } from "./decimal.ts";
import { MAX_ROWS } from "./limits.ts";

const NUMBER = "[+-]?\\d{1,30}(?:\\.\\d{1,30})?";
const RANGE = new RegExp(`^\\s*(${NUMBER})\\s*\\.\\.\\s*(${NUMBER})(?:\\s+step\\s+(${NUMBER}))?\\s*$`);
const LIKE_A_RANGE = /^\s*[+-]?\d[\d.]*\s*\.\./;
export const isLikeRange = (text: string): boolean => LIKE_A_RANGE.test(text);
const VALUE_FORMS = "a value, a list of values, or a range: 1..50, 0..1 step 0.1, 10..0 step -2";

/** The values of a parameter in the order they were written, as text; [] after a problem. */
export function readValues(spot: Spot): readonly string[] {
  if (!Array.isArray(spot.value)) return readOne(spot);
  if (spot.value.length === 0) spot.problem("has no values", VALUE_FORMS);
  const values = spot.list(MAX_ROWS).flatMap(readOne);
  if (values.length > MAX_ROWS) spot.problem(`has ${values.length} values; at most ${MAX_ROWS}`);
  return values;
}

function readOne(spot: Spot): readonly string[] {
  const { value } = spot;
  if (["number", "bigint", "boolean"].includes(typeof value)) return [String(value)];
  if (typeof value !== "string") return spot.mustBe("a value", VALUE_FORMS) ?? [];
  if (!isLikeRange(value)) return value.length <= 10_000 ? [value] : (spot.problem("is too long") ?? []);
  const range = readRange(value);
  return typeof range === "string" ? (spot.problem(range, VALUE_FORMS) ?? []) : range;
}

/** Every value of a range, exactly, all with as many places as its most exact number; or what is wrong with it. */
export function readRange(text: string): readonly string[] | string {
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
  return Array.from({ length: Number(count) }, (_, index) =>
    writeDecimal({ digits: first + step * BigInt(index), places }),
  );
}
