import { isRow, type Row } from "../core/base/json.ts";
import type { Problem } from "../core/problem.ts";

export { isRow, type Row };

/**
 * Data from outside, by tables of fields: one table is the type, the reader, and what an absent field means. Every
 * wrong field becomes a problem with its place, and nothing is thrown. A schema library would do, but POST loads this
 * on the submit host and must start in no time.
 */
export interface Field<T> {
  /** What an absent field means; a wrong one too, once that was told. */
  readonly missing: T;
  readonly read: (value: unknown, key: string, at: FieldPath) => T;
  /** What to say if it is absent, where it must be there. */
  readonly needed?: string;
  readonly allowed?: string;
}
export type Fields = Readonly<Record<string, Field<unknown>>>;
export type Of<F extends Fields> = { readonly [Name in keyof F]: F[Name]["missing"] };

/** Where in a document one is, and what was found wrong so far. */
export class FieldPath {
  readonly path: string;
  readonly problems: Problem[];

  constructor(path = "", problems: Problem[] = []) {
    this.path = path;
    this.problems = problems;
  }

  in(key: string): FieldPath {
    return new FieldPath(this.path === "" || key === "" ? `${this.path}${key}` : `${this.path}.${key}`, this.problems);
  }

  wrong(key: string, message: string, allowed: string | null = null): void {
    this.problems.push({ path: this.in(key).path, message, allowed });
  }
}

/** `keyOf`: how the document names a field. */
export function readFields<F extends Fields>(fields: F, row: Row, at: FieldPath, keyOf = sameName): Of<F> {
  const found: Record<string, unknown> = {};
  for (const name in fields) {
    const field: Field<unknown> = fields[name]!;
    const key = keyOf(name);
    const value = row[key];
    const isThere = value !== undefined && value !== null;
    if (!isThere && field.needed !== undefined) at.wrong(key, field.needed, field.allowed);
    found[name] = isThere ? field.read(value, key, at) : field.missing;
  }
  return found as Of<F>;
}

/** For documents people write: a key nobody knows is a typing mistake. */
export function readStrictly<F extends Fields>(fields: F, row: Row, at: FieldPath, keyOf = sameName): Of<F> {
  const known = Object.keys(fields).map(keyOf);
  for (const key of Object.keys(row)) if (!known.includes(key)) at.wrong(key, "is not known here", known.join(", "));
  return readFields(fields, row, at, keyOf);
}

/** Nothing said: every field as when it is absent. */
export const blank = <F extends Fields>(fields: F): Of<F> =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.missing])) as Of<F>;

const sameName = (name: string): string => name;

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly whole: boolean;
}
export const whole = (min: number, max: number): Bounds => ({ min, max, whole: true });
export const real = (min: number, max: number): Bounds => ({ min, max, whole: false });

/** The ranges that numbers of attempts and ledgers may have. */
export const COUNT = whole(0, 1_000_000);
export const CLUSTER = whole(-1, 2 ** 40);
export const CODE = whole(-(2 ** 31), 2 ** 31);
export const AMOUNT = real(0, 1e12);

export const LONG = 1_000_000;
const LONGEST_LIST = 100_000;
const NONE: readonly never[] = [];

export const number = <M = null>({ min, max, whole }: Bounds, missing = null as M): Field<number | NoInfer<M>> => ({
  missing,
  read: (value, key, at) => {
    const fits = typeof value === "number" && Number.isFinite(value) && value >= min && value <= max;
    if (fits && (!whole || Number.isInteger(value))) return value;
    at.wrong(key, `must be a ${whole ? "whole " : ""}number from ${min} to ${max} (got ${shown(value)})`);
    return missing;
  },
});

export const text = <M = null>(longest: number, missing = null as M): Field<string | NoInfer<M>> => ({
  missing,
  read: (value, key, at) => {
    if (typeof value === "string" && value.length <= longest) return value;
    at.wrong(key, `must be text of at most ${longest} characters (got ${shown(value)})`);
    return missing;
  },
});

export const flag = <M = null>(missing = null as M): Field<boolean | NoInfer<M>> => ({
  missing,
  read: (value, key, at) => {
    if (typeof value === "boolean") return value;
    at.wrong(key, `must be true or false (got ${shown(value)})`);
    return missing;
  },
});

export const choice = <const T extends string, const M = null>(
  choices: readonly T[],
  missing = null as M,
): Field<T | NoInfer<M>> => ({
  missing,
  allowed: choices.join(", "),
  read: (value, key, at) => {
    if ((choices as readonly unknown[]).includes(value)) return value as T;
    at.wrong(key, `${shown(value)} is not known here`, choices.join(", "));
    return missing;
  },
});

/** `read` answers null for an item to be left out. */
export const list = <T>(
  read: (item: unknown, key: string, at: FieldPath, index: number) => T | null,
): Field<readonly T[]> => ({
  missing: NONE,
  read: (value, key, at) => {
    if (Array.isArray(value) && value.length === 0) return NONE;
    if (Array.isArray(value) && value.length <= LONGEST_LIST)
      return value.map((item, index) => read(item, `${key}[${index}]`, at, index)).filter((item) => item !== null);
    at.wrong(key, `must be a list (got ${shown(value)})`);
    return NONE;
  },
});

const TEXTS = list<string>((item, key, at) => {
  if (typeof item === "string") return item;
  at.wrong(key, `must be text (got ${shown(item)})`);
  return null;
});
export const texts = (): Field<readonly string[]> => TEXTS;
export const textsOrNull = (): Field<readonly string[] | null> => ({ ...TEXTS, missing: null });

export const section = <F extends Fields>(fields: F): Field<Of<F> | null> => ({
  missing: null,
  read: (value, key, at) => rowIn(value, key, at, (row, place) => readFields(fields, row, place)),
});

export const needed = <T>(field: Field<T>, words = "is missing"): Field<T> => ({ ...field, needed: words });

/** Reads an object within a document; null: it is none. */
export function rowIn<T>(
  value: unknown,
  key: string,
  at: FieldPath,
  read: (row: Row, place: FieldPath) => T,
): T | null {
  if (isRow(value)) return read(value, at.in(key));
  at.wrong(key, `must be an object (got ${shown(value)})`);
  return null;
}

/** A value in a message: short, and without anything that could disturb a terminal. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.replaceAll(/[^ -~]/g, "?").slice(0, 60);
}
