import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ServerUnderTest } from "../../support/server.ts";
import { seedGraph } from "./seed-graph.ts";
import { seedModelRun } from "./seed-model-run.ts";
import { liftBans, SOUTH_ONLY, southOnly } from "./seed-sites.ts";

/** Small requests of every fate on a real server with the local engine. */
export const SITES = [
  { name: "T1_CH_North", cores: 16, memory_mb: 8000 },
  { name: "T2_DE_South", cores: 16, memory_mb: 8000 },
];

/** What a job does goes by the name of its input: `slow` ones go on for ever. */
const JOB = `
input=$(head -n 1 "$WMS2_INPUT_LIST"); name=\${input##*/}; name=\${name#*-}
case $name in
  slow) exec sleep 3600 ;;
  licence) echo "connecting to the licence server
licence $$ refused: no seat is free" >&2; exit 3 ;;
  geometry) echo "reading the geometry
FATAL: volume 17 overlaps volume 18 (job $$)" >&2; exit 41 ;;
  fails-south) [ "$WMS2_SITE" != T2_DE_South ] || { echo "exit_code=8028" >>"$WMS2_STEP_REPORT"; exit 1; } ;;
  closed) echo "exit_code=8020" >>"$WMS2_STEP_REPORT"; echo "cannot open $input" >&2; exit 1 ;;
  unreadable) echo "exit_code=8021" >>"$WMS2_STEP_REPORT"; echo "cannot open $input" >&2; exit 1 ;;
esac
cp "$input" out.txt
`;

type Fates = Readonly<Record<string, number>>;

/** A request of one job per work unit; `fates` says how many jobs end in which way. */
export function madeRequest(dir: string, name: string, fates: Fates, more: object = {}): object {
  const input = join(dir, name);
  mkdirSync(input, { recursive: true });
  let number = 0;
  for (const [fate, times] of Object.entries(fates))
    for (let i = 0; i < times; i++)
      writeFileSync(join(input, `${String(number++).padStart(3, "0")}-${fate}`), `${fate}\n`);
  return {
    name,
    kind: "process",
    input: { files: join(input, "*") },
    split: { by: "files", files_per_job: 1 },
    unit: { jobs: 1 },
    steps: [{ name: "reco", run: ["sh", "-c", JOB] }],
    outputs: [{ name: "hits", file: "out.txt", merge: "concat" }],
    resources: { cores: 1, memory: "100 MB", time: "90 min" },
    retries: { processing: 0 },
    recovery: { max_rescues: 0 },
    ...more,
  };
}

/** What the pages are tested and shown with. */
export async function seed(server: ServerUnderTest, dir: string): Promise<void> {
  const submit = (name: string, fates: Fates, more: object = {}) => server.submit(madeRequest(dir, name, fates, more));
  const act = (name: string, action: string, reason: string) =>
    server.send("POST", `/requests/${name}/${action}`, { reason });
  await server.send("PATCH", "/admission/config", { max_active_dags: 5 });
  await seedModelRun(server, dir);
  await submit("minbias-summer-2026", { good: 8, slow: 6 }, { campaign: "Summer26", priority: 90_000 });
  await submit("muons-reco-2026A", { good: 6, licence: 5, geometry: 3 }, { campaign: "Run2026A", requestor: "anna" });
  await submit("higgs-4l-signal", { good: 5 }, { campaign: "Run2026A", requestor: "anna", priority: 120_000 });
  await submit("jets-open-data", { good: 4, unreadable: 4 }, { campaign: "OpenData", requestor: "marco" });
  await submit(
    "tau-tagging",
    { good: 4, licence: 4, geometry: 2 },
    { requestor: "anna", recovery: { max_rescues: 0, pending_classification: true }, retries: { processing: 1 } },
  );
  await seedGraph(server, dir);
  await submit(SOUTH_ONLY, { closed: 6 }, southOnly);
  await server.until("higgs-4l-signal", ["completed"]);
  await server.until("muons-reco-2026A", ["held"]);
  await server.until("jets-open-data", ["held"]);
  await server.until("tau-tagging", ["held"]);
  await server.until("alignment-graph", ["held"]);
  await server.until(SOUTH_ONLY, ["held"]);
  await liftBans(server);
  for (const part of ["a", "b", "c", "d"])
    await submit(`calibration-2026${part}`, { good: 2, slow: 2 }, { campaign: "Calibration", requestor: "kim" });
  await submit("cosmics-night-shift", { good: 3, slow: 1 }, { requestor: "kim", priority: 50_000 });
  await submit("old-geometry-test", { slow: 1 }, { requestor: "marco" });
  await submit("noise-study", { slow: 1 }, { requestor: "marco", campaign: "Summer26" });
  await act("old-geometry-test", "abort", "superseded by the new geometry");
  await act("noise-study", "hold", "the new thresholds are not agreed on yet");
  await server.until("old-geometry-test", ["aborted"]);
  await server.until("noise-study", ["held"]);
  await server.until("calibration-2026a", ["active"]);
}
