import type { Figures } from "../core/metrics.ts";

/** step_profile.json, as the payload reads it. */
export function profileText({ round, jobsSampled, steps }: Figures): string {
  const told = Object.entries(steps).map(([name, step]) => [
    name,
    {
      cpu_efficiency: step.cpuEfficiency,
      rss_mb: step.rssMb,
      rss_mb_p90: step.rssMbP90,
      rss_mb_max: step.rssMbMax,
      wall_sec_per_event: step.wallSecPerEvent,
      wall_sec_per_event_p90: step.wallSecPerEventP90,
      threads: step.threads,
      source: step.source,
      samples: step.samples,
    },
  ]);
  return `${JSON.stringify({ round, jobs_sampled: jobsSampled, steps: Object.fromEntries(told) }, null, 2)}\n`;
}
