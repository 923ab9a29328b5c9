import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";

export const REAL = "demo-warm-hours";
export const SIMULATED = "demo-minbias";
export const GENERATED_EVENTS = 1200;

const SCRIPTS = ["select.sh", "totals.sh", "merge-totals.sh"];
const RESOURCES = { cores: 1, memory: "200 MB", time: "10 min", disk: "100 MB" };

/** What goes wrong in the simulated request, each time for the first attempt only. */
export const FAILURES = [
  { step: "RECO", nodes: "proc_000001", exit_code: 8021, attempts: 1 },
  { step: "SIM", nodes: "proc_000005", signal: "SIGKILL", attempts: 1 },
  { step: "DIGI", nodes: "proc_000008", exit_code: 8028, attempts: 2 },
  { step: "MINI", nodes: "proc_000010", fjr: "truncated", attempts: 1 },
] as const;
/** Attempts these rules cost. */
export const FAILED_ATTEMPTS = FAILURES.reduce((sum, { attempts }) => sum + attempts, 0);

const real = {
  name: REAL,
  kind: "process",
  description: "warm readings of eight weather stations, counted and summed",
  input: { files: "data/*.csv", events_per_file: "lines" },
  split: { by: "files", files_per_job: 2 },
  unit: { jobs: 3 },
  steps: [
    { name: "select", run: "./select.sh" },
    { name: "totals", run: "./totals.sh" },
  ],
  outputs: [{ name: "totals", file: "totals.csv", merge: { run: "./merge-totals.sh" } }],
  resources: RESOURCES,
};

const simulated = {
  name: SIMULATED,
  kind: "generate",
  description: "made-up physics in five steps; some jobs fail at first",
  events: GENERATED_EVENTS,
  events_per_lumi: 50,
  split: { by: "events", events_per_job: 100 },
  unit: { jobs: 3 },
  payload: "simulator",
  chain: ["GEN", "SIM", "DIGI", "RECO", "MINI"],
  simulate: { time_scale: 0.001, memory_scale: 0.01, fail: FAILURES },
  resources: RESOURCES,
};

/** Writes both requests as a person would have, with the scripts beside them. */
export function writeRequests(folder: string): readonly string[] {
  mkdirSync(folder, { recursive: true });
  for (const script of SCRIPTS) {
    const place = join(folder, script);
    copyFileSync(join(import.meta.dirname, script), place);
    chmodSync(place, 0o755);
  }
  return [real, simulated].map((request) => {
    const file = join(folder, `${request.name}.yaml`);
    writeFileSync(file, stringify(request));
    return file;
  });
}
