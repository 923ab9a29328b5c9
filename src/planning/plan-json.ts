import { stringify } from "../base/json.ts";
import type { DagPlan, ProcessingNodePlan, UnitPlan, UnplannedFile } from "../domain/plan.ts";
import { describePlan } from "./describe.ts";

/**
 * A plan for programs, as text in pieces: the description, then every unit with every node. The shape is stable;
 * numbers past 2^53 are strings.
 *
 *   { version, plan: PlanDescription, outputs: [{name, dataset, file, merge, keep}],
 *     unplanned: [{lfn, code, reason}],
 *     units: [{ name, block, sites, priority, expectedBytes,
 *       nodes: [{ name, role: "processing", files: [{lfn, events, size}], firstEvent, lastEvent, firstLumi, lastLumi,
 *                 runs, lumis: {run: [[first, last], …]} | null, events, sites, resources, seed }] }] }
 *
 * landing, merge and cleanup exist once per unit; their resources are in plan.resources.
 */
export function* planJson(plan: DagPlan, unplanned: readonly UnplannedFile[] = []): Generator<string> {
  const outputs = plan.outputs.map(({ name, dataset, file, merge, keep }) => ({
    name,
    dataset,
    file,
    merge: merge.how,
    keep,
  }));
  yield `{"version":1,\n"plan":${stringify(describePlan(plan))},\n"outputs":${stringify(outputs)},\n`;
  yield `"unplanned":${stringify(unplanned)},\n"units":[`;
  let separator = "\n";
  for (const unit of plan.units) {
    yield `${separator}${stringify(unitView(unit))}`;
    separator = ",\n";
  }
  yield "\n]}\n";
}

const unitView = (unit: UnitPlan) => ({
  name: unit.name,
  block: unit.block,
  sites: unit.sites,
  priority: unit.priority,
  expectedBytes: unit.expectedOutputBytes,
  nodes: unit.nodes.map((node) => nodeView(node, unit)),
});

const nodeView = (node: ProcessingNodePlan, unit: UnitPlan) => ({
  name: node.name,
  role: "processing",
  files: node.inputs.map(({ lfn, events, sizeBytes }) => ({ lfn, events, size: sizeBytes })),
  firstEvent: node.firstEvent,
  lastEvent: node.lastEvent,
  firstLumi: node.firstLumi,
  lastLumi: node.lastLumi,
  runs: runsOf(node),
  lumis: node.runLumis,
  events: node.events,
  sites: unit.sites,
  resources: node.resources,
  seed: node.seed,
});

function runsOf({ runLumis, inputs }: ProcessingNodePlan): number[] {
  const runs = runLumis
    ? Object.keys(runLumis).map(Number)
    : inputs.flatMap(({ lumis }) => lumis.map(({ run }) => run));
  return [...new Set(runs)].sort((a, b) => a - b);
}
