import type { Problem } from "../domain/problem.ts";

/**
 * Hand-written reading of data from outside: every wrong field becomes a problem with its place, and nothing is
 * thrown. A schema library would do, but POST loads this on the submit host and must start in no time.
 */
export type Row = Readonly<Record<string, unknown>>;

export const isRow = (value: unknown): value is Row =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const LONGEST_TEXT = 1_000_000;
const LONGEST_LIST = 100_000;

export class Fields {
  readonly row: Row;
  readonly path: string;
  readonly problems: Problem[];

  constructor(row: Row, path: string, problems: Problem[]) {
    this.row = row;
    this.path = path;
    this.problems = problems;
  }

  place(key: string): string {
    return this.path === "" || key === "" ? `${this.path}${key}` : `${this.path}.${key}`;
  }

  has(key: string): boolean {
    return Object.hasOwn(this.row, key) && this.row[key] !== undefined && this.row[key] !== null;
  }

  wrong(key: string, message: string, allowed: string | null = null): void {
    this.problems.push({ path: this.place(key), message, allowed });
  }

  number<T>(key: string, { min, max, whole }: Bounds, missing: T): number | T {
    if (!this.has(key)) return missing;
    const value = this.row[key];
    const fits = typeof value === "number" && Number.isFinite(value) && value >= min && value <= max;
    if (fits && (!whole || Number.isInteger(value))) return value as number;
    this.wrong(key, `must be a ${whole ? "whole " : ""}number from ${min} to ${max} (got ${shown(value)})`);
    return missing;
  }

  text<T>(key: string, missing: T, longest = LONGEST_TEXT): string | T {
    if (!this.has(key)) return missing;
    const value = this.row[key];
    if (typeof value === "string" && value.length <= longest) return value;
    this.wrong(key, `must be text of at most ${longest} characters (got ${shown(value)})`);
    return missing;
  }

  flag(key: string, missing: boolean): boolean {
    if (!this.has(key)) return missing;
    const value = this.row[key];
    if (typeof value === "boolean") return value;
    this.wrong(key, `must be true or false (got ${shown(value)})`);
    return missing;
  }

  choice<T extends string, M>(key: string, choices: readonly T[], missing: M): T | M {
    if (!this.has(key)) return missing;
    const value = this.row[key];
    if (typeof value === "string" && (choices as readonly string[]).includes(value)) return value as T;
    this.wrong(key, `${shown(value)} is not known here`, choices.join(", "));
    return missing;
  }

  list(key: string): readonly unknown[] {
    if (!this.has(key)) return [];
    const value = this.row[key];
    if (Array.isArray(value) && value.length <= LONGEST_LIST) return value;
    this.wrong(key, `must be a list (got ${shown(value)})`);
    return [];
  }

  texts(key: string): readonly string[] {
    return this.list(key).filter((item, at): item is string => {
      if (typeof item === "string") return true;
      this.wrong(`${key}[${at}]`, `must be text (got ${shown(item)})`);
      return false;
    });
  }

  section(key: string): Fields | null {
    if (!this.has(key)) return null;
    const value = this.row[key];
    if (isRow(value)) return new Fields(value, this.place(key), this.problems);
    this.wrong(key, `must be an object (got ${shown(value)})`);
    return null;
  }

  /** For documents people write: a key nobody knows is a typing mistake. */
  refuseOthers(known: readonly string[]): void {
    for (const key of Object.keys(this.row))
      if (!known.includes(key)) this.wrong(key, "is not known here", known.join(", "));
  }
}

export interface Bounds {
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

/** A value in a message: short, and without anything that could disturb a terminal. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.replaceAll(/[^ -~]/g, "?").slice(0, 60);
}
