import { KINDS } from "../../kinds/table.ts";

/** What people call a unit of such a request: its kind says so. */
export const unitWord = (kind: string): string => KINDS.get(kind)?.unitWord ?? "unit";

/** "20/48 units", "5/6 jobs". */
export const unitsOf = (kind: string, done: number, total: number): string => `${done}/${total} ${unitWord(kind)}s`;

/** The same, and how many jobs that are, unless each unit is one. */
export const unitsAndJobs = (
  kind: string,
  units: { readonly done: number; readonly total: number },
  jobs: { readonly done: number; readonly total: number },
): readonly string[] => {
  const own = unitsOf(kind, units.done, units.total);
  return unitWord(kind) === "job" ? [own] : [own, `${jobs.done}/${jobs.total} jobs`];
};
