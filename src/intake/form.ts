import { type Notes, shown } from "./notes.ts";
import { childPath } from "./paths.ts";
import { didYouMean, nearest } from "./spelling.ts";
import { DURATION_FORMS, parseDuration, parseSize, SIZE_FORMS } from "./units.ts";

/** A value and where it stands in the document, by the key that was really written. */
export interface Spot {
  readonly path: string;
  readonly value: unknown;
}

/** One key, or a key and its synonyms, the preferred one first. */
export type Key = string | readonly string[];
export interface Range {
  readonly min: number;
  /** Instead of min, where the border itself is not allowed. */
  readonly above?: number;
  readonly max: number;
}
export type Row = Readonly<Record<string, unknown>>;

export const isRow = (value: unknown): value is Row =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * A map of the document while it is read. Every accessor notes what is wrong and answers with the fallback, so
 * reading goes on and all problems come out together; `close` complains about keys nobody asked for.
 * `casts`: a ReqMgr2 document, where numbers may come as text.
 */
export class Form {
  readonly row: Row;
  readonly path: string;
  readonly notes: Notes;
  readonly casts: boolean;
  readonly #known = new Set<string>();

  constructor(row: Row, path: string, notes: Notes, casts = false) {
    this.row = row;
    this.path = path;
    this.notes = notes;
    this.casts = casts;
  }

  /** null: absent (or empty, which YAML makes null). */
  spot(key: Key): Spot | null {
    const keys = typeof key === "string" ? [key] : key;
    for (const one of keys) this.#known.add(one);
    const given = keys.filter((one) => Object.hasOwn(this.row, one) && this.row[one] !== null);
    const written = given[0];
    if (written === undefined) return null;
    for (const twin of given.slice(1))
      this.notes.problem(this.pathOf(twin), `says the same as ${written}; keep one of them`);
    return { path: this.pathOf(written), value: this.row[written] };
  }

  pathOf(key: string): string {
    return childPath(this.path, key);
  }

  missing(key: string, allowed: string | null = null): void {
    this.notes.problem(this.pathOf(key), "is missing", allowed);
  }

  /** A map under this key; an empty one when it is absent or not a map. */
  section(key: Key): Form {
    const spot = this.spot(key);
    const path = spot?.path ?? this.pathOf(typeof key === "string" ? key : key[0]!);
    if (spot !== null && !isRow(spot.value))
      this.notes.problem(path, `must be a map of keys (got ${shown(spot.value)})`);
    return new Form(isRow(spot?.value) ? spot.value : {}, path, this.notes, this.casts);
  }

  /** The entries of a list; [] when absent. A single value is not a list. */
  list(key: Key, max = 10_000): readonly Spot[] {
    const spot = this.spot(key);
    return spot === null ? [] : listEntries(spot, this.notes, max);
  }

  flag(key: Key, fallback: boolean): boolean {
    const spot = this.spot(key);
    if (spot === null) return fallback;
    if (typeof spot.value === "boolean") return spot.value;
    this.notes.problem(spot.path, `must be true or false (got ${shown(spot.value)})`);
    return fallback;
  }

  choice<T extends string>(key: Key, choices: readonly T[], fallback: T): T {
    const spot = this.spot(key);
    if (spot === null) return fallback;
    const found = choices.find((choice) => choice === spot.value);
    if (found !== undefined) return found;
    const hint = typeof spot.value === "string" ? didYouMean(spot.value, choices) : "";
    this.notes.problem(
      spot.path,
      `${shown(spot.value)} is not one of the choices${hint}`,
      choices.join(", "),
    );
    return fallback;
  }

  /** Text of one line. `rule` says in words what the pattern allows. */
  text(key: Key, fallback: string, pattern?: RegExp, rule?: string): string {
    const spot = this.spot(key);
    return spot === null ? fallback : (readText(spot, this.notes, pattern, rule) ?? fallback);
  }

  number(key: Key, range: Range, fallback: number): number;
  number(key: Key, range: Range, fallback: null): number | null;
  number(key: Key, range: Range, fallback: number | null): number | null {
    const spot = this.spot(key);
    if (spot === null) return fallback;
    return readNumber(spot, this.notes, range, this.casts) ?? fallback;
  }

  integer(key: Key, range: Range, fallback: number): number;
  integer(key: Key, range: Range, fallback: null): number | null;
  integer(key: Key, range: Range, fallback: number | null): number | null {
    const spot = this.spot(key);
    if (spot === null) return fallback;
    const value = readNumber(spot, this.notes, range, this.casts);
    if (value === null || Number.isInteger(value)) return value ?? fallback;
    this.notes.problem(spot.path, `must be a whole number (got ${value})`);
    return fallback;
  }

  /** Seconds. */
  duration(key: Key, range: Range, fallback: number | null): number | null {
    return this.#withUnit(
      key,
      range,
      fallback,
      parseDuration,
      `must be a duration with its unit`,
      DURATION_FORMS,
    );
  }

  /** Bytes. */
  size(key: Key, range: Range, fallback: number | null): number | null {
    return this.#withUnit(key, range, fallback, parseSize, `must be a size with its unit`, SIZE_FORMS);
  }

  #withUnit(
    key: Key,
    range: Range,
    fallback: number | null,
    parse: (text: string) => number | null,
    complaint: string,
    forms: string,
  ): number | null {
    const spot = this.spot(key);
    if (spot === null) return fallback;
    const value = typeof spot.value === "string" ? parse(spot.value) : null;
    if (value === null) this.notes.problem(spot.path, `${complaint} (got ${shown(spot.value)})`, forms);
    else if (value < range.min || value > range.max)
      this.notes.problem(spot.path, `is out of range (got ${shown(spot.value)})`, forms);
    else return value;
    return fallback;
  }

  /** Keys that are understood elsewhere, or carried without being read. */
  knows(...keys: readonly string[]): void {
    for (const key of keys) this.#known.add(key);
  }

  unknownKeys(): readonly string[] {
    return Object.keys(this.row).filter((key) => !this.#known.has(key));
  }

  nearestKnown(key: string): string | null {
    return nearest(key, this.#known);
  }

  /** To be called once, when everything was asked for. `hints` name what a foreign key is called here. */
  close(hints: Readonly<Record<string, string>> = {}): void {
    for (const key of this.unknownKeys()) {
      const hint = Object.hasOwn(hints, key) ? `; ${hints[key]}` : didYouMean(key, this.#known);
      const known = hint === "" && this.#known.size <= 20 ? [...this.#known].join(", ") : null;
      this.notes.problem(this.pathOf(key), `is not a known key${hint}`, known);
    }
  }
}

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
  } else if (value.length > 1000)
    notes.problem(path, `is too long: ${value.length} characters, at most 1000`);
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
