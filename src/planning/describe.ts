import type { NodeRole } from "../domain/dag.ts";
import type { DagPlan, NodeResources } from "../domain/plan.ts";

/** A plan for people: what a summary table shows. Plain data, taken in one walk. */
export interface PlanDescription {
  readonly request: string;
  readonly round: number;
  readonly units: number;
  readonly blocks: number;
  readonly nodes: number;
  readonly nodesByRole: Readonly<Record<NodeRole, number>>;
  readonly inputFiles: number;
  readonly events: bigint;
  /** How many units may run at each site; "anywhere" for those that are bound to none. */
  readonly unitsBySite: Readonly<Record<string, number>>;
  readonly jobsPerUnit: Spread;
  readonly eventsPerJob: Spread | null;
  /** 0: nobody knows. */
  readonly expectedBytes: number;
  readonly expectedBytesPerUnit: Spread;
  /** If every job took as long as it may: an upper bound. */
  readonly coreHours: number;
  readonly resources: Readonly<Record<NodeRole, NodeResources>>;
  readonly warnings: readonly string[];
}

export interface Spread {
  readonly least: number;
  readonly most: number;
}

export function describePlan(plan: DagPlan): PlanDescription {
  const { summary } = plan;
  const unitsBySite = new Map<string, number>();
  let jobsPerUnit: Spread | null = null;
  let eventsPerJob: Spread | null = null;
  let bytesPerUnit: Spread | null = null;
  for (const unit of plan.units) {
    const places: readonly string[] = unit.sites.length ? unit.sites : ["anywhere"];
    for (const site of places) unitsBySite.set(site, (unitsBySite.get(site) ?? 0) + 1);
    jobsPerUnit = widened(jobsPerUnit, unit.nodes.length);
    bytesPerUnit = widened(bytesPerUnit, unit.expectedOutputBytes);
    for (const node of unit.nodes) if (node.events !== null) eventsPerJob = widened(eventsPerJob, node.events);
  }
  const roles = Object.keys(summary.nodesByRole) as NodeRole[];
  const working = roles.filter((role) => role !== "landing");
  return {
    request: plan.requestName,
    round: plan.round,
    units: summary.units,
    blocks: summary.blocks.length,
    nodes: roles.reduce((sum, role) => sum + summary.nodesByRole[role], 0),
    nodesByRole: summary.nodesByRole,
    inputFiles: summary.inputFiles,
    events: summary.events,
    unitsBySite: Object.fromEntries([...unitsBySite].sort(([a], [b]) => (a < b ? -1 : 1))),
    jobsPerUnit: jobsPerUnit ?? { least: 0, most: 0 },
    eventsPerJob,
    expectedBytes: summary.blocks.reduce((sum, { expectedBytes }) => sum + expectedBytes, 0),
    expectedBytesPerUnit: bytesPerUnit ?? { least: 0, most: 0 },
    coreHours: working.reduce((sum, role) => {
      const { cores, wallMinutes } = plan.resources[role];
      return sum + (summary.nodesByRole[role] * cores * wallMinutes) / 60;
    }, 0),
    resources: plan.resources,
    warnings: summary.warnings,
  };
}

const widened = (spread: Spread | null, value: number): Spread =>
  spread === null
    ? { least: value, most: value }
    : { least: Math.min(spread.least, value), most: Math.max(spread.most, value) };
