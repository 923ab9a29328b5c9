import type { Each, GraphWork, JobTemplate } from "../../core/graph.ts";

/** A parameter's values, and how many jobs in a row share one: job n has values[⌊n / stride⌋ mod length]. */
export interface Column {
  readonly values: readonly string[];
  readonly stride: number;
}

/** How many jobs a template makes. A column of one value stands beside every row of the others. */
export function countRows(each: Each | null): number {
  if (each === null) return 1;
  const lengths = Object.values(each.columns).map(({ length }) => length);
  return each.how === "product" ? lengths.reduce((all, length) => all * length, 1) : Math.max(0, ...lengths);
}

const namesOf = ({ columns, order }: Each): readonly string[] => order ?? Object.keys(columns);

export const countJobs = ({ jobs }: Pick<GraphWork, "jobs">): number =>
  jobs.reduce((sum, { each }) => sum + countRows(each), 0);

/** What a template's texts may name: its own columns, and what has one value for the whole graph. The first of a product varies slowest. */
export function columnsOf({ each }: JobTemplate, { parameters }: Pick<GraphWork, "parameters">): Map<string, Column> {
  const columns = new Map<string, Column>();
  for (const [name, values] of Object.entries(parameters))
    if (values.length === 1) columns.set(name, { values, stride: 1 });
  let stride = each?.how === "product" ? countRows(each) : 1;
  for (const name of each ? namesOf(each) : []) {
    const values = each?.columns[name] ?? [];
    if (each?.how === "product") stride /= values.length;
    columns.set(name, { values, stride });
  }
  return columns;
}
