import { spawn } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { PAYLOAD_FILES, SIMULATOR_FILES } from "../../src/submit-dir/payload/files.ts";

/** WMS2_TEST_SHELL="bash --posix" runs the scripts with another shell than this machine's /bin/sh. */
export const SHELL = (process.env.WMS2_TEST_SHELL ?? "").split(" ").filter((word) => word !== "");

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

export interface Running {
  readonly pid: number;
  readonly ended: Promise<Ended>;
}

/** Starts a program as an engine would: no shell in between, only the environment that is given. */
export function start(argv: readonly string[], cwd: string, env: Record<string, string> = {}): Running {
  const began = performance.now();
  const child = spawn(argv[0]!, argv.slice(1), {
    cwd,
    env: { PATH: process.env.PATH ?? "", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const text = { stdout: "", stderr: "" };
  child.stdout.on("data", (data: Buffer) => (text.stdout += data.toString()));
  child.stderr.on("data", (data: Buffer) => (text.stderr += data.toString()));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code, signal, ...text, ms: performance.now() - began }));
  });
  return { pid: child.pid ?? 0, ended };
}

export const run = (argv: readonly string[], cwd: string, env: Record<string, string> = {}): Promise<Ended> =>
  start(argv, cwd, env).ended;

/** A directory laid out like a submit directory, removed by `remove`. */
export class Scratch {
  readonly dir = mkdtempSync(join(tmpdir(), "wms2-payload-"));

  constructor() {
    for (const file of [...PAYLOAD_FILES, ...SIMULATOR_FILES]) {
      const target = join(this.dir, file.target);
      mkdirSync(dirname(target), { recursive: true });
      cpSync(fileURLToPath(file.source), target);
      chmodSync(target, file.executable ? 0o755 : 0o644);
    }
  }

  path(...parts: string[]): string {
    return join(this.dir, ...parts);
  }

  write(name: string, text: string | Buffer, mode = 0o644): string {
    const target = this.path(name);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text, { mode });
    return target;
  }

  read(...parts: string[]): string {
    return readFileSync(this.path(...parts), "utf8");
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}

export interface TestStep {
  readonly name: string;
  readonly argv: readonly string[];
  readonly env?: Record<string, string>;
  readonly instances?: number;
  readonly threads?: number;
  readonly eventsPerLumi?: number;
  readonly why?: string;
  readonly probeInstances?: number;
  readonly probeThreads?: number;
}

export interface TestOutput {
  readonly name: string;
  readonly file: string;
  readonly merge?: "concat" | "command" | "none";
  readonly mergeArgv?: readonly string[];
  readonly keep?: boolean;
  readonly path?: string;
}

/** A node as the manifest tells it, with everything unset. */
export const NODE = {
  inputs: [] as { lfn: string; path: string; events: number | null }[],
  firstEvent: null as number | string | null,
  lastEvent: null as number | string | null,
  firstLumi: null as number | null,
  lastLumi: null as number | null,
  runLumis: null as Record<string, [number, number][]> | null,
  events: null as number | null,
  seed: 1 as number | string,
  probe: undefined as number | undefined,
};

/** One unit: a storage area, and a job's working directory per run, laid out as HTCondor does. */
export class TestUnit extends Scratch {
  readonly unmerged = this.path("storage/unmerged/req/mg_000000");
  private jobs = 0;
  manifest = "";

  constructor(steps: readonly TestStep[], outputs: readonly TestOutput[], nodes: Record<string, typeof NODE>) {
    super();
    const head = {
      version: 1,
      request: "req",
      dag: "0b7c5c1e-0000-4000-8000-000000000000",
      round: 0,
      unit: "mg_000000",
      block: 0,
      steps: steps.map((step) => ({ env: {}, ...step })),
      outputs: outputs.map((output) => ({
        ...{ name: "", file: "", merge: "concat", mergeArgv: [], keep: true },
        dataset: `/req/${output.name}`,
        lfn: `/lfn/${output.name}/mg_000000.csv`,
        path: this.path("storage/merged", output.name, "mg_000000.csv"),
        ...output,
      })),
      unmerged: this.unmerged,
    };
    const lines = Object.entries(head).map(([key, value]) => `"${key}":${JSON.stringify(value)},\n`);
    const rows = Object.entries(nodes).map(([name, node]) => `"${name}":${JSON.stringify(node)}`);
    this.manifest = `{\n${lines.join("")}"nodes":{\n${rows.join(",\n")}\n}\n}\n`;
  }

  /** A fresh working directory with the payload's contents, the manifest and the renamed executable. */
  job(): string {
    const dir = this.path(`job-${this.jobs++}`);
    cpSync(this.path("payload"), dir, { recursive: true, filter: (source) => !source.endsWith("/payload/wms2") });
    symlinkSync(this.path("payload/wms2"), join(dir, "wms2"));
    cpSync(this.path("bin/run.sh"), join(dir, "condor_exec.exe"));
    writeFileSync(join(dir, "manifest.json"), this.manifest);
    return dir;
  }

  /** Runs one job and reads its report. */
  async work(role: string, node: string, env: Record<string, string> = {}, dir = this.job()) {
    const ended = await run([...SHELL, "./condor_exec.exe", role, node], dir, env);
    return { ...ended, dir, report: readReport(dir) };
  }
}

export interface Report {
  readonly state: string;
  readonly exitCode: number | null;
  readonly error: string | null;
  readonly steps: {
    name: string;
    exitCode: number;
    status: number;
    signal: number | null;
    wallSec: number;
    cpuSec: number;
    peakMemoryMb: number | null;
    eventsRead: number | null;
    eventsWritten: number | null;
    instances: number;
  }[];
  readonly outputs: { name: string; path: string; sizeBytes: number; checksum: string; events: number | null }[];
  readonly [key: string]: unknown;
}

export const readReport = (dir: string): Report => JSON.parse(readFileSync(join(dir, "report.json"), "utf8"));
