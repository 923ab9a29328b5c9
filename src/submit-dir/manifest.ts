import { jsonValue } from "../base/json.ts";
import { outputPlace } from "../domain/output-names.ts";
import type { DagPlan, PlannedOutput, ProcessingNodePlan, UnitPlan } from "../domain/plan.ts";
import type { RenderOptions } from "../render/options.ts";

/**
 * What the jobs of a unit are to do. One JSON document with one line per node, so that a worker without a JSON parser
 * can pick its own line.
 */
export function manifest(unit: UnitPlan, plan: DagPlan, options: RenderOptions): string {
  const head = {
    version: 1,
    request: plan.requestName,
    dag: plan.dagId,
    round: plan.round,
    unit: unit.name,
    block: unit.block,
    sites: unit.sites,
    steps: plan.steps.map(({ name, argv, env }) => ({ name, argv, env })),
    outputs: plan.outputs.map((output) => outputEntry(output, unit, plan, options)),
    unmerged: `${options.unmergedDir}/${unit.name}`,
  };
  const lines = Object.entries(head).map(([key, value]) => `"${key}":${JSON.stringify(value)},`);
  const nodes = unit.nodes.map((node) => `${JSON.stringify(node.name)}:${JSON.stringify(nodeEntry(node))}`);
  return `{\n${lines.join("\n")}\n"nodes":{\n${nodes.join(",\n")}\n}\n}\n`;
}

function outputEntry(output: PlannedOutput, unit: UnitPlan, plan: DagPlan, options: RenderOptions) {
  const { name, file, merge, keep, dataset } = output;
  const { place, lfn } = outputPlace(plan.requestName, unit.name, output);
  return {
    name,
    file,
    merge: merge.how,
    mergeArgv: merge.how === "command" ? merge.argv : [],
    keep,
    dataset,
    lfn,
    path: `${options.mergedDir}/${place}`,
  };
}

function nodeEntry(node: ProcessingNodePlan) {
  return {
    inputs: node.inputs.map(({ lfn, path, events }) => ({ lfn, path, events })),
    firstEvent: number64(node.firstEvent),
    lastEvent: number64(node.lastEvent),
    firstLumi: number64(node.firstLumi),
    lastLumi: number64(node.lastLumi),
    runLumis: node.runLumis,
    events: node.events,
    seed: number64(node.seed),
  };
}

/** Not by base/json's stringify: that asks about every value, and this is written for every node. */
const number64 = (value: bigint | null): number | string | null => (value === null ? null : jsonValue(value));
