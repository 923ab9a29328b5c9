import type { ReportFacts } from "../../src/cli/report/facts.ts";
import type { AttemptView, ErrorsReply } from "../../src/operations/attempts.ts";
import type { OutlineView, ResultView } from "../../src/operations/results.ts";
import { NOW, sampleRequest, sampleWorkflow } from "./api-samples.ts";
import { requestDetailView } from "./api-views.ts";

const unitOf = (index: number): string => `job_${String(index).padStart(6, "0")}`;

export const sampleResult = (index: number, over: Partial<ResultView> = {}): ResultView => ({
  name: `solve-${index}`,
  unit: unitOf(index),
  node: unitOf(index),
  state: "done",
  attempts: 1,
  exit_code: 0,
  cause: null,
  signal: null,
  wall_sec: 60 + index,
  cpu_sec: 50,
  peak_memory_mb: 300,
  memory_mb: 500,
  cores: 1,
  wall_minutes: 10,
  host: `wn${index % 20}`,
  site: "north",
  started_at: new Date(NOW.getTime() + index * 1000).toISOString(),
  ended_at: new Date(NOW.getTime() + index * 1000 + 60_000).toISOString(),
  reason: "exit 0",
  ...over,
});

export const sampleAttempt = (row: ResultView): AttemptView =>
  ({ ...row, job: row.name, round: 0, retry: 0, decision: row.state === "failed" ? "stop" : "done" }) as never;

export const noErrors: ErrorsReply = {
  nodes_failed: 0,
  nodes_recovered: 0,
  nodes_retrying: 0,
  first: null,
  codes: [],
  retrying: [],
  more: { codes: 0, retrying: 0, sites: 0, hosts: 0, files: 0, excluded: 0 },
  suggestion: { action: "nothing", modifications: {}, reason: "nothing has failed", command: null },
} as never;

/** One that prepares, many in between, and one that collects. */
export const fanOut = (names: readonly string[], of: OutlineView["of"] = "jobs"): OutlineView => {
  const last = names.length - 1;
  const between = names.slice(1, last).map((_, at) => at + 1);
  const layer = (at: number): number => (at === 0 ? 0 : at === last ? 2 : 1);
  return {
    jobs: names.length,
    of,
    groups: names.map((name, at) => ({ name, layer: layer(at), jobs: 1, ranges: [[at, at]] })),
    edges: [
      { from: [0], to: between },
      { from: between, to: [last] },
    ],
  };
};

export function reportFacts(results: readonly ResultView[], over: Partial<ReportFacts> = {}): ReportFacts {
  return {
    now: NOW,
    server: "http://127.0.0.1:8420",
    request: requestDetailView(sampleRequest(), sampleWorkflow(), []),
    errors: noErrors,
    graph: null,
    results,
    credited: 0,
    attempts: results.map(sampleAttempt),
    isCut: false,
    document: "name: sweep\n",
    ...over,
  };
}
