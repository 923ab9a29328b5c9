import { command } from "./command.ts";
import { metricsPage } from "./view/metrics-page.ts";

export const addMetrics = command("metrics", {
  about: "what the jobs of a request used, by step and round, against what they asked for, and why",
  arguments: { "<name>": "the request" },
  examples: ["wms2 metrics muons", "wms2 metrics muons --json | jq .steps"],
  async run({ client }, name: string) {
    const metrics = (await client.requests.show({ name })).workflow?.step_metrics ?? null;
    const isMeasured = metrics !== null && metrics.jobs_sampled > 0;
    return {
      json: metrics,
      page: (look) => (metrics ? metricsPage(metrics, look) : ""),
      ...(!isMeasured && { note: `no job of ${name} was measured yet: that comes when a run of it ends` }),
    };
  },
});
