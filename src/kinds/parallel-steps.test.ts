import { expect, test } from "vitest";
import { generateSpec, planRound, sampleFacts } from "../../tests/support/sample-facts.ts";
import { measuredFacts, sampleJobs } from "../../tests/support/sample-metrics.ts";
import { parallelSteps } from "../core/parallel-steps.ts";
import type { OutputSpec, StepSpec } from "../core/request.ts";
import type { PlanFacts } from "../planning/facts.ts";
import { manifestText, readManifest, revisedManifest } from "../submit-dir/manifest.ts";

const select: StepSpec = { name: "select", argv: ["./select.sh"], env: {} };
const hits: OutputSpec = { name: "hits", file: "hits.csv", merge: { how: "concat" }, keep: true };

test.each<[string, Partial<StepSpec>, OutputSpec["merge"], boolean]>([
  ["a command", {}, hits.merge, false],
  ["one of which the request says so", { parallel: "by-events" }, hits.merge, true],
  ["whose outputs are merged by a command", { parallel: "by-events" }, { how: "command", argv: ["./m"] }, true],
  ["whose outputs are not merged", { parallel: "by-events" }, { how: "none" }, false],
  ["the simulator", { argv: ["wms2/simulate", "GEN"] }, hits.merge, true],
  ["cmsRun", { argv: ["wms2/cmsrun", "GEN"] }, hits.merge, true],
])("what may run in parts: %s", (_story, step, merge, may) => {
  const found = parallelSteps({ steps: [{ ...select, ...step }], outputs: [{ ...hits, merge }] });
  expect(found.has("select")).toBe(may);
});

const DIRS = { unmergedDir: "/u", mergedDir: "/m" };
function planned(facts: PlanFacts) {
  const outcome = planRound(facts);
  if (outcome.kind !== "planned") throw new Error(JSON.stringify(outcome));
  const text = manifestText([...outcome.plan.units][0]!, outcome.plan, DIRS);
  return { plan: outcome.plan, text, manifest: readManifest(text)! };
}
const spec = generateSpec({
  adaptive: true,
  steps: [
    { ...select, parallel: "by-events" },
    { ...select, name: "after" },
  ],
  outputs: [hits],
  resources: { ...generateSpec().resources, cores: 4, memoryMb: 8000 },
});

test("a step that left cores idle is told so in the manifest, with the reason; the plan warns", () => {
  const jobs = sampleJobs(10, () => ({ cpuSec: 100, threads: 4 }));
  const known = { parallelSteps: parallelSteps(spec) };
  const { plan, text, manifest } = planned(measuredFacts(sampleFacts(spec, { round: 1 }), jobs, known));
  const why = "1.0 of 4 threads were busy over 10 jobs, 1200 MB each";
  const { eventsPerLumi } = spec.work;
  expect(manifest.steps).toEqual([
    { name: "select", argv: ["./select.sh"], env: {}, instances: 4, threads: 1, why, eventsPerLumi },
    { name: "after", argv: ["./select.sh"], env: {} },
  ]);
  expect(plan.resources.processing).toMatchObject({ cores: 4, memoryMb: Math.max(4800, 4 * 2000) });
  expect(plan.summary.warnings).toContain(`select runs in 4 instances at once, of 1 threads each: ${why}`);
  expect(plan.requested.why).toMatchObject({ "step select": expect.stringContaining("4 instances") });

  // A corrected command keeps it, as long as the request says that it may.
  const fixed = { ...spec.steps[0]!, argv: ["./fixed.sh"] };
  expect(readManifest(revisedManifest(text, { ...spec, steps: [fixed] }))?.steps).toMatchObject([
    { argv: ["./fixed.sh"], instances: 4, threads: 1 },
  ]);
  const { parallel: _, ...whole } = fixed;
  const revised = readManifest(revisedManifest(text, { ...spec, steps: [whole] }));
  expect(revised?.steps).toEqual([{ name: "select", argv: ["./fixed.sh"], env: {} }]);
});

test("probes of the first round run with half the threads, in two instances where they may", () => {
  const { manifest } = planned(sampleFacts(spec, { policy: { probeJobs: 1 } }));
  expect(manifest.steps).toMatchObject([
    { name: "select", probeInstances: 2, probeThreads: 2 },
    { name: "after", probeInstances: 1, probeThreads: 2 },
  ]);
  const probes = Object.values(manifest.nodes).map(({ probe }) => probe);
  // With more than this it was killed as a probe, and is none any more.
  expect(probes).toEqual([0.9 * 4 * 3000, ...probes.slice(1).map(() => undefined)]);
});

test.each<[string, object, number, number]>([
  ["units of one job: enough of them to compare", { jobsPerUnit: null }, 8000, 2],
  ["a round that is one job", { jobsPerUnit: 1 }, 8000, 0],
  ["a round of two", { jobsPerUnit: 2 }, 8000, 1],
  ["jobs that ask for nearly the most there is", { jobsPerUnit: 4 }, 11_000, 0],
])("how many probes: %s", (_story, unit, memoryMb, count) => {
  const small = { ...spec.unit, targetMergedBytes: 1, ...unit };
  const resources = { ...spec.resources, memoryMb, kbPerEvent: 1 };
  const { plan } = planned(sampleFacts({ ...spec, unit: small, resources }, { policy: { probeJobs: 2 } }));
  const nodes = [...plan.units].flatMap((one) => one.nodes);
  expect(nodes.filter(({ isProbe }) => isProbe)).toHaveLength(count);
  expect(nodes).toHaveLength({ jobsPerUnit: null, ...unit }.jobsPerUnit ?? 10);
});
