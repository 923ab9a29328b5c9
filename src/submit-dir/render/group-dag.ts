import type { DagPlan, UnitPlan } from "../../core/plan.ts";
import { type NodeRole, nodesOf, ROLES, throttledRoles } from "../../core/roles.ts";
import { CODES, ENDED_EARLY } from "../codes.ts";
import { besideDag, fromUnit, program, UNIT } from "../names.ts";
import { bareName } from "../quote.ts";
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
  for (const { role, after } of shape.steps) {
    const text = nodeLines(role, preWords(role, after, retries), retries[role], options);
    for (const name of nodesOf(shape, role, planned)) lines.push(text(name));
  }
  for (const { role, after } of shape.steps)
    for (const before of after) lines.push(`PARENT ${listed(before)} CHILD ${listed(role)}`);
  for (const role of throttledRoles(shape)) lines.push(`MAXJOBS ${role} ${throttles[role]}`);
  return `${lines.join("\n")}\n`;
}

/** What runs before each try: the role without POST looks for itself what became of the last one, those after it where it ran. */
function preWords(role: NodeRole, after: readonly NodeRole[], retries: DagPlan["retries"]): string {
  const unchecked = after.find((before) => !ROLES[before].hasPost);
  if (!ROLES[role].hasPost) return `${fromUnit(program("elect"))} $JOB $RETRY $MAX_RETRIES`;
  return `${fromUnit(program("pre"))} $JOB $RETRY${unchecked ? ` landed ${retries[unchecked]}` : ""}`;
}

/** A node that failed cools off in its PRE; a POST that could not write what it found is called again. */
function nodeLines(
  role: NodeRole,
  pre: string,
  retries: number,
  { deferPollSec }: RenderOptions,
): (name: string) => string {
  const { submitFile, hasPost, throttle } = ROLES[role];
  const defer = `SCRIPT DEFER ${CODES.defer} ${deferPollSec}`;
  const check = `${fromUnit(program("post"))} $JOB $RETURN $RETRY $MAX_RETRIES $CLUSTERID`;
  return (name) => `JOB ${name} ${fromUnit(submitFile)}
${defer} PRE ${name} ${pre}${hasPost ? `\n${defer} POST ${name} ${check}` : ""}
PRE_SKIP ${name} ${CODES.skip}
RETRY ${name} ${retries} UNLESS-EXIT ${CODES.stop}
ABORT-DAG-ON ${name} ${CODES.abort} RETURN ${ENDED_EARLY}${throttle === null ? "" : `\nCATEGORY ${name} ${role}`}`;
}
