import { invariant, WorldError } from "../base/errors.ts";
import { stringify } from "../base/json.ts";
import type { Page } from "./port.ts";
import type { SqlParam } from "./sql.ts";

/**
 * A value as the text of a json column. PostgreSQL's jsonb refuses NUL and lone surrogates, which log tails and
 * foreign error messages may contain: they become U+FFFD. The test on the finished text keeps that search out
 * of the common path.
 */
export function json(value: unknown): string {
  const text = stringify(value);
  return /\\u0000|\\ud[89a-f]/i.test(text) ? stringify(cleaned(value)) : text;
}
export const jsonOrNull = (value: unknown): string | null =>
  value === null || value === undefined ? null : json(value);

function cleaned(value: unknown): unknown {
  if (typeof value === "string") return value.replace(/[\0\p{Surrogate}]/gu, "\uFFFD");
  if (Array.isArray(value)) return value.map(cleaned);
  if (value === null || typeof value !== "object" || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [cleaned(key), cleaned(item)]));
}

/** Collects parameters while a statement is put together: `$${n}` comes from where the value is. */
export class Params {
  readonly values: SqlParam[] = [];
  add(value: SqlParam): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

/** "a = $1, b = $2" for the fields of `change` that are given. The columns come from our own tables only. */
export function assignments<Change extends object>(
  change: Change,
  columns: { readonly [Key in keyof Change]?: readonly [column: string, encode: (value: never) => SqlParam] },
  params: Params,
): string[] {
  return Object.entries(change).flatMap(([key, value]) => {
    if (value === undefined) return [];
    const column = columns[key as keyof Change];
    invariant(column, `${key} cannot be changed in the store`);
    return [`${column[0]} = ${params.add(column[1](value as never))}`];
  });
}
export const same = <T extends SqlParam>(value: T): T => value;

/** Where a page ended: the time and key of its last row, opaque to the caller. */
export interface Place {
  readonly at: Date;
  readonly key: string;
}

export const encodeCursor = (...parts: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(parts)).toString("base64url");

export function decodeCursor(cursor: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    if (Array.isArray(parts) && parts.length === 2) return parts;
  } catch {
    // Not JSON: the same answer as for JSON that is no cursor.
  }
  throw badCursor();
}
const badCursor = (): WorldError =>
  new WorldError("bad-usage", "cursor", "the cursor is not one that a page of this list ended with");

export function decodePlace(cursor: string): Place {
  const [at, key] = decodeCursor(cursor);
  const date = new Date(String(at));
  if (typeof key !== "string" || Number.isNaN(date.getTime())) throw badCursor();
  return { at: date, key };
}

/** For lists in the order of their numbers, newest first. The list's name keeps cursors of others out. */
export const encodeNumberCursor = (list: string, id: bigint): string => encodeCursor(list, id.toString());

export function decodeNumberCursor(list: string, cursor: string): bigint {
  const [name, id] = decodeCursor(cursor);
  if (name !== list || typeof id !== "string" || !isRowNumber(id)) throw badCursor();
  return BigInt(id);
}
/** Of a bigint column, so that a question for any other text is answered without the database. */
export const isRowNumber = (text: string): boolean => /^[1-9]\d{0,17}$/.test(text);

/** Cuts the one row too many that was asked for to learn whether there is a next page. */
export function pageOf<Row, T>(
  rows: readonly Row[],
  limit: number,
  item: (row: Row) => T,
  cursor: (row: Row) => string,
): Page<T> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { items: shown.map(item), nextCursor: rows.length > limit && last ? cursor(last) : null };
}

export function* chunks<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}
/** Rows per bulk statement: short enough not to hold the event loop, long enough to make trips cheap. */
export const BULK_ROWS = 5_000;
