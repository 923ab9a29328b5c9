import { spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { ensureBuilt } from "./built.ts";

const root = resolve(import.meta.dirname, "../..");

export interface CliAnswer {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The built command line in a process of its own, as a person would run it in a pipe. */
export async function wms2(
  words: readonly string[],
  options: {
    readonly env?: Readonly<Record<string, string>>;
    readonly cwd?: string;
    readonly input?: string;
    /** Called with the text so far; may send a signal. */
    readonly onOutput?: (text: string, kill: (signal: NodeJS.Signals) => void) => void;
  } = {},
): Promise<CliAnswer> {
  await ensureBuilt();
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("WMS2_"));
  const child = spawn(process.execPath, [join(root, "dist/src/cli/main.js"), ...words], {
    cwd: options.cwd ?? root,
    env: { ...Object.fromEntries(inherited), ...options.env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  const heard = () => options.onOutput?.(stdout + stderr, (signal) => child.kill(signal));
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
    heard();
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
    heard();
  });
  child.stdin.on("error", () => {});
  // A command that ends without reading closes its end first: no matter, its exit code is the answer.
  child.stdin.on("error", () => {}).end(options.input ?? "");
  const code = await new Promise<number | null>((done, failed) => {
    child.on("error", failed);
    child.on("close", done);
  });
  return { code, stdout, stderr };
}
