import type { StepMetricsView } from "./workflows.ts";

/** What a round asked for against what its jobs used; null: unknown. */
export interface RoundUse {
  readonly round: number;
  readonly askedMb: number | null;
  /** Of the hungriest step, in the middle and at most. */
  readonly usedMb: number | null;
  readonly mostMb: number | null;
  readonly askedCores: number | null;
  /** Steps weigh by their time. */
  readonly busyCores: number | null;
}

export const roundUse = ({ rounds }: StepMetricsView): readonly RoundUse[] =>
  rounds.map(({ round, requested, steps }) => {
    const all = Object.values(steps);
    let [seconds, busy] = [0, 0];
    for (const { cpu_efficiency, threads, wall_sec_per_event } of all) {
      if (cpu_efficiency === null || wall_sec_per_event === null) continue;
      seconds += wall_sec_per_event;
      busy += wall_sec_per_event * cpu_efficiency * threads;
    }
    return {
      round,
      askedMb: requested?.memory_mb ?? null,
      usedMb: largest(all.map(({ rss_mb }) => rss_mb)),
      mostMb: largest(all.map(({ rss_mb_max }) => rss_mb_max)),
      askedCores: requested?.cores ?? null,
      busyCores: seconds > 0 ? busy / seconds : null,
    };
  });

export const largest = (values: readonly (number | null)[]): number | null => {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.max(...known);
};
