import { parseJson, stringify } from "../core/base/json.ts";
import type { GraphPlan } from "../core/graph.ts";
import type { DagPlan, NodeResources } from "../core/plan.ts";

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
    resources: Object.fromEntries(plan.shape.steps.map(({ role }) => [role, plan.resources[role]])),
    outputs: plan.outputs.map(({ name, dataset, keep }) => ({ name, dataset, keep })),
    ...(plan.graph && { graph: graphNumbers(plan.graph) }),
    next: summary.next,
    warnings: summary.warnings,
  };
  return `${stringify(numbers, 2)}\n`;
}

const graphNumbers = ({ directory, sizes, groups, edges, softJobs }: GraphPlan) => ({
  directory,
  sizes,
  groups,
  edges: edges.length,
  barriers: edges.filter(({ barrier }) => barrier !== null).length,
  softJobs,
});

const ASKED = ["cores", "memoryMb", "wallMinutes"] as const;
export type NodeAsks = Pick<NodeResources, (typeof ASKED)[number]>;

/** Its DAG, how many nodes all units have, and what a job of a role asks for; null: it does not say. */
export function readPlanFile(text: string | null) {
  const json = parseJson(text ?? "");
  const read = ((json.ok && json.value) || {}) as Record<"dag" | "nodes", unknown> & {
    resources?: object;
    graph?: Pick<GraphPlan, "groups">;
  };
  const all = (read.resources ?? {}) as Readonly<Record<string, Partial<NodeResources> | undefined>>;
  return {
    dag: typeof read.dag === "string" ? read.dag : null,
    nodes: Number.isSafeInteger(read.nodes) ? (read.nodes as number) : null,
    /** Jobs of a graph of which only so many run at once. */
    groups: read.graph?.groups ?? [],
    resources: (role: string): NodeAsks | null => {
      const asked = all[role];
      return asked && ASKED.every((key) => typeof asked[key] === "number") ? (asked as NodeResources) : null;
    },
  };
}
