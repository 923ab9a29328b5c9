import { type Notes, shown } from "./notes.ts";
import { childPath } from "./paths.ts";
import { didYouMean, nearest } from "./spelling.ts";
import { DURATION_FORMS, parseDuration, parseSize, SIZE_FORMS } from "./units.ts";
import { isRow, listEntries, type Range, type Row, readNumber, readText, type Spot } from "./values.ts";

/** One key, or a key and its synonyms, the preferred one first. */
export type Key = string | readonly string[];
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
    this.notes.problem(spot.path, `${shown(spot.value)} is not one of the choices${hint}`, choices.join(", "));
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
    return this.#withUnit(key, range, fallback, parseDuration, `must be a duration with its unit`, DURATION_FORMS);
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
