import { toEnd } from "../core/base/slices.ts";
import type { DagPlan } from "../core/plan.ts";
import { reports } from "../core/roles.ts";

interface Spread {
  readonly least: number;
  readonly most: number;
}

/** A plan for people: what a summary table shows. Plain data, taken in one walk. */
export const describePlan = (plan: DagPlan): PlanDescription => toEnd(describeInSlices(plan));

/** The same with a pause offered after every unit. */
export function* describeInSlices(plan: DagPlan) {
  const { summary } = plan;
  const unitsBySite = new Map<string, number>();
  let jobsPerUnit: Spread | null = null;
  let eventsPerJob: Spread | null = null;
  let bytesPerUnit: Spread | null = null;
  let jobHours = 0;
  for (const unit of plan.units) {
    if (plan.graph) jobHours += (unit.resources.cores * unit.resources.wallMinutes) / 60;
    const sites: readonly string[] = unit.sites.length ? unit.sites : ["anywhere"];
    for (const site of sites) unitsBySite.set(site, (unitsBySite.get(site) ?? 0) + 1);
    jobsPerUnit = widened(jobsPerUnit, unit.nodes.length);
    bytesPerUnit = widened(bytesPerUnit, unit.expectedOutputBytes);
    for (const node of unit.nodes) if (node.events !== null) eventsPerJob = widened(eventsPerJob, node.events);
    yield;
  }
  const roles = plan.shape.steps.map(({ role }) => role);
  return {
    ...summary,
    blocks: summary.blocks.length,
    /** How many units may run at each site; "anywhere" for those that are bound to none. */
    unitsBySite: Object.fromEntries([...unitsBySite].sort(([a], [b]) => (a < b ? -1 : 1))),
    jobsPerUnit: jobsPerUnit ?? { least: 0, most: 0 },
    eventsPerJob,
    expectedBytesPerUnit: bytesPerUnit ?? { least: 0, most: 0 },
    /** If every job took as long as it may: an upper bound. */
    coreHours: plan.graph ? jobHours : hoursByRole(plan),
    resources: Object.fromEntries(roles.map((role) => [role, plan.resources[role]])),
  };
}

const hoursByRole = ({ shape, resources, summary }: DagPlan): number =>
  shape.steps
    .map(({ role }) => role)
    .filter(reports)
    .reduce((sum, role) => {
      const { cores, wallMinutes } = resources[role];
      return sum + ((summary.nodesByRole[role] ?? 0) * cores * wallMinutes) / 60;
    }, 0);

type Described<G> = G extends Generator<unknown, infer T> ? T : never;
export type PlanDescription = Readonly<Described<ReturnType<typeof describeInSlices>>>;

const widened = (spread: Spread | null, value: number): Spread =>
  spread === null
    ? { least: value, most: value }
    : { least: Math.min(spread.least, value), most: Math.max(spread.most, value) };
