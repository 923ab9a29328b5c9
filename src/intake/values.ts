import { type Notes, shown } from "./notes.ts";
import { childPath } from "./paths.ts";

/** A value and where it stands in the document, by the key that was really written. */
export interface Spot {
  readonly path: string;
  readonly value: unknown;
}

export interface Range {
  readonly min: number;
  /** Instead of min, where the border itself is not allowed. */
  readonly above?: number;
  readonly max: number;
}
export type Row = Readonly<Record<string, unknown>>;

export const isRow = (value: unknown): value is Row =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function listEntries(spot: Spot, notes: Notes, max: number): readonly Spot[] {
  if (!Array.isArray(spot.value)) {
    notes.problem(spot.path, `must be a list (got ${shown(spot.value)})`);
    return [];
  }
  if (spot.value.length > max) {
    notes.problem(spot.path, `has ${spot.value.length} entries; at most ${max} are allowed`);
    return [];
  }
  return spot.value.map((value, index) => ({ path: childPath(spot.path, index), value }));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Text of one line, at most 1000 characters unless the pattern says otherwise; null after a problem. */
export function readText(spot: Spot, notes: Notes, pattern?: RegExp, rule?: string): string | null {
  const { path, value } = spot;
  if (typeof value !== "string") {
    const quotes = typeof value === "number" || typeof value === "boolean" ? "; put it in quotes" : "";
    notes.problem(path, `must be text (got ${shown(value)})${quotes}`, rule ?? null);
  } else if (pattern !== undefined) {
    if (pattern.test(value)) return value;
    notes.problem(path, `is not allowed (got ${shown(value)})`, rule ?? null);
  } else if (value.length > 1000) notes.problem(path, `is too long: ${value.length} characters, at most 1000`);
  else if (CONTROL.test(value))
    notes.problem(path, `must be one line without control characters (got ${shown(value)})`);
  else return value;
  return null;
}

export function readNumber(spot: Spot, notes: Notes, range: Range, casts: boolean): number | null {
  const { path, value } = spot;
  const text = casts && typeof value === "string" && /^-?\d{1,15}(\.\d{1,9})?$/.test(value.trim());
  const number = text ? Number(value) : value;
  if (typeof number === "bigint") notes.problem(path, `must be at most ${range.max} (got ${shown(value)})`);
  else if (typeof number !== "number") notes.problem(path, `must be a number (got ${shown(value)})`);
  else if (range.above !== undefined && number <= range.above)
    notes.problem(path, `must be above ${range.above} (got ${number})`);
  else if (number < range.min) notes.problem(path, `must be at least ${range.min} (got ${number})`);
  else if (number > range.max) notes.problem(path, `must be at most ${range.max} (got ${number})`);
  else return number;
  return null;
}
