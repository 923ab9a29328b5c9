import type { DagPlan, UnitPlan } from "../domain/plan.ts";
import type { FullOptions } from "./options.ts";
import { bareName, classAdString } from "./quote.ts";

/** Control code of bin/post and bin/elect: no further attempt. */
const STOP_NODE = 42;
/** Control code: stop the whole DAG. Inside a sub-DAG it must end as 2: above that DAGMan is restarted for ever. */
const ABORT = 43;

const SCRIPT_ARGUMENTS = "$JOB $RETURN $RETRY $MAX_RETRIES $CLUSTERID";

/** landing → processing nodes → merge → cleanup. */
export function groupDag(unit: UnitPlan, plan: DagPlan, options: FullOptions): string {
  const { retries, throttles } = plan;
  const names = unit.nodes.map(({ name }) => bareName(name));
  const lines = [
    `# wms2 unit=${bareName(unit.name)} block=${unit.block}`,
    `NODE_STATUS_FILE group.dag.status ${options.statusIntervalSec}`,
    "JOB landing ../landing.sub",
    `SCRIPT POST landing ../bin/elect ${SCRIPT_ARGUMENTS}`,
    `RETRY landing ${retries.landing} UNLESS-EXIT ${STOP_NODE}`,
  ];
  for (const name of names) {
    lines.push(
      `JOB ${name} ../proc.sub`,
      `SCRIPT POST ${name} ../bin/post ${SCRIPT_ARGUMENTS}`,
      `RETRY ${name} ${retries.processing} UNLESS-EXIT ${STOP_NODE}`,
      `ABORT-DAG-ON ${name} ${ABORT} RETURN 2`,
      `CATEGORY ${name} processing`,
    );
  }
  for (const role of ["merge", "cleanup"] as const) {
    lines.push(
      `JOB ${role} ../${role}.sub`,
      `SCRIPT POST ${role} ../bin/post ${SCRIPT_ARGUMENTS}`,
      `RETRY ${role} ${retries[role]} UNLESS-EXIT ${STOP_NODE}`,
      `CATEGORY ${role} ${role}`,
    );
  }
  lines.push(
    `PARENT landing CHILD ${names.join(" ")}`,
    `PARENT ${names.join(" ")} CHILD merge`,
    "PARENT merge CHILD cleanup",
    `MAXJOBS processing ${throttles.processing}`,
    `MAXJOBS merge ${throttles.merge}`,
    `MAXJOBS cleanup ${throttles.cleanup}`,
  );
  return `${lines.join("\n")}\n`;
}

/**
 * What the submit files include at each submission: the unit's possible sites until bin/elect has chosen one, and
 * whatever single nodes need that the others do not. Must exist, may be empty.
 */
export function groupInc(unit: UnitPlan, plan: DagPlan): string {
  const lines: string[] = [];
  if (unit.sites.length > 0) lines.push(`My.DESIRED_Sites = ${siteList(unit.sites)}`);
  else if (plan.avoidSites.length > 0) lines.push(`My.BANNED_Sites = ${siteList(plan.avoidSites)}`);
  const usual = plan.resources.processing;
  for (const { name, resources } of unit.nodes) {
    if (resources.memoryMb !== usual.memoryMb) lines.push(`${name}_memory = ${resources.memoryMb}`);
    if (resources.wallMinutes !== usual.wallMinutes)
      lines.push(`${name}_wall_minutes = ${resources.wallMinutes}`);
  }
  return lines.map((line) => `${line}\n`).join("");
}

const siteList = (sites: readonly string[]): string => classAdString(sites.map(bareName).join(","));
