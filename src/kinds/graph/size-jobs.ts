import { err, ok, type Result } from "../../core/base/result.ts";
import { eachInSlices } from "../../core/base/slices.ts";
import { plural } from "../../core/base/text.ts";
import type { GraphJob } from "../../core/graph.ts";
import type { NodeResources, PlanRefusal } from "../../core/plan.ts";
import type { PlanPolicy } from "../../planning/facts.ts";
import { sizeResources } from "../../planning/resources.ts";

export interface SizedJobs {
  readonly sizes: readonly NodeResources[];
  /** Of `sizes`. */
  sizeOf(job: GraphJob): number;
  readonly warnings: readonly string[];
}

/** What jobs ask for, within what the installation allows. All that ask for too much are told at once. */
export function* sizeJobs(
  jobs: Iterable<GraphJob>,
  policy: PlanPolicy,
): Generator<undefined, Result<SizedJobs, PlanRefusal>> {
  const asked = new Map<string, { readonly first: GraphJob; count: number }>();
  yield* eachInSlices(jobs, (job) => {
    const known = asked.get(keyOf(job.resources));
    if (known) known.count += 1;
    else asked.set(keyOf(job.resources), { first: job, count: 1 });
  });
  const sizes: NodeResources[] = [];
  const sizeOfAsked = new Map<string, number>();
  const [warnings, refusals]: [string[], { job: string; jobs: number; why: string }[]] = [[], []];
  for (const [key, { first, count }] of asked) {
    const sized = sizeResources({ ...first.resources, secondsPerEvent: null, kbPerEvent: null }, policy, null, 0);
    if (!sized.ok) {
      refusals.push({ job: first.name, jobs: count, why: sized.error.message });
      continue;
    }
    const size = sized.value.byRole.job;
    const at = sizes.findIndex((each) => keyOf(each) === keyOf(size));
    sizeOfAsked.set(key, at < 0 ? sizes.push(size) - 1 : at);
    warnings.push(...sized.value.warnings.map((words) => `${named(first.name, count)}: ${words}`));
  }
  if (refusals.length > 0) {
    const message = refusals.map(({ job, jobs, why }) => `${named(job, jobs)}: ${why}`).join("; ");
    return err({ code: "contradiction", message, evidence: { jobs: refusals.slice(0, 20) } });
  }
  return ok({ sizes, sizeOf: ({ resources }) => sizeOfAsked.get(keyOf(resources))!, warnings });
}

const keyOf = ({ cores, memoryMb, diskMb, wallMinutes, gpus }: NodeResources): string =>
  `${cores} ${memoryMb} ${diskMb} ${wallMinutes} ${gpus}`;
const named = (job: string, count: number): string =>
  count === 1 ? `job ${job}` : `job ${job} and ${plural(count - 1, "other")}`;
