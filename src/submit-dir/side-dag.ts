import type { DagPlan } from "../core/plan.ts";
import { dagHeader } from "./dag-header.ts";
import { TOP } from "./names.ts";

/** What workflow.dag says of one job of a graph; edges are not among it: those before it are done. */
const OF_A_JOB = /^(?:JOB|PRE_SKIP|RETRY|ABORT-DAG-ON|PRIORITY|SCRIPT DEFER \d+ \d+ (?:PRE|POST)) (job_\d{6,}) .*$/;

/** The DAG of some jobs of a graph, to be run from a folder within the submit directory, beside the whole. */
export function sideDag(
  workflow: string,
  jobs: ReadonlySet<string>,
  named: Pick<DagPlan, "requestName" | "round" | "dagId">,
): string {
  const lines = [dagHeader(named).trimEnd(), `CONFIG ../${TOP.config}`];
  for (const [line] of workflow.matchAll(/^.+$/gm)) {
    if (line.startsWith("NODE_STATUS_FILE ")) lines.push(line);
    else if (jobs.has(OF_A_JOB.exec(line)?.[1] ?? "")) lines.push(line.replace(/^(JOB .* DIR )/, "$1../"));
  }
  return `${lines.join("\n")}\n`;
}

/** Jobs of which only so many may run at once, with the place of their group in the plan. Another DAGMan would not count them. */
export const limitedJobs = (workflow: string): ReadonlyMap<string, number> =>
  new Map([...workflow.matchAll(/^CATEGORY (job_\d{6,}) group_(\d+)$/gm)].map(([, job = "", at]) => [job, Number(at)]));
