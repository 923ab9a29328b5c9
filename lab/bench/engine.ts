import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LocalCore } from "../../src/engines/local/core.ts";
import { inOwnDirectory } from "./measure.ts";

interface EngineBenchOptions {
  /** Processes started one after another as slots become free. */
  readonly processes?: number;
  readonly noops?: number;
  /** Length of the chain in which every node waits for the one before. */
  readonly chain?: number;
  readonly slots?: number;
}

const JOB = "executable = /bin/true\ntransfer_executable = false\nlog = jobs.log\nqueue\n";
/** A node that only says when it ran: from one to the next is all that lies between, and the process itself. */
const CHAIN =
  "executable = /bin/date\narguments = +%s.%N\ntransfer_executable = false\noutput = $(JOB).at\nlog = jobs.log\nqueue\n";

/** The local engine on this machine: DAG machinery, journals, supervisors and all, without the socket. */
export const run = ({ processes = 2000, noops = 20_000, chain = 200, slots = 4 }: EngineBenchOptions = {}) =>
  inOwnDirectory("engine", async (root) => {
    const dagOf = (count: number, line: (name: string, index: number) => string): string =>
      Array.from({ length: count }, (_, index) => line(`n${index}`, index)).join("");
    const follows = (index: number): string => `PARENT n${index - 1} CHILD n${index}\n`;
    const processSec = await timed(root, "processes", slots, {
      "job.sub": JOB,
      "workflow.dag": dagOf(processes, (name) => `JOB ${name} job.sub\n`),
    });
    const noopSec = await timed(root, "noops", slots, {
      "workflow.dag": dagOf(noops, (name, i) => `JOB ${name} none NOOP\n${i % 10 ? follows(i) : ""}`),
    });
    await timed(root, "chain", slots, {
      "chain.sub": CHAIN,
      "workflow.dag": dagOf(chain, (name, i) => `JOB ${name} chain.sub\n${i ? follows(i) : ""}`),
    });
    const handoffs = readHandoffs(Array.from({ length: chain }, (_, index) => join(root, "chain", `n${index}.at`)));
    return {
      processesPerSecond: Math.round(processes / processSec),
      noopNodesPerSecond: Math.round(noops / noopSec),
      handoffMsP50: quantile(handoffs, 0.5),
      handoffMsP99: quantile(handoffs, 0.99),
    };
  });

async function timed(root: string, name: string, slots: number, files: Record<string, string>): Promise<number> {
  const dir = join(root, name);
  mkdirSync(dir);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(dir, file), text, { mode: 0o755 });
  const core = new LocalCore({
    dir: join(root, "engine"),
    sites: [{ name: "bench", cores: slots, memoryMb: 100_000 }],
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
