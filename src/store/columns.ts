import { invariant, WorldError } from "../core/base/errors.ts";
import { stringify } from "../core/base/json.ts";
import type { Page, PageWanted } from "./page.ts";
import type { Sql, SqlParam } from "./sql.ts";

/**
 * A value as the text of a json column. PostgreSQL's jsonb refuses NUL and lone surrogates, which log tails and
 * foreign error messages may contain: they become U+FFFD. The test on the finished text keeps that search out
 * of the common path.
 */
export function json(value: unknown): string {
  const text = stringify(value);
  return /\\u0000|\\ud[89a-f]/i.test(text) ? stringify(cleaned(value)) : text;
}
function cleaned(value: unknown): unknown {
  if (typeof value === "string") return value.replace(/[\0\p{Surrogate}]/gu, "\uFFFD");
  if (Array.isArray(value)) return value.map(cleaned);
  if (value === null || typeof value !== "object" || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [cleaned(key), cleaned(item)]));
}

const PIECE = 500;

/**
 * Conditions that all have to hold, and the parameters of the statement they are put into. "?" stands for a value; a
 * condition whose value is not given is left out.
 */
export class Where {
  readonly values: SqlParam[] = [];
  readonly #conditions: string[] = [];
  /** A parameter of the statement: its place, as SQL names it. */
  add(value: SqlParam): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
  and(condition: string, ...values: readonly (SqlParam | undefined)[]): this {
    if (values.includes(undefined)) return this;
    const given = values.values();
    this.#conditions.push(condition.replaceAll("?", () => this.add(given.next().value as SqlParam)));
    return this;
  }
  toString(): string {
    return this.#conditions.length > 0 ? `WHERE ${this.#conditions.join(" AND ")}` : "";
  }
}

/**
 * A table as records. Fields are the columns in camelCase; "id::text" is read as text, "block_index=block" goes by
 * another name. What is made of parts is kept as JSON. Names come from our own source only, never from outside.
 */
export class Table<Row extends object> {
  readonly name: string;
  /** Its columns, for INSERT. */
  readonly columns: string;
  /** For SELECT and RETURNING. Where a column is read as text, ORDER BY has to name the table too. */
  readonly fields: string;
  readonly keys: readonly string[];
  readonly #columnOf: ReadonlyMap<string, string>;

  constructor(name: string, columns: string) {
    const parsed = [...columns.matchAll(/(\w+)(::\w+)?(?:=(\w+))?/g)].map(([, column = "", cast = "", field]) => {
      const camelCase = column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
      return { column, cast, field: field ?? camelCase };
    });
    this.name = name;
    this.columns = parsed.map(({ column }) => column).join(", ");
    this.fields = parsed.map(({ column, cast, field }) => `${name}.${column}${cast} AS "${field}"`).join(", ");
    this.keys = parsed.map(({ field }) => field);
    this.#columnOf = new Map(parsed.map(({ column, field }) => [field, column]));
  }

  /** The rows that `rest` (WHERE, ORDER BY, LIMIT) chooses. */
  select(sql: Sql, rest: string, params: readonly SqlParam[] = []): Promise<readonly Row[]> {
    return sql.query<Row>(`SELECT ${this.fields} FROM ${this.name} ${rest}`, params);
  }

  /** In pieces: one statement for thousands of rows would keep everybody else waiting, where the database has one session. */
  async selectAmong(sql: Sql, column: string, values: readonly string[]): Promise<readonly Row[]> {
    const rows: Row[] = [];
    for (let at = 0; at < values.length; at += PIECE)
      rows.push(...(await this.select(sql, `WHERE ${column} = ANY($1::text[])`, [values.slice(at, at + PIECE)])));
    return rows;
  }

  async find(sql: Sql, rest: string, params: readonly SqlParam[]): Promise<Row | null> {
    return (await this.select(sql, rest, params))[0] ?? null;
  }

  /** Records as the JSON that `given` reads: the database knows the types of its own columns. */
  json(records: readonly Partial<Row>[]): string {
    const named = (record: Partial<Row>) =>
      Object.entries(record).map(([field, value]) => [this.#columnOf.get(field) ?? field, value]);
    return json(records.map((record) => Object.fromEntries(named(record))));
  }
  given(param: string): string {
    return `json_populate_recordset(NULL::${this.name}, ${param}::json)`;
  }

  async insert(sql: Sql, record: Row): Promise<void> {
    const { name, columns } = this;
    const text = `INSERT INTO ${name} (${columns}) SELECT ${columns} FROM ${this.given("$1")}`;
    await sql.query(text, [this.json([record])]);
  }

  /** Changes the given fields, and what `more` sets, of the rows that `where` chooses; answers how many those were. */
  async update(sql: Sql, change: Partial<Row>, where: Where, more: readonly string[] = []): Promise<number> {
    const sets = [...this.sets(change, where), ...more];
    if (sets.length === 0) return 0;
    return (await sql.query(`UPDATE ${this.name} SET ${sets.join(", ")} ${where} RETURNING 1`, where.values)).length;
  }

  /** "a = $1, b = $2" for the fields of `change` that are given. */
  sets(change: Partial<Row>, params: Where): string[] {
    return Object.entries(change).flatMap(([field, value]) => {
      if (value === undefined) return [];
      const column = this.#columnOf.get(field);
      invariant(column, `${field} cannot be changed in ${this.name}`);
      const isPlain = value === null || typeof value !== "object" || value instanceof Date;
      return [`${column} = ${params.add(isPlain ? (value as SqlParam) : json(value))}`];
    });
  }
}

/** How many rows there are of each value of a column. */
export async function countBy(
  sql: Sql,
  table: string,
  column: string,
  where = new Where(),
): Promise<Readonly<Record<string, number>>> {
  const rows = await sql.query<{ value: string; count: number }>(
    `SELECT ${column} AS value, count(*)::int AS count FROM ${table} ${where} GROUP BY ${column}`,
    where.values,
  );
  return Object.fromEntries(rows.map(({ value, count }) => [value, count]));
}

type Read<Row> = (rest: string, params: readonly SqlParam[]) => Promise<readonly Row[]>;

/** A page in the order of time, newest first; `key` decides the order of what came at the same moment. */
export async function pageByTime<Row extends { readonly createdAt: Date }>(
  read: Read<Row>,
  where: Where,
  { limit, cursor }: PageWanted,
  key: { readonly column: string; readonly of: (row: Row) => string },
): Promise<Page<Row>> {
  if (cursor !== undefined) {
    const [at, last] = decodeCursor(cursor);
    const date = new Date(String(at));
    if (typeof last !== "string" || Number.isNaN(date.getTime())) throw badCursor();
    where.and(`(created_at, ${key.column}) < (?::timestamptz, ?::text)`, date, last);
  }
  const order = `ORDER BY created_at DESC, ${key.column} DESC LIMIT ${where.add(limit + 1)}`;
  const rows = await read(`${where} ${order}`, where.values);
  return pageOf(rows, limit, (row) => encodeCursor(row.createdAt.toISOString(), key.of(row)));
}

/** A page in the order of the rows' numbers, newest first. The table's name keeps cursors of other lists out. */
export async function pageByNumber<Row extends { readonly id: string }>(
  sql: Sql,
  table: Table<Row>,
  where: Where,
  { limit, cursor }: PageWanted,
): Promise<Page<Row>> {
  const { name } = table;
  if (cursor !== undefined) {
    const [list, id] = decodeCursor(cursor);
    if (list !== name || typeof id !== "string" || !isRowNumber(id)) throw badCursor();
    where.and(`${name}.id < ?::bigint`, id);
  }
  const order = `ORDER BY ${name}.id DESC LIMIT ${where.add(limit + 1)}`;
  return pageOf(await table.select(sql, `${where} ${order}`, where.values), limit, ({ id }) => encodeCursor(name, id));
}

/** Cuts the one row too many that was asked for to learn whether there is a next page. */
export function pageOf<Row>(rows: readonly Row[], limit: number, cursor: (row: Row) => string): Page<Row> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last ? cursor(last) : null };
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

/** Of a bigint column, so that a question for any other text is answered without the database. */
export const isRowNumber = (text: string): boolean => /^[1-9]\d{0,17}$/.test(text);

export function* chunks<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}
/** Rows per bulk statement: short enough not to hold the event loop, long enough to make trips cheap. */
export const BULK_ROWS = 5_000;
