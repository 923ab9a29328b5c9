import { spawn } from "node:child_process";
import { accessSync, constants, mkdtempSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { WorldError } from "../../src/core/base/errors.ts";
import { builtProgram } from "../../src/core/disk/package-root.ts";

/** What `wms2 simulate` said of a scenario. */
interface Simulated {
  /** All expectations of the scenario were met. */
  readonly ok: boolean;
  readonly text: string;
}
type Simulate = (
  scenario: string,
  options: { readonly seed?: number | undefined; readonly signal: AbortSignal },
) => Promise<Simulated>;

/** What one story may take; whoever has a larger one runs it where it takes nothing from others. */
interface StoryLimits {
  readonly events: number;
  readonly sec: number;
  readonly memoryMb: number;
}
const LIMITS: StoryLimits = { events: 2_000_000, sec: 120, memoryMb: 2000 };
const MOST_TEXT = 2_000_000;
const LOOK_MS = 100;

/**
 * Stories are told by a process of their own, one at a time and after everything else on this machine: they compute for
 * seconds, and the server has a loop to run. Whoever asked and left ends it, and so does what is too large for it.
 */
export function makeSimulator(limits = LIMITS): Simulate {
  let isBusy = false;
  return async (scenario, options) => {
    if (isBusy)
      throw new WorldError("conflict", "simulate", "another simulation is being run", {
        hint: "try again in a minute",
      });
    isBusy = true;
    try {
      const { exit, stdout, stderr, why } = await runCommand(scenario, options, limits);
      if (exit === 0 || exit === 3) return { ok: exit === 0, text: stdout };
      if (exit === 2)
        throw new WorldError("bad-request", "scenario", stderr.trim(), { hint: "see docs/guides/simulate.md" });
      throw new WorldError("too-long", "simulate", `the simulation was given up: ${why ?? given(stderr, limits)}`, {
        hint: "fewer jobs, or run it with: wms2 simulate FILE",
      });
    } finally {
      isBusy = false;
    }
  };
}

/** What the story itself said, or its runtime, which has no words of its own for it. */
const given = (stderr: string, { memoryMb, sec }: StoryLimits): string =>
  /heap out of memory/i.test(stderr)
    ? needs(memoryMb)
    : (/more than [\d,]+ simulated events/.exec(stderr)?.[0] ?? late(sec));
const late = (sec: number): string => `it did not end in time (${sec} s)`;
const needs = (memoryMb: number): string => `it needs more than ${memoryMb} MB`;

async function runCommand(scenario: string, { seed, signal }: Parameters<Simulate>[1], limits: StoryLimits) {
  const scratch = mkdtempSync(join(scratchPlace(), "wms2-simulating-"));
  const words = ["--most-events", String(limits.events), "--most-sec", String(limits.sec)];
  const args = [
    `--max-old-space-size=${limits.memoryMb}`,
    ...[
      builtProgram("src/cli/main.js"),
      "simulate",
      "-",
      ...words,
      ...(seed === undefined ? [] : ["--seed", String(seed)]),
    ],
  ];
  const env = { ...process.env, NO_COLOR: "1", SIMULATE_SCRATCH: scratch };
  // At once: it may be in the middle of something, and what it leaves is removed here.
  const child = spawn(process.execPath, args, { signal, env, killSignal: "SIGKILL" });
  if (child.pid !== undefined) setPriority(child.pid, 10);
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (text: string) => {
      if (said[name].length < MOST_TEXT) said[name] += text;
    });
  child.stdin.on("error", () => {}).end(scenario);
  let why: string | null = signal.aborted ? "whoever asked for it left" : null;
  const end = (reason: string): void => {
    why ??= reason;
    child.kill("SIGKILL");
  };
  signal.addEventListener("abort", () => end("whoever asked for it left"), { once: true });
  // It gives up by itself between two moments; one moment may be long.
  const patience = setTimeout(end, (limits.sec + 5) * 1000, late(limits.sec));
  const look = setInterval(async () => {
    if ((await residentMb(child.pid)) > limits.memoryMb) end(needs(limits.memoryMb));
  }, LOOK_MS);
  try {
    const exit = await new Promise<number | null>((resolve) => {
      // An aborted one is told of by an error, and by its exit as well.
      child.on("error", () => {}).on("close", resolve);
    });
    return { exit, why, ...said };
  } finally {
    clearTimeout(patience);
    clearInterval(look);
    await rm(scratch, { recursive: true, force: true });
  }
}

/** 0: nobody can tell here. */
async function residentMb(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
}

/** A story writes thousands of small files and keeps none: memory is the place for them, where there is such a place. */
function scratchPlace(): string {
  try {
    accessSync("/dev/shm", constants.W_OK);
    return "/dev/shm";
  } catch {
    return tmpdir();
  }
}
