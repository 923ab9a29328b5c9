import type { DagPlan, UnitPlan } from "../domain/plan.ts";
import { type NodeRole, nodesOf, ROLES, throttledRoles } from "../domain/roles.ts";
import { CODES, ENDED_EARLY } from "../submit-dir/codes.ts";
import { besideDag, fromUnit, program, UNIT } from "../submit-dir/names.ts";
import { bareName } from "../submit-dir/quote.ts";
import { type RenderOptions, statusInterval } from "./options.ts";

/** The nodes of a unit, role by role, and what each waits for. */
export function groupDag(unit: UnitPlan, plan: DagPlan, options: RenderOptions): string {
  const { shape, retries, throttles } = plan;
  const planned = unit.nodes.map(({ name }) => bareName(name));
  const listed = (role: NodeRole) => nodesOf(shape, role, planned).join(" ");
  const count = shape.steps.reduce((sum, { role }) => sum + nodesOf(shape, role, planned).length, 0);
  const lines = [
    `# wms2 unit=${bareName(unit.name)} block=${unit.block}`,
    `NODE_STATUS_FILE ${besideDag(UNIT.dag, "status")} ${statusInterval(count, options)}`,
  ];
  for (const { role } of shape.steps) {
    const text = nodeLines(role, retries[role], options);
    for (const name of nodesOf(shape, role, planned)) lines.push(text(name));
  }
  for (const { role, after } of shape.steps)
    for (const before of after) lines.push(`PARENT ${listed(before)} CHILD ${listed(role)}`);
  for (const role of throttledRoles(shape)) lines.push(`MAXJOBS ${role} ${throttles[role]}`);
  return `${lines.join("\n")}\n`;
}

/** A node that failed cools off in its PRE; a POST that could not write what it found is called again. */
function nodeLines(role: NodeRole, retries: number, { deferPollSec }: RenderOptions): (name: string) => string {
  const { submitFile, post, throttle } = ROLES[role];
  const defer = `SCRIPT DEFER ${CODES.defer} ${deferPollSec}`;
  const [file, pre, check] = [submitFile, program("pre"), program(post)].map(fromUnit);
  return (name) => `JOB ${name} ${file}
${defer} PRE ${name} ${pre} $JOB $RETRY
${defer} POST ${name} ${check} $JOB $RETURN $RETRY $MAX_RETRIES $CLUSTERID
PRE_SKIP ${name} ${CODES.skip}
RETRY ${name} ${retries} UNLESS-EXIT ${CODES.stop}
ABORT-DAG-ON ${name} ${CODES.abort} RETURN ${ENDED_EARLY}${throttle === null ? "" : `\nCATEGORY ${name} ${role}`}`;
}
