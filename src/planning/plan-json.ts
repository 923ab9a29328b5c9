import { stringify } from "../core/base/json.ts";
import type { JobPlan } from "../core/graph.ts";
import type { DagPlan, NodeResources, ProcessingNodePlan, UnitPlan, UnplannedFile } from "../core/plan.ts";
import { describePlan } from "./describe.ts";

/**
 * A plan for programs, unit by unit: a million nodes are written, never gathered. The shape is stable and described
 * in docs/plan-json.md; numbers past 2^53 are strings.
 */
export function* planJson(plan: DagPlan, unplanned: readonly UnplannedFile[] = []): Generator<string> {
  const head = {
    version: 1,
    request_name: plan.requestName,
    round: plan.round,
    priority: plan.priority,
    summary: summaryView(plan),
    outputs: plan.outputs.map(({ name, dataset, file, merge: { how: merge }, keep }) => ({
      name,
      dataset,
      file,
      merge,
      keep,
    })),
    unplanned,
  };
  const lines = Object.entries(head).map(([key, value]) => `"${key}":${stringify(value)},\n`);
  yield `{\n${lines.join("")}"units":[`;
  let separator = "\n";
  for (const unit of plan.units) {
    yield `${separator}${stringify(unitView(unit))}`;
    separator = ",\n";
  }
  yield "\n]}\n";
}

function summaryView(plan: DagPlan) {
  const described = describePlan(plan);
  const resources = Object.entries(described.resources).map(([role, own]) => [role, resourcesView(own)]);
  return {
    units: described.units,
    blocks: plan.summary.blocks.map(({ index, dataset, units, expectedBytes }) => ({
      index,
      dataset,
      units,
      expected_bytes: expectedBytes,
    })),
    nodes: described.nodes,
    nodes_by_role: described.nodesByRole,
    input_files: described.inputFiles,
    events: described.events,
    units_by_site: described.unitsBySite,
    expected_bytes: described.expectedBytes,
    core_hours: described.coreHours,
    resources: Object.fromEntries(resources),
    warnings: described.warnings,
  };
}

const unitView = (unit: UnitPlan) => ({
  unit: unit.name,
  block: unit.block,
  sites: unit.sites,
  priority: unit.priority,
  expected_bytes: unit.expectedOutputBytes,
  nodes: unit.nodes.map((node) => nodeView(node, unit)),
});

const nodeView = (node: ProcessingNodePlan, unit: UnitPlan) => ({
  node: node.name,
  role: node.job ? "job" : "processing",
  ...(node.job && jobView(node.job)),
  files: node.inputs.map(({ lfn, events, sizeBytes }) => ({ lfn, events, size: sizeBytes })),
  first_event: node.firstEvent,
  last_event: node.lastEvent,
  first_lumi: node.firstLumi,
  last_lumi: node.lastLumi,
  runs: runsOf(node),
  lumis: node.runLumis,
  events: node.events,
  sites: unit.sites,
  resources: resourcesView(node.resources),
  seed: node.seed,
});

const jobView = ({ name, argv, env, reads, makes, when, retries }: JobPlan) => ({
  job: name,
  ...{ argv, env, reads, makes, when, retries },
});

const resourcesView = ({ cores, memoryMb, diskMb, wallMinutes, gpus }: NodeResources) => ({
  cores,
  memory_mb: memoryMb,
  disk_mb: diskMb,
  wall_minutes: wallMinutes,
  gpus,
});

function runsOf({ runLumis, inputs }: ProcessingNodePlan): number[] {
  const runs = runLumis
    ? Object.keys(runLumis).map(Number)
    : inputs.flatMap(({ lumis }) => lumis.map(({ run }) => run));
  return [...new Set(runs)].sort((a, b) => a - b);
}
