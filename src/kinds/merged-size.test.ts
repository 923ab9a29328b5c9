import { expect, test } from "vitest";
import { generateSpec, planRound, sampleFacts } from "../../tests/support/sample-facts.ts";
import { measuredFacts, sampleJobs } from "../../tests/support/sample-metrics.ts";
import { summariseJobs, withMerged } from "../planning/sizing/metrics.ts";

/** Jobs of 125 events (a quarter more than was measured), each of which wrote 100 kB; merged files are to have 80 MB. */
function plannedWith(mergedBytesOfTen: number | null) {
  const spec = generateSpec({
    adaptive: true,
    generation: { totalEvents: 20_000n, eventsPerLumi: 1 },
    unit: { jobsPerUnit: null, targetMergedBytes: 80e6, blockTargetBytes: 1e12, maxUnitsPerBlock: 100 },
  });
  const jobs = summariseJobs(sampleJobs(10, () => ({ outputBytes: 10e6, diskMb: 10 })));
  const metrics = mergedBytesOfTen === null ? jobs : withMerged(jobs, mergedBytesOfTen, 10 * 100);
  const outcome = planRound(measuredFacts(sampleFacts(spec, { round: 1 }), [], { metrics }));
  if (outcome.kind !== "planned") throw new Error(JSON.stringify(outcome));
  const [unit] = outcome.plan.units;
  return { jobs: unit!.nodes.length, diskMb: outcome.plan.resources.processing.diskMb };
}

test.each<[string, number | null, number]>([
  ["as large as what jobs wrote", 100e6, 6],
  ["half as large, for the merge packs them", 50e6, 12],
  ["nobody weighed them: what jobs wrote", null, 6],
])("as many jobs in a unit as fill the merged file: %s", (_story, mergedBytes, jobs) => {
  expect(plannedWith(mergedBytes)).toEqual({ jobs, diskMb: 1024 });
});
