import type { DagPlan } from "../domain/plan.ts";
import { NODE_ROLES, reports } from "../domain/roles.ts";

interface Spread {
  readonly least: number;
  readonly most: number;
}

/** A plan for people: what a summary table shows. Plain data, taken in one walk. */
export function describePlan(plan: DagPlan) {
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
  const working = NODE_ROLES.filter(reports);
  return {
    ...summary,
    blocks: summary.blocks.length,
    /** How many units may run at each site; "anywhere" for those that are bound to none. */
    unitsBySite: Object.fromEntries([...unitsBySite].sort(([a], [b]) => (a < b ? -1 : 1))),
    jobsPerUnit: jobsPerUnit ?? { least: 0, most: 0 },
    eventsPerJob,
    expectedBytesPerUnit: bytesPerUnit ?? { least: 0, most: 0 },
    /** If every job took as long as it may: an upper bound. */
    coreHours: working.reduce((sum, role) => {
      const { cores, wallMinutes } = plan.resources[role];
      return sum + (summary.nodesByRole[role] * cores * wallMinutes) / 60;
    }, 0),
    resources: plan.resources,
  };
}

export type PlanDescription = Readonly<ReturnType<typeof describePlan>>;

const widened = (spread: Spread | null, value: number): Spread =>
  spread === null
    ? { least: value, most: value }
    : { least: Math.min(spread.least, value), most: Math.max(spread.most, value) };
