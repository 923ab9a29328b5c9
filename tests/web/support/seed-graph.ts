import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { ServerUnderTest } from "../../support/server.ts";

/** A small graph: one of its jobs fails, and whoever waits for it cannot run. */
export async function seedGraph(server: ServerUnderTest, dir: string): Promise<void> {
  const directory = join(dir, "alignment-graph");
  mkdirSync(directory, { recursive: true });
  const job = (name: string, after: readonly string[], script = "true") => ({
    name,
    ...(after.length > 0 && { after }),
    run: ["sh", "-c", script],
  });
  await server.submit({
    name: "alignment-graph",
    kind: "graph",
    requestor: "kim",
    directory,
    resources: { cores: 1, memory: "50 MB", time: "5 min" },
    retries: { job: 0 },
    recovery: { max_rescues: 0 },
    jobs: [
      job("geometry", []),
      job("pixel", ["geometry"], "sleep 1"),
      job("strip", ["geometry"], 'echo "FATAL: no survey for module 17" >&2; exit 41'),
      job("muon", ["geometry"]),
      job("fit", ["pixel", "strip", "muon"]),
      job("report", ["fit"]),
    ],
  });
}
