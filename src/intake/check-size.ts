import type { ResourceSpec } from "../core/request.ts";
import type { IntakeRules } from "../core/submission.ts";
import type { Extent } from "../kinds/kind.ts";
import type { Notes } from "./reading/notes.ts";

/**
 * The size of the work as far as the document itself says, computed before anybody walks it: no more jobs than a
 * request (of one file: a round) may have, no job that writes more than may be asked for.
 */
export function checkSize(
  { events, eventsPerJob, of, path }: Extent,
  { kbPerEvent }: ResourceSpec,
  notes: Notes,
  { maxNodesPerRequest, maxNodesPerRound, maxDiskMb }: IntakeRules,
): void {
  if (eventsPerJob < 1) return;
  const [most, setting] =
    of === "a request"
      ? [maxNodesPerRequest, "planning.max_nodes_per_request"]
      : [maxNodesPerRound, "planning.max_nodes_per_round"];
  const perJob = BigInt(eventsPerJob);
  const jobs = ceilDivide(events, perJob);
  if (jobs > BigInt(most))
    notes.problem(
      path,
      `${events} events would be ${jobs} jobs of ${perJob}; ${of} makes at most ${most} (${setting})`,
      `at least ${ceilDivide(events, BigInt(most))} events per job, or fewer events`,
    );
  const biggest = events < perJob ? events : perJob;
  const diskMb = Math.ceil((Number(biggest) * (kbPerEvent ?? 0)) / 1000);
  if (diskMb > maxDiskMb)
    notes.problem(
      path,
      `a job of ${biggest} events would write ${diskMb} MB; at most ${maxDiskMb} MB may be asked for (planning.max_disk_mb)`,
      "fewer events per job",
    );
}

const ceilDivide = (amount: bigint, by: bigint): bigint => (amount + by - 1n) / by;
