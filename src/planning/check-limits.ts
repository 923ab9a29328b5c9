import { isName, isSiteName, type SiteName } from "../core/names.ts";
import type { NodeResources, UnitPlan } from "../core/plan.ts";
import { mostMemoryMb } from "../core/plan.ts";
import { allowsSite } from "../core/request.ts";
import type { Check, CheckContext, Report } from "./check.ts";
import { MAX_JOBS_PER_UNIT, MAX_NODES_PER_UNIT } from "./units.ts";

/** Sites, resources, sizes, and what DAGMan or a shell would choke on. */
export function checkLimits(context: CheckContext, report: Report): Check {
  const { plan, spec } = context;
  checkPlanItself(context, report);
  return {
    unit(unit) {
      checkSites(unit, context, report);
      checkResources(unit.name, unit.resources, context, report);
      for (const node of unit.nodes) {
        if (node.resources !== unit.resources) checkResources(node.name, node.resources, context, report);
      }
      checkSize(unit, context, report);
    },
    finish() {
      if (plan.requestName !== spec.name) report("request", `the plan is for ${plan.requestName}, not ${spec.name}`);
    },
  };
}

function checkPlanItself({ plan }: CheckContext, report: Report): void {
  const outputs = plan.outputs.map(({ name }) => name);
  for (const name of [plan.requestName, plan.dagId, ...plan.steps.map((step) => step.name), ...outputs])
    if (!isName(name)) report("name", `${JSON.stringify(name)} does not fit file names`);
  if (new Set(outputs).size !== outputs.length) report("output-name", "two outputs have the same name", { outputs });
  for (const [role, limit] of Object.entries(plan.throttles)) {
    // MAXJOBS 0 stalls for ever.
    if (!Number.isSafeInteger(limit) || limit < 1) report("throttle", `at most ${limit} ${role} at once`);
  }
  for (const [role, count] of Object.entries(plan.retries)) {
    if (!Number.isSafeInteger(count) || count < 0) report("retries", `${count} retries of ${role}`);
  }
  const { landing, processing } = plan.resources;
  const keys = Object.keys(processing) as (keyof NodeResources)[];
  if (keys.some((key) => landing[key] !== processing[key])) {
    report("landing", "landing does not ask for what processing does", { landing, processing });
  }
}

/** Whether anything of the request may run there. */
export function mayRunAt(site: SiteName, { spec: { sites }, usableSites }: CheckContext): boolean {
  return isSiteName(site) && allowsSite(sites, site) && (usableSites === null || usableSites.includes(site));
}

function checkSites(unit: UnitPlan, context: CheckContext, report: Report): void {
  const { spec, usableSites } = context;
  for (const site of unit.sites) {
    if (!mayRunAt(site, context)) report("site-not-allowed", `${unit.name} may run at ${site}, where it must not`);
  }
  if (unit.sites.length === 0 && (spec.sites.allow.length > 0 || usableSites !== null)) {
    report("site-not-allowed", `${unit.name} may run anywhere, the request may not`);
  }
  for (const node of unit.nodes) {
    for (const { lfn, sites } of node.inputs) {
      if (sites.length === 0 || spec.sites.trust) continue;
      if (unit.sites.length > 0 && unit.sites.every((site) => sites.includes(site))) continue;
      report("site-without-data", `${unit.name} may run where ${lfn} is not`, { at: unit.sites, sites });
    }
  }
}

function checkResources(
  name: string,
  resources: NodeResources,
  { plan, policy, spec, sizing }: CheckContext,
  report: Report,
): void {
  const { cores, memoryMb, diskMb, wallMinutes, gpus } = resources;
  const isAtLeast = (least: number) => (value: number) => Number.isSafeInteger(value) && value >= least;
  if (![cores, memoryMb, wallMinutes].every(isAtLeast(1)) || ![diskMb, gpus].every(isAtLeast(0)))
    report("resources", `${name} asks for what nobody can give`, { resources });
  // Jobs of a graph have sizes of their own.
  if (!plan.graph && (sizing ? cores > spec.resources.cores : cores !== spec.resources.cores))
    report("resources", `${name} asks for ${cores} cores`, { resources });
  const least = policy.leastMemoryPerCoreMb * cores;
  const most = Math.max(mostMemoryMb(policy, cores), least);
  if (memoryMb < least || memoryMb > most || wallMinutes > policy.maxWallMinutes) {
    report("resource-window", `${name} asks for ${memoryMb} MB and ${wallMinutes} minutes`, { resources });
  }
}

function checkSize(unit: UnitPlan, { spec }: CheckContext, report: Report): void {
  const jobs = unit.nodes.length;
  const { jobsPerUnit, targetMergedBytes } = spec.unit;
  const mostJobs = jobsPerUnit ?? MAX_JOBS_PER_UNIT;
  const isTooHeavy = jobsPerUnit === null && jobs > 1 && unit.expectedOutputBytes > targetMergedBytes;
  if (jobs < 1 || jobs > mostJobs || isTooHeavy)
    report("unit-size", `${unit.name} has ${jobs} jobs for ${unit.expectedOutputBytes} bytes`);
  if (jobs > MAX_NODES_PER_UNIT) report("dag-limit", `${unit.name} has ${jobs} nodes`);
}
