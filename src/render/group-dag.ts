import type { DagPlan, UnitPlan } from "../domain/plan.ts";
import { bareName } from "../submit-dir/quote.ts";
import { type RenderOptions, statusInterval } from "./options.ts";

/** Control code of bin/pre, bin/post and bin/elect: no further attempt. */
const STOP_NODE = 42;
/** Control code: end the unit early. bin/unit turns it into an end of the whole run where that is meant. */
const ABORT = 43;
/** Control code: not yet, ask again. Only the script waits, it holds no place meanwhile. */
const DEFER = 44;

/** Control code of bin/pre: POST has found the node to be done, so it is not run again. */
const ALREADY_DONE = 45;

/** landing → processing nodes → merge → cleanup. */
export function groupDag(unit: UnitPlan, plan: DagPlan, options: RenderOptions): string {
  const { retries, throttles } = plan;
  const names = unit.nodes.map(({ name }) => bareName(name));
  const lines = [
    `# wms2 unit=${bareName(unit.name)} block=${unit.block}`,
    `NODE_STATUS_FILE group.dag.status ${statusInterval(names.length + 3, options)}`,
    ...nodeLines("landing", "../landing.sub", "elect", retries.landing, options),
  ];
  for (const name of names) {
    for (const line of nodeLines(name, "../proc.sub", "post", retries.processing, options)) lines.push(line);
    lines.push(`CATEGORY ${name} processing`);
  }
  for (const role of ["merge", "cleanup"] as const) {
    lines.push(...nodeLines(role, `../${role}.sub`, "post", retries[role], options), `CATEGORY ${role} ${role}`);
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

/** A node that failed cools off in its PRE; a POST that could not write what it found is called again. */
function nodeLines(
  name: string,
  file: string,
  judge: "post" | "elect",
  retries: number,
  { deferPollSec }: RenderOptions,
): string[] {
  const defer = `DEFER ${DEFER} ${deferPollSec}`;
  return [
    `JOB ${name} ${file}`,
    `SCRIPT ${defer} PRE ${name} ../bin/pre $JOB $RETRY`,
    `SCRIPT ${defer} POST ${name} ../bin/${judge} $JOB $RETURN $RETRY $MAX_RETRIES $CLUSTERID`,
    `PRE_SKIP ${name} ${ALREADY_DONE}`,
    `RETRY ${name} ${retries} UNLESS-EXIT ${STOP_NODE}`,
    `ABORT-DAG-ON ${name} ${ABORT} RETURN 1`,
  ];
}
