import { spawn } from "node:child_process";
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { WorldError } from "../../core/base/errors.ts";

/** The only file of this engine that starts processes. Arguments go to the program as they are: no shell reads them. */
export interface SpawnRequest {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly timeoutSec: number;
}
export interface SpawnAnswer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}
export type Spawner = (request: SpawnRequest) => Promise<SpawnAnswer>;

/** One look at 100,000 DAGMans is some 20 MB; more than this is a mistake. */
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

/**
 * Resolves when the program ended by itself, whatever its exit code. Throws engine-unreachable when it could not be started, was
 * killed, took too long or said too much: then nothing is known, not even whether it did what it was asked to.
 */
export function spawnCommand(request: SpawnRequest): Promise<SpawnAnswer> {
  const [program, ...args] = request.argv;
  const subject = request.argv.find((word) => /^(condor_|bin\/submit$)/.test(word)) ?? program ?? "nothing";
  return new Promise((resolve, reject) => {
    const fail = (problem: string, cause?: unknown): void =>
      reject(new WorldError("engine-unreachable", subject, `${subject} ${problem}`, { cause }));
    if (program === undefined) return fail("has no command line");
    const child = spawn(program, args, { cwd: request.cwd, stdio: ["ignore", "pipe", "pipe"] });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    let bytes = 0;
    let ended: string | null = null;
    // The output pipes may stay open in a grandchild after a kill: do not wait for them.
    const end = (problem: string): void => {
      if (ended !== null) return;
      ended = problem;
      child.kill("SIGTERM");
      setTimeout(() => child.kill("SIGKILL"), 2000).unref();
      fail(problem);
    };
    const timer = setTimeout(() => end(`did not answer within ${request.timeoutSec} s`), request.timeoutSec * 1000);
    const collect = (into: Buffer[]) => (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_OUTPUT_BYTES) end("said more than it should");
      else into.push(chunk);
    };
    child.stdout.on("data", collect(stdout));
    child.stderr.on("data", collect(stderr));
    child.on("error", (cause) => {
      clearTimeout(timer);
      fail(`cannot be run: ${cause.message}`, cause);
    });
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      if (ended !== null) return;
      if (code === null) return fail(`was killed by ${signal}`);
      resolve({ code, stdout: Buffer.concat(stdout).toString("utf8"), stderr: Buffer.concat(stderr).toString("utf8") });
    });
  });
}

/** The program of a command line when it is neither there nor on the PATH; null: it can be run. */
export async function missingProgram([program = ""]: readonly string[]): Promise<string | null> {
  const places = program.includes("/") ? [""] : (process.env.PATH ?? "").split(":").map((dir) => `${dir}/`);
  const tries = places.map((place) => access(`${place}${program}`, constants.X_OK));
  return (await Promise.allSettled(tries)).some(({ status }) => status === "fulfilled") ? null : program;
}
