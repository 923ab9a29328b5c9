import type { GraphWork, JobTemplate } from "../../core/graph.ts";
import { parsePattern } from "./placeholders.ts";
import { type Column, columnsOf, countRows } from "./rows.ts";

/** What a job, a text of it and a piece of such a text take besides their letters, in memory and in files. */
const JOB_BYTES = 300;
const TEXT_BYTES = 16;
const PIECE_BYTES = 32;
/** A value in the columns of a template, which are kept with the request. */
const VALUE_BYTES = 4;

/**
 * How large a graph is with every job written out, from every field of it: calculated from the document in the time it takes to
 * read it, whatever it would become. Texts count in each job, also where all have the same: each of them is written.
 */
export function writtenBytes(work: Pick<GraphWork, "jobs" | "parameters">): number {
  const sizes = new ColumnSizes();
  return work.jobs.reduce((sum, template) => sum + templateBytes(template, columnsOf(template, work), sizes), 0);
}

function templateBytes(template: JobTemplate, columns: ReadonlyMap<string, Column>, sizes: ColumnSizes): number {
  const { name, argv, env, after, reads, makes, each } = template;
  const words = [name, ...argv, ...after, ...reads, ...makes, ...Object.values(env)];
  const perJob =
    words.reduce((sum, text) => sum + textBytes(text, columns, sizes), 0) +
    Object.keys(env).reduce((sum, key) => sum + TEXT_BYTES + key.length, 0);
  const kept = Object.values(each?.columns ?? {}).reduce((sum, values) => sum + sizes.of(values).all, 0);
  return kept + countRows(each) * (JOB_BYTES + perJob);
}

/** In one job, on average: every value of a column stands in as many jobs as any other. */
function textBytes(text: string, columns: ReadonlyMap<string, Column>, sizes: ColumnSizes): number {
  const pattern = text.includes("{") ? parsePattern(text) : [];
  if ("why" in pattern || pattern.length === 0) return TEXT_BYTES + text.length;
  return pattern.reduce((sum, piece) => {
    if (typeof piece === "string") return sum + PIECE_BYTES + piece.length;
    const column = columns.get(piece.name);
    const value = column ? sizes.of(column.values) : { mean: 0, mostZeros: 0 };
    return sum + PIECE_BYTES + value.mean + (piece.format === "" ? 0 : formatBytes(piece.format) + value.mostZeros);
  }, TEXT_BYTES);
}

/** What a format may add to a value at most: its width and its places. */
const formatBytes = (format: string): number =>
  (format.match(/\d+/g) ?? ["6"]).reduce((sum, number) => sum + Number(number), 2);

interface ColumnSize {
  readonly all: number;
  readonly mean: number;
  /** That writing out an exponent adds: 1e99 has a hundred digits. */
  readonly mostZeros: number;
}

/** Of each list of values once, however many texts name it. */
class ColumnSizes {
  readonly #known = new Map<readonly string[], ColumnSize>();

  of(values: readonly string[]): ColumnSize {
    const known = this.#known.get(values) ?? measure(values);
    this.#known.set(values, known);
    return known;
  }
}

function measure(values: readonly string[]): ColumnSize {
  let [letters, mostZeros] = [0, 0];
  for (const value of values) {
    letters += value.length;
    if (value.length <= 90 && /\de/i.test(value)) mostZeros = 100;
  }
  return { all: letters + VALUE_BYTES * values.length, mean: letters / Math.max(1, values.length), mostZeros };
}
