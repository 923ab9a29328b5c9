import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import { WorldError } from "./base/errors.ts";

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

const MOST_TEXT = 2_000_000;

/**
 * Stories are told by a process of their own, one at a time and after everything else on this machine: they compute for
 * seconds, and the server has a loop to run. Whoever asked and left ends it.
 */
export function makeSimulator(): Simulate {
  let isBusy = false;
  return async (scenario, options) => {
    if (isBusy)
      throw new WorldError("conflict", "simulate", "another simulation is being run", {
        hint: "try again in a minute",
      });
    isBusy = true;
    try {
      const { exit, stdout, stderr } = await runCommand(scenario, options);
      if (exit === 0 || exit === 3) return { ok: exit === 0, text: stdout };
      if (exit === 2)
        throw new WorldError("bad-request", "scenario", stderr.trim(), { hint: "see docs/guides/simulate.md" });
      throw new WorldError("too-long", "simulate", "the simulation did not end in time", {
        hint: "fewer jobs, or run it with: wms2 simulate FILE",
      });
    } finally {
      isBusy = false;
    }
  };
}

function runCommand(scenario: string, { seed, signal }: Parameters<Simulate>[1]) {
  const args = [builtCommand(), "simulate", "-", ...(seed === undefined ? [] : ["--seed", String(seed)])];
  const child = spawn(process.execPath, args, { signal, env: { ...process.env, NO_COLOR: "1" } });
  if (child.pid !== undefined) setPriority(child.pid, 10);
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (text: string) => {
      if (said[name].length < MOST_TEXT) said[name] += text;
    });
  child.stdin.on("error", () => {}).end(scenario);
  return new Promise<{ exit: number | null; stdout: string; stderr: string }>((resolve) => {
    // An aborted one is told of by an error, and by its exit as well.
    child.on("error", () => {}).on("close", (exit) => resolve({ exit, ...said }));
  });
}

function builtCommand(): string {
  const beside = fileURLToPath(new URL("./cli/main.js", import.meta.url));
  return existsSync(beside) ? beside : fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
}
