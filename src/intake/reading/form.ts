import { type Notes, shown } from "./notes.ts";
import { childPath } from "./paths.ts";
import { didYouMean, nearest } from "./spelling.ts";
import { DURATION_FORMS, parseDuration, parseSize, SIZE_FORMS } from "./units.ts";
import { isRow, type Range, type Row, Spot } from "./values.ts";

/** One key, or a key and its synonyms, the preferred one first. */
type Key = string | readonly string[];
type Fallback = number | null;

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

  /** What stands there has to be a map: `what` says of what ("a step"), `shape` which keys it has. */
  static at(spot: Spot, what: string, shape: string | null, casts = false): Form | null {
    return isRow(spot.value) ? new Form(spot.value, spot.path, spot.notes, casts) : spot.mustBe(what, shape);
  }

  /** null: absent (or empty, which YAML makes null). */
  spot(key: Key): Spot | null {
    const keys = typeof key === "string" ? [key] : key;
    this.knows(...keys);
    const given = keys.filter((one) => Object.hasOwn(this.row, one) && this.row[one] !== null);
    const written = given[0];
    if (written === undefined) return null;
    for (const twin of given.slice(1)) this.problem(twin, `says the same as ${written}; keep one of them`);
    return new Spot(this.pathOf(written), this.row[written], this.notes);
  }

  /** The same where it cannot be left out. */
  needed(key: Key, allowed: string | null = null): Spot | null {
    const spot = this.spot(key);
    if (spot === null) this.missing(typeof key === "string" ? key : key[0]!, allowed);
    return spot;
  }

  /** Here, or under an older name in the map around this one. */
  either(key: string, outer: Form, oldKey: string): Spot | null {
    const spot = this.spot(key);
    const old = outer.spot(oldKey);
    if (spot !== null && old !== null) old.problem(`says the same as ${this.pathOf(key)}; keep one of them`);
    return spot ?? old;
  }

  pathOf(key: string): string {
    return childPath(this.path, key);
  }

  problem(key: string, message: string, allowed: string | null = null): void {
    this.notes.problem(this.pathOf(key), message, allowed);
  }

  warn(key: string, message: string): void {
    this.notes.warn(this.pathOf(key), message);
  }

  missing(key: string, allowed: string | null = null): void {
    this.problem(key, "is missing", allowed);
  }

  /** A map under this key; an empty one when it is absent or not a map. */
  section(key: Key): Form {
    const spot = this.spot(key);
    const form = spot && Form.at(spot, "a map of keys", null, this.casts);
    return (
      form ?? new Form({}, spot?.path ?? this.pathOf(typeof key === "string" ? key : key[0]!), this.notes, this.casts)
    );
  }

  /** Reads the map under this key to its end. */
  within<T>(key: string, read: (form: Form) => T): T {
    const form = this.section(key);
    const found = read(form);
    form.close();
    return found;
  }

  /** The entries of a list; [] when absent. A single value is not a list. */
  list(key: Key, max = 10_000): readonly Spot[] {
    return this.spot(key)?.list(max, this.casts) ?? [];
  }

  flag(key: Key, fallback: boolean): boolean {
    return this.#read(key, fallback, (spot) => {
      const value = this.casts ? TRUTHS.get(String(spot.value).trim().toLowerCase()) : spot.value;
      return typeof value === "boolean" ? value : spot.mustBe("true or false");
    });
  }

  choice<T extends string>(
    key: Key,
    choices: readonly T[],
    fallback: T,
    toCome: readonly string[] = [],
    complaint = "is not one of the choices",
  ): T {
    return this.#read(key, fallback, (spot) => spot.oneOf(choices, complaint, toCome));
  }

  /** Text of one line. `rule` says for people what the pattern allows. */
  text(key: Key, fallback: string, pattern?: RegExp, rule?: string): string {
    return this.#read(key, fallback, (spot) => spot.text(pattern, rule));
  }

  number<F extends Fallback>(key: Key, range: Range, fallback: F): number | F {
    return this.#read(key, fallback, (spot) => spot.number(range, this.casts));
  }

  integer<F extends Fallback>(key: Key, range: Range, fallback: F): number | F {
    return this.#read(key, fallback, (spot) => {
      const value = spot.number(range, this.casts);
      if (value === null || Number.isInteger(value)) return value;
      if (this.casts) return Math.trunc(value);
      return spot.problem(`must be a whole number (got ${value})`);
    });
  }

  /** Seconds. */
  duration<F extends Fallback>(key: Key, range: Range, fallback: F): number | F {
    return this.#read(key, fallback, (spot) => withUnit(spot, range, parseDuration, "a duration", DURATION_FORMS));
  }

  /** Bytes. */
  size<F extends Fallback>(key: Key, range: Range, fallback: F): number | F {
    return this.#read(key, fallback, (spot) => withUnit(spot, range, parseSize, "a size", SIZE_FORMS));
  }

  #read<T, F>(key: Key, fallback: F, read: (spot: Spot) => T | null): T | F {
    const spot = this.spot(key);
    return spot === null ? fallback : (read(spot) ?? fallback);
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
      this.problem(key, `is not a known key${hint}`, known);
    }
  }
}

/** How ReqMgr2 reads true and false. */
const TRUTHS = new Map(
  [true, false].flatMap((truth) =>
    (truth ? "true 1 yes y t" : "false 0 no n f").split(" ").map((word) => [word, truth]),
  ),
);

function withUnit(
  spot: Spot,
  range: Range,
  parse: (text: string) => number | null,
  what: string,
  forms: string,
): number | null {
  const value = typeof spot.value === "string" ? parse(spot.value) : null;
  if (value === null) return spot.mustBe(`${what} with its unit`, forms);
  if (value >= range.min && value <= range.max) return value;
  return spot.problem(`is out of range (got ${shown(spot.value)})`, forms);
}
