import { parseJson, stringify } from "../base/json.ts";
import type { DagPlan, NodeResources } from "../domain/plan.ts";

/** plan.json: the plan in numbers. */
export function planText(plan: DagPlan): string {
  const { summary } = plan;
  const numbers = {
    version: 1,
    request: plan.requestName,
    dag: plan.dagId,
    round: plan.round,
    priority: plan.priority,
    nodes: summary.nodes,
    units: summary.units,
    blocks: summary.blocks.length,
    nodesByRole: summary.nodesByRole,
    inputFiles: summary.inputFiles,
    events: summary.events,
    expectedBytes: summary.expectedBytes,
    resources: plan.resources,
    outputs: plan.outputs.map(({ name, dataset, keep }) => ({ name, dataset, keep })),
    next: summary.next,
    warnings: summary.warnings,
  };
  return `${stringify(numbers, 2)}\n`;
}

const ASKED = ["cores", "memoryMb", "wallMinutes"] as const;

/** Its DAG, how many nodes all units have, and what a job of a role asks for; null: it does not say. */
export function readPlanFile(text: string | null) {
  const json = parseJson(text ?? "");
  const read = ((json.ok && json.value) || {}) as Record<"dag" | "nodes", unknown> & { resources?: object };
  const all = (read.resources ?? {}) as Readonly<Record<string, Partial<NodeResources> | undefined>>;
  return {
    dag: typeof read.dag === "string" ? read.dag : null,
    nodes: Number.isSafeInteger(read.nodes) ? (read.nodes as number) : null,
    resources: (role: string): Pick<NodeResources, (typeof ASKED)[number]> | null => {
      const asked = all[role];
      return asked && ASKED.every((key) => typeof asked[key] === "number") ? (asked as NodeResources) : null;
    },
  };
}
