import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { InputFile } from "../src/domain/workflow.ts";
import { renderDag } from "../src/render/render-dag.ts";
import { generateSpec, inputFile, planRound, processSpec, sampleFacts } from "../tests/support/sample-facts.ts";

export interface PlanBench {
  readonly nodes: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** Of the whole process since it began: run one size per process. */
  readonly peakRssMb: number;
  readonly files: number;
  readonly bytes: number;
}

/** `events` cuts ranges out of a few big files, `files` gives every job a file of its own, `generate` has no input. */
export type PlanBenchKind = "events" | "files" | "generate";

/**
 * Not /tmp where it can be helped. Creating files was seen (ext4, Linux 6.18) to cost many times its usual system
 * time for some five minutes after tens of thousands were deleted nearby, as test runs and this benchmark do: 100,000 nodes took
 * 2 s on a rested disk and 20 to 35 s right after another run. Compare runs only after such a pause.
 */
const PLACE = existsSync("/var/tmp") ? "/var/tmp" : tmpdir();
const JOBS_PER_UNIT = 8;
const EVENTS_PER_JOB = 1000;

/** Plans, renders and writes a round of so many processing nodes, in groups of 8, to a temporary directory. */
export async function run({ nodes, kind = "events" }: { nodes: number; kind?: PlanBenchKind }): Promise<PlanBench> {
  const root = mkdtempSync(join(PLACE, "wms2-bench-plan-"));
  try {
    const facts = makeFacts(nodes, kind);
    const wall = performance.now();
    const cpu = process.cpuUsage();
    const outcome = planRound(facts);
    if (outcome.kind !== "planned") throw new Error(`not planned: ${outcome.kind}`);
    const options = {
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
    const written = writeAll(root, renderDag(outcome.plan, options));
    const seconds = (performance.now() - wall) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    return {
      nodes: outcome.plan.summary.nodesByRole.processing,
      seconds: round(seconds),
      cpuSeconds: round((user + system) / 1e6),
      peakRssMb: Math.round(process.resourceUsage().maxRSS / 1024),
      ...written,
    };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
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

function writeAll(root: string, rendered: ReturnType<typeof renderDag>): { files: number; bytes: number } {
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

const round = (value: number): number => Math.round(value * 100) / 100;
