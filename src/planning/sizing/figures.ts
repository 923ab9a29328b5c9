import type {
  Figures,
  Metrics,
  RequestedSizes,
  RoundFigures,
  StepFigures,
  WorkflowMetrics,
} from "../../core/metrics.ts";
import { bestMemory, joinMetrics, larger } from "./metrics.ts";
import { median, p90 } from "./sample.ts";

/** Finished units of a round, or what is known of them together. */
interface MeasuredRound {
  readonly round: number;
  readonly metrics: Metrics;
}

/** What the ledgers of a round say of jobs that were killed for their memory, whether or not they came to their end since. */
interface KilledInRound {
  readonly round: number;
  readonly atMb: number | null;
  readonly jobs: number;
}

/**
 * What is told of a workflow after a run of it has ended: each round from its units, and all together. What rounds
 * asked for stays.
 */
export function tellRounds(
  before: WorkflowMetrics | null,
  measured: readonly MeasuredRound[],
  killed: KilledInRound | null = null,
): WorkflowMetrics {
  const numbers = new Set([...(before?.rounds ?? []), ...measured].map(({ round }) => round));
  if (killed?.atMb) numbers.add(killed.round);
  const rounds = [...numbers]
    .sort((a, b) => a - b)
    .map((round): RoundFigures => {
      const known = before?.rounds.find((one) => one.round === round);
      const metrics = joinMetrics(measured.filter((one) => one.round === round).map((one) => one.metrics));
      const seen = larger(metrics?.killedAtMb ?? null, known?.killedAtMb ?? null);
      const isNow = killed?.round === round;
      const killedJobs = isNow ? killed.jobs : (metrics?.killedJobs ?? known?.killedJobs);
      return {
        ...figuresOf(round, metrics),
        requested: known?.requested ?? null,
        killedAtMb: isNow ? larger(seen, killed.atMb) : seen,
        ...(killedJobs !== undefined && { killedJobs }),
      };
    });
  return together(rounds, measured);
}

/** A round was planned: what its jobs ask for, and why. */
export function tellRequested(
  before: WorkflowMetrics | null,
  round: number,
  requested: RequestedSizes,
): WorkflowMetrics {
  const others = (before?.rounds ?? []).filter((one) => one.round !== round);
  const fresh = { ...figuresOf(round, null), requested, killedAtMb: null };
  const rounds = [...others, fresh].sort((a, b) => a.round - b.round);
  return before ? { ...before, rounds } : { ...figuresOf(round, null), rounds };
}

function together(rounds: readonly RoundFigures[], measured: readonly MeasuredRound[]): WorkflowMetrics {
  const last = rounds.findLast(({ jobsSampled }) => jobsSampled > 0) ?? rounds.at(-1);
  return { ...figuresOf(last?.round ?? 0, joinMetrics(measured.map(({ metrics }) => metrics))), rounds };
}

/** As people are told. */
export function figuresOf(round: number, metrics: Metrics | null): Figures {
  const steps = Object.entries(metrics?.steps ?? {}).map(([name, step]): [string, StepFigures] => {
    const best = bestMemory(step);
    const { cpuEfficiency, wallSecPerEvent, threads, jobs } = step;
    return [
      name,
      {
        cpuEfficiency: cpuEfficiency && rounded(median(cpuEfficiency)),
        rssMb: best && Math.round(median(best.sample)),
        rssMbP90: best && Math.round(p90(best.sample)),
        rssMbMax: best && Math.round(best.sample.max),
        wallSecPerEvent: wallSecPerEvent && rounded(median(wallSecPerEvent)),
        wallSecPerEventP90: wallSecPerEvent && rounded(p90(wallSecPerEvent)),
        threads,
        source: best?.source ?? null,
        samples: jobs,
      },
    ];
  });
  return { round, jobsSampled: metrics?.jobs ?? 0, steps: Object.fromEntries(steps) };
}

const rounded = (value: number): number => Number(value.toPrecision(4));
