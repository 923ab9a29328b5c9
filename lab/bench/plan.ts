import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import type { InputFile } from "../../src/core/workflow.ts";
import { renderDag } from "../../src/submit-dir/render/render-dag.ts";
import { generateSpec, inputFile, planRound, processSpec, sampleFacts } from "../../tests/support/sample-facts.ts";
import { inOwnDirectory, peakRssMb, RESTED, timed } from "./measure.ts";

/** `events` cuts ranges out of a few big files, `files` gives every job a file of its own, `generate` has no input. */
type PlanBenchKind = "events" | "files" | "generate";

const JOBS_PER_UNIT = 8;
const EVENTS_PER_JOB = 1000;

export const RENDERING = {
  statusIntervalSec: 15,
  scanIntervalSec: 5,
  holdRemovalSec: 300,
  lostJobSec: 300,
  maxJobsSubmitted: 2000,
  unmergedDir: "/storage/unmerged/bench",
  mergedDir: "/storage/merged/bench",
  deferPollSec: 30,
  avoidHostSec: 600,
};

/** Plans, renders and writes a round of so many processing nodes, in groups of 8, to a temporary directory. */
export const run = ({ nodes, kind = "events" }: { nodes: number; kind?: PlanBenchKind }) =>
  inOwnDirectory("plan", (root) => planInto(root, makeFacts(nodes, kind)), RESTED);

function planInto(root: string, facts: ReturnType<typeof makeFacts>) {
  const { value, seconds, cpuSeconds } = timed(() => {
    const outcome = planRound(facts);
    if (outcome.kind !== "planned") throw new Error(`not planned: ${outcome.kind}`);
    const written = writeAll(root, renderDag(outcome.plan, RENDERING));
    return { nodes: outcome.plan.summary.nodesByRole.processing, written };
  });
  return { nodes: value.nodes, seconds, cpuSeconds, peakRssMb: peakRssMb(), ...value.written };
}

function makeFacts(nodes: number, kind: PlanBenchKind) {
  const unit = { jobsPerUnit: JOBS_PER_UNIT, targetMergedBytes: 4e9, blockTargetBytes: 1e12, maxUnitsPerBlock: 250 };
  if (kind === "generate") {
    return sampleFacts(
      generateSpec({
        unit,
        split: { algorithm: "EventBased", filesPerJob: 1, eventsPerJob: EVENTS_PER_JOB, lumisPerJob: 1 },
        generation: { totalEvents: BigInt(nodes) * BigInt(EVENTS_PER_JOB) },
      }),
    );
  }
  const jobsPerFile = kind === "files" ? 1 : 100;
  const files: InputFile[] = Array.from({ length: Math.ceil(nodes / jobsPerFile) }, (_, index) => {
    const jobs = Math.min(jobsPerFile, nodes - index * jobsPerFile);
    const lfn = `/store/data/Run2026A/Muons/RAW/v1/000/${String(index).padStart(8, "0")}.root`;
    return inputFile(lfn, { events: jobs * EVENTS_PER_JOB, sizeBytes: 2_000_000_000 });
  });
  const algorithm = kind === "files" ? "FileBased" : "EventBased";
  const split = { algorithm, filesPerJob: 1, eventsPerJob: EVENTS_PER_JOB, lumisPerJob: 1 } as const;
  return sampleFacts(processSpec({ unit, split }), { files });
}

export function writeAll(root: string, rendered: ReturnType<typeof renderDag>): { files: number; bytes: number } {
  let files = 0;
  let bytes = 0;
  let lastDir = "";
  for (const { path, chunks } of rendered) {
    const target = join(root, path);
    const dir = dirname(target);
    if (dir !== lastDir) mkdirSync(dir, { recursive: true });
    lastDir = dir;
    const descriptor = openSync(target, "w");
    for (const chunk of chunks) bytes += writeSync(descriptor, chunk);
    closeSync(descriptor);
    files += 1;
  }
  return { files, bytes };
}
