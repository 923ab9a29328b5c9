import type { Form, Key } from "./form.ts";
import { type Notes, shown } from "./notes.ts";
import type { Spot } from "./values.ts";

export const MAX_INT64 = 2n ** 63n - 1n;

/** A 64-bit whole number from `min`: a number, or text with its digits (which JSON of others may need). */
export function readBigInteger(form: Form, key: Key, min: bigint): bigint | null {
  const spot = form.spot(key);
  return spot === null ? null : toBigInteger(spot, form.notes, min);
}

export function toBigInteger({ path, value }: Spot, notes: Notes, min: bigint): bigint | null {
  const number = wholeNumber(value);
  if (number === null) notes.problem(path, `must be a whole number (got ${shown(value)})`);
  else if (number === "unsafe")
    notes.problem(path, `lost digits on its way (got ${shown(value)}); write numbers above 2^53 as text`);
  else if (number < min) notes.problem(path, `must be at least ${min} (got ${number})`);
  else if (number > MAX_INT64) notes.problem(path, `must be at most ${MAX_INT64} (got ${shown(value)})`);
  else return number;
  return null;
}

function wholeNumber(value: unknown): bigint | "unsafe" | null {
  if (typeof value === "bigint") return value;
  if (typeof value === "string") return /^-?\d{1,30}$/.test(value) ? BigInt(value) : null;
  if (typeof value !== "number" || !Number.isInteger(value)) return null;
  return Number.isSafeInteger(value) ? BigInt(value) : "unsafe";
}

/** int(events / efficiency): how many to generate so that so many survive. */
export function beforeFilter(events: bigint, efficiency: number): bigint {
  if (efficiency === 1) return events;
  if (events <= BigInt(Number.MAX_SAFE_INTEGER)) return BigInt(Math.trunc(Number(events) / efficiency));
  return (events * 10n ** 15n) / BigInt(Math.max(1, Math.round(efficiency * 1e15)));
}
