import type { Each, JobTemplate } from "../../../core/graph.ts";
import { formatValue } from "../placeholders.ts";
import { type Column, columnsOf, countRows } from "../rows.ts";

/** A text of Torc's has `{name}` and `{name:03d}` for the parameters it knows; every other brace is just a brace. */
const PLACEHOLDER = /\{([A-Za-z_]\w*)(?::([^{}]*))?\}/g;
const BRACES = /\{([A-Za-z_]\w*)(?::([^{}]*))?\}|[{}]/g;

export type Columns = ReadonlyMap<string, Column>;

/** What stands for one job, or for as many as its parameters make. */
export interface Rows {
  readonly columns: Columns;
  readonly count: number;
}
export const ONE_ROW: Rows = { columns: new Map(), count: 1 };

export const rowsOf = (each: Each | null): Rows =>
  each === null ? ONE_ROW : { columns: columnsOf({ each } as JobTemplate, { parameters: {} }), count: countRows(each) };

/** How many characters may come of filling in texts, for all rows of all of a document: more would hold up everybody. */
const MAX_FILLED = 300_000_000;

export class Room {
  #left: number;

  constructor(characters = MAX_FILLED) {
    this.#left = characters;
  }

  /** Whether there is room for a text in all rows, at worst. */
  has(text: string, { columns, count }: Rows): boolean {
    const longest = Math.max(0, ...[...columns.values()].map(({ values }) => longestOf(values)));
    this.#left -= count * text.length * (1 + longest / "{x}".length);
    return this.#left >= 0;
  }
}
export const TOO_MUCH = "would be too much when written out";

const longestOf = (values: readonly string[]): number => values.reduce((most, { length }) => Math.max(most, length), 0);

/** Their text with the values of a row put in. */
export function fill(text: string, { columns }: Rows, row: number): string {
  if (columns.size === 0 || !text.includes("{")) return text;
  let filled = "";
  for (const piece of piecesOf(text, columns)) {
    if (typeof piece === "string") filled += piece;
    else {
      const { column, format } = piece;
      const value = column.values[Math.floor(row / column.stride) % column.values.length]!;
      filled += format === "" ? value : formatValue(value, format)!;
    }
  }
  return filled;
}

type Piece = string | { readonly column: Column; readonly format: string };
const taken = new WeakMap<Columns, Map<string, readonly Piece[]>>();

/** A text is taken apart once, for all of its rows. */
function piecesOf(text: string, columns: Columns): readonly Piece[] {
  const known = taken.get(columns) ?? new Map<string, readonly Piece[]>();
  taken.set(columns, known);
  const pieces = known.get(text) ?? takeApart(text, columns);
  known.set(text, pieces);
  return pieces;
}

function takeApart(text: string, columns: Columns): readonly Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const { 0: all, 1: name, 2: format = "", index } of text.matchAll(PLACEHOLDER)) {
    const column = columns.get(name!);
    pieces.push(text.slice(at, index), column ? { column, format: fits(format, column) ? format : "" } : all);
    at = index + all.length;
  }
  return [...pieces, text.slice(at)];
}

/** All texts within a value. */
export function fillAll(value: unknown, rows: Rows, row: number): unknown {
  if (typeof value === "string") return fill(value, rows, row);
  if (Array.isArray(value)) return value.map((item) => fillAll(item, rows, row));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillAll(item, rows, row)]));
}

const fitting = new WeakMap<Column, Map<string, boolean>>();

/** A format that is not for all values of a parameter has no effect, as in Torc. */
function fits(format: string, column: Column): boolean {
  const known = fitting.get(column) ?? new Map<string, boolean>();
  fitting.set(column, known);
  const isFormat = /^(0?\d{0,2}d|0?\d{0,2}(\.\d{1,2})?f)?$/.test(format);
  const does = known.get(format) ?? (isFormat && column.values.every((value) => formatValue(value, format) !== null));
  known.set(format, does);
  return does;
}

/** Ours, which has parameters where theirs has, and two braces where theirs has one. */
export const ownText = (text: string, columns: Columns): string =>
  text.replaceAll(BRACES, (all, name?: string, format = "") => {
    const column = name === undefined ? undefined : columns.get(name);
    return column === undefined ? escaped(all) : fits(format, column) ? all : `{${name}}`;
  });

export const escaped = (text: string): string => text.replaceAll(/[{}]/g, "$&$&");

export const varies = (text: string, columns: Columns): boolean =>
  [...text.matchAll(PLACEHOLDER)].some(([, name]) => columns.has(name!));

/** `{words}` of a text that no parameter is called. */
export const unknownNames = (text: string, columns: Columns): readonly string[] =>
  [...text.matchAll(PLACEHOLDER)]
    .filter(({ index }) => text[index - 1] !== "$")
    .flatMap(([, name]) => (columns.has(name!) ? [] : name!));
