import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { stopLocalEngine } from "../../src/cli/run/stop-engine.ts";
import { socketPath } from "../../src/engines/local/protocol.ts";

/** Ends the local engine that works in `dir`/engine, with whatever still runs for it, and removes the directory. */
export async function removeData(dir: string): Promise<void> {
  for (const pid of await stopLocalEngine(dir, 2000)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It went by itself just now.
    }
  }
  // An engine that was killed leaves the folder of its socket.
  await rm(dirname(socketPath(join(dir, "engine"))), { recursive: true, force: true });
  await rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
