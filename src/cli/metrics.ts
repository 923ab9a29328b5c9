import { requests } from "../operations/requests.ts";
import { aRequest, command } from "./command.ts";
import { print } from "./terminal.ts";
import { metricsPage } from "./view/metrics-page.ts";

export const addMetrics = command("metrics", {
  about: "what the jobs of a request used, by step and round, against what they asked for, and why",
  arguments: { "<name>": aRequest("the request") },
  options: { "--svg": "a picture: memory and cores asked for and used, by round" },
  examples: ["wms2 metrics muons", "wms2 metrics muons --svg > muons.svg", "wms2 metrics muons --json | jq .steps"],
  async run({ client, options }, name: string) {
    const metrics = (await client.requests.show({ name })).workflow?.step_metrics ?? null;
    if (options.svg && metrics) {
      print(await client.text(requests.picture, { name }));
      return undefined;
    }
    const isMeasured = metrics !== null && metrics.jobs_sampled > 0;
    return {
      json: metrics,
      page: (look) => (metrics ? metricsPage(metrics, look) : ""),
      ...(!isMeasured && {
        note: `no step of ${name} was measured: jobs are, when a round of a process or generate request ends; see wms2 results ${name}`,
      }),
    };
  },
});
