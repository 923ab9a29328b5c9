import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalCore } from "../src/engine/local/core.ts";

export interface EngineBenchOptions {
  /** Processes started one after another as places become free. */
  readonly processes?: number;
  readonly noops?: number;
  /** Length of the chain in which every node waits for the one before. */
  readonly chain?: number;
  readonly places?: number;
}

export interface EngineBenchResult {
  readonly processesPerSecond: number;
  readonly noopNodesPerSecond: number;
  readonly handoffMsP50: number;
  readonly handoffMsP99: number;
}

const JOB = "executable = /bin/true\ntransfer_executable = false\nlog = jobs.log\nqueue\n";
/** A node that only says when it ran: from one to the next is all that lies between, and the process itself. */
const CHAIN =
  "executable = /bin/date\narguments = +%s.%N\ntransfer_executable = false\noutput = $(JOB).at\nlog = jobs.log\nqueue\n";

/** The local engine on this machine: DAG machinery, journals, supervisors and all, without the socket. */
export async function run(options: EngineBenchOptions = {}): Promise<EngineBenchResult> {
  const { processes = 2000, noops = 20_000, chain = 200, places = 4 } = options;
  const root = mkdtempSync(join(tmpdir(), "wms2-bench-engine-"));
  try {
    const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `n${i}`);
    const processSec = await timed(root, "processes", places, {
      "job.sub": JOB,
      "workflow.dag": names(processes)
        .map((name) => `JOB ${name} job.sub\n`)
        .join(""),
    });
    const noopSec = await timed(root, "noops", places, {
      "workflow.dag": names(noops)
        .map((name, i) => `JOB ${name} none NOOP\n${i % 10 ? `PARENT n${i - 1} CHILD ${name}\n` : ""}`)
        .join(""),
    });
    const links = names(chain).map(
      (name, i) => `JOB ${name} chain.sub\n${i ? `PARENT n${i - 1} CHILD ${name}\n` : ""}`,
    );
    await timed(root, "chain", places, { "chain.sub": CHAIN, "workflow.dag": links.join("") });
    const handoffs = readHandoffs(names(chain).map((name) => join(root, "chain", `${name}.at`)));
    return {
      processesPerSecond: Math.round(processes / processSec),
      noopNodesPerSecond: Math.round(noops / noopSec),
      handoffMsP50: quantile(handoffs, 0.5),
      handoffMsP99: quantile(handoffs, 0.99),
    };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

async function timed(root: string, name: string, places: number, files: Record<string, string>): Promise<number> {
  const dir = join(root, name);
  mkdirSync(dir);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(dir, file), text, { mode: 0o755 });
  const core = new LocalCore({
    dir: join(root, "engine"),
    sites: [{ name: "bench", cores: places, memoryMb: 100_000 }],
  });
  const from = performance.now();
  const submitted = core.submit({ batchName: name, submitDir: dir, priority: 0 });
  if (!submitted.ok) throw new Error(submitted.error);
  await core.idle();
  const seconds = (performance.now() - from) / 1000;
  core.close();
  const metrics = JSON.parse(readFileSync(join(dir, "workflow.dag.metrics"), "utf8")) as { exitcode: number };
  if (metrics.exitcode !== 0) throw new Error(`${name} ended with ${metrics.exitcode}`);
  return seconds;
}

/** From one node's word to the next one's, in ms. */
function readHandoffs(paths: readonly string[]): number[] {
  const at = paths.map((path) => Number(readFileSync(path, "utf8")));
  return at
    .slice(1)
    .map((time, i) => (time - (at[i] as number)) * 1000)
    .sort((a, b) => a - b);
}

const quantile = (sorted: readonly number[], q: number): number =>
  Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0) * 100) / 100;
