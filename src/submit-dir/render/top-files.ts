import type { DagPlan } from "../../core/plan.ts";
import { CODES, ENDED_EARLY } from "../codes.ts";
import { dagHeader } from "../dag-header.ts";
import { besideDag, fromUnit, program, TOP, UNIT } from "../names.ts";
import { bareName } from "../quote.ts";
import { type RenderOptions, statusInterval } from "./options.ts";

const CHUNK_CHARACTERS = 65_536;

/**
 * One SUBDAG node per unit. DIR makes a sub-DAG and its script run in its own directory; without it, they would run in
 * ours. A unit whose DAG failed is tried again, and its PRE then says what that means; the DAG runs only once.
 */
export function* workflowDag(plan: DagPlan, options: RenderOptions): Generator<string> {
  let chunk = dagHeader(plan);
  chunk += `CONFIG ${TOP.config}\nNODE_STATUS_FILE ${besideDag(TOP.dag, "status")} ${statusInterval(plan.summary.units, options)}\n`;
  for (const unit of plan.units) {
    const name = bareName(unit.name);
    chunk += `SUBDAG EXTERNAL ${name} ${UNIT.dag} DIR ${name}\nCATEGORY ${name} units\nPRIORITY ${name} ${unit.priority}\nSCRIPT PRE ${name} ${fromUnit(program("unit"))} $RETRY\nPRE_SKIP ${name} ${CODES.skip}\nRETRY ${name} 1\nABORT-DAG-ON ${name} ${CODES.abort} RETURN ${ENDED_EARLY}\n`;
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = "";
  }
  yield `${chunk}MAXJOBS units ${plan.throttles.units}\n`;
}

/** Reaches the sub-DAGs too. The limit of idle jobs is not here: condor_submit_dag's own option always wins. */
export function dagmanConfig({ scanIntervalSec, maxJobsSubmitted, lostJobSec }: RenderOptions): string {
  const settings = {
    DAGMAN_USER_LOG_SCAN_INTERVAL: scanIntervalSec,
    DAGMAN_MAX_SUBMITS_PER_INTERVAL: 250,
    DAGMAN_MAX_JOBS_SUBMITTED: maxJobsSubmitted,
    DAGMAN_MAX_POST_SCRIPTS: 10,
    // Nothing else is submitted meanwhile (0, 1, 3 s); the default of six blocks the line for half a minute. POST decides.
    DAGMAN_MAX_SUBMIT_ATTEMPTS: 3,
    // The default is 100 holds of one job; after three DAGMan removes it, and POST decides.
    DAGMAN_MAX_JOB_HOLDS: 3,
    // A schedd that was killed may begin a job anew whose end it had written down already: by default (114) DAGMan ends itself
    // when it reads that, at once and at each try. Its node has ended; the second end is passed over.
    DAGMAN_ALLOW_EVENTS: 118,
    // The end of a job may never be heard of (a disk that was full): the default waits 8 hours for it. A DAGMan whose job
    // is in no queue leaves a rescue file and ends. It looks only when it reports what it waits for (23.9.6).
    DAGMAN_CHECK_QUEUE_INTERVAL: lostJobSec,
    DAGMAN_PENDING_REPORT_INTERVAL: lostJobSec,
  };
  return Object.entries(settings)
    .map(([key, value]) => `${key} = ${value}\n`)
    .join("");
}
