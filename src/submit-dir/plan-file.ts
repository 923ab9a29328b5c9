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

/** What of it is read back; null: it does not say. */
export interface ReadPlan {
  readonly dag: string | null;
  /** The inner nodes of all units. */
  readonly nodes: number | null;
  /** What a job of a role asks for. */
  readonly resources: (role: string) => Pick<NodeResources, "cores" | "memoryMb" | "wallMinutes"> | null;
}

export function readPlanFile(text: string | null): ReadPlan {
  const json = parseJson(text ?? "");
  const read = ((json.ok && json.value) || {}) as Record<"dag" | "nodes", unknown> & { resources?: object };
  const all = (read.resources ?? {}) as Readonly<Record<string, Partial<NodeResources> | undefined>>;
  return {
    dag: typeof read.dag === "string" ? read.dag : null,
    nodes: Number.isSafeInteger(read.nodes) ? (read.nodes as number) : null,
    resources: (role) => {
      const { cores, memoryMb, wallMinutes } = all[role] ?? {};
      const isSaid = [cores, memoryMb, wallMinutes].every((value) => typeof value === "number");
      return isSaid ? ({ cores, memoryMb, wallMinutes } as NodeResources) : null;
    },
  };
}
