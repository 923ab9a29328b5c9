import { jobStateOf } from "../../core/job-state.ts";
import { jobIndex } from "../../core/names.ts";
import type { FoundJob, Ports } from "../../loop/ports.ts";
import type { Found, RunAround } from "../../store/port.ts";
import { jobsIn } from "../../submit-dir/jobs.ts";

/** More runs are not in an engine at once; more folders are not looked into for one question. */
const MOST_RUNS = 1000;
const MOST_LOOKS = 20_000;

/**
 * The job with this number of the engine's, "4711" or "4711.0", whether it runs, ended well or failed. An engine counts up, so only
 * the runs that were in it when the number was given are looked into: no scan of all, and nothing is kept for it.
 */
export async function findJobs(
  { store, spool }: Pick<Ports, "store" | "spool">,
  text: string,
): Promise<{ readonly jobs: readonly Found[]; readonly note: string | null }> {
  const number = Number(/^(\d{1,15})(?:\.\d{1,6})?$/.exec(text.trim())?.[1]);
  if (!Number.isFinite(number)) return { jobs: [], note: null };
  const budget = { looks: MOST_LOOKS };
  const runs = await store.desk.runsAround(number, MOST_RUNS);
  for (const run of runs) {
    const job = await spool.findJob(run.submitDir, number, run.since, budget);
    if (job) return { jobs: [await foundOf(spool, run, number, job)], note: null };
    if (budget.looks <= 0) break;
  }
  const isCut = budget.looks <= 0 || runs.length === MOST_RUNS;
  return { jobs: [], note: isCut ? `job ${number} may be in a run that was not searched: there are too many` : null };
}

async function foundOf(
  spool: Ports["spool"],
  { submitDir, requestName }: RunAround,
  number: number,
  job: FoundJob,
): Promise<Found> {
  const { folder, node } = job;
  const isJob = jobIndex(node) !== null;
  const manifest = isJob ? await spool.manifest(submitDir, node) : null;
  const called = isJob ? (jobsIn(manifest ?? "", node).get(node)?.name ?? node) : null;
  const name = called ?? (folder === node ? node : `${folder}/${node}`);
  return { kind: "node", name, requestName, text: `${stateText(job)} (job ${number} of ${requestName})` };
}

/** By its verdict; one without is still with the engine, or has ended and is being checked. */
function stateText({ state, verdict }: FoundJob): string {
  const isEnded = state === "ended";
  const shown = { held: state === "held", idle: state === "idle", retries: 0 };
  if (!verdict)
    return `${jobStateOf({ ...shown, state: isEnded ? "post" : "queued" })}${isEnded ? ", being checked" : ""}`;
  const where = verdict.site ? ` at ${verdict.site}` : "";
  return verdict.decision === "done" ? `done${where}` : `failed${where}: ${verdict.reason}`;
}
