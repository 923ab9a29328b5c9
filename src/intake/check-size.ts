import type { RequestSpec } from "../domain/request.ts";
import type { IntakeRules } from "../domain/submission.ts";
import type { Notes } from "../reading/notes.ts";

/**
 * The size of the work as far as the document itself tells it, reckoned before anybody walks it: no more jobs than a
 * request (of one file: a round) may have, no job that writes more than may be asked for.
 */
export function checkSize(
  { generation, input, split, resources }: RequestSpec,
  path: string,
  notes: Notes,
  rules: IntakeRules,
): void {
  const { maxNodesPerRequest, maxNodesPerRound, maxDiskMb } = rules;
  const fixed = input !== null && "events" in input && input.events.by === "fixed" ? input.events.perFile : null;
  const events = generation?.totalEvents ?? (fixed === null ? null : BigInt(fixed));
  if (events === null || split.algorithm !== "EventBased" || split.eventsPerJob < 1) return;
  const [most, what, setting] = generation
    ? [maxNodesPerRequest, "a request", "planning.max_nodes_per_request"]
    : [maxNodesPerRound, "a file", "planning.max_nodes_per_round"];
  const perJob = BigInt(split.eventsPerJob);
  const jobs = ceilDivide(events, perJob);
  if (jobs > BigInt(most))
    notes.problem(
      path,
      `${events} events would be ${jobs} jobs of ${perJob}; ${what} makes at most ${most} (${setting})`,
      `at least ${ceilDivide(events, BigInt(most))} events per job, or fewer events`,
    );
  const biggest = events < perJob ? events : perJob;
  const diskMb = Math.ceil((Number(biggest) * (resources.kbPerEvent ?? 0)) / 1000);
  if (diskMb > maxDiskMb)
    notes.problem(
      path,
      `a job of ${biggest} events would write ${diskMb} MB; at most ${maxDiskMb} MB may be asked for (planning.max_disk_mb)`,
      "fewer events per job",
    );
}

const ceilDivide = (amount: bigint, by: bigint): bigint => (amount + by - 1n) / by;
