import type { Problem } from "../domain/problem.ts";

/** Lines for people: `split.files_per_job: must be at least 1 (got 0)`. */
export function describeProblems(problems: readonly Problem[]): readonly string[] {
  return problems.map(({ path, message, allowed }) => {
    const place = path === "" ? "the document" : path;
    return allowed === null ? `${place}: ${message}` : `${place}: ${message}; allowed: ${allowed}`;
  });
}
