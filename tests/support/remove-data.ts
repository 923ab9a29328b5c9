import { rm } from "node:fs/promises";
import { stopLocalEngine } from "../../src/cli/demo/stop-engine.ts";

/** Ends the local engine that works in `dir`/engine, with whatever still runs for it, and removes the directory. */
export async function removeData(dir: string): Promise<void> {
  for (const pid of await stopLocalEngine(dir, 2000)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It went by itself just now.
    }
  }
  await rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
