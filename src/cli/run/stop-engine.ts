import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isAlive, readHolder } from "../../engines/runners/process/proc.ts";

/**
 * The engine process outlives its server on purpose; whoever made the data directory for a moment ends it too.
 * It leaves by itself on SIGTERM; only when it does not, it is killed. Answers with the processes that
 * are left all the same: there should be none.
 */
export async function stopLocalEngine(dataDir: string, graceMs = 5000): Promise<readonly number[]> {
  const end = Date.now() + graceMs;
  await endEngine(dataDir, graceMs);
  while (processesOf(dataDir).length > 0 && Date.now() < end) await sleep(25);
  return processesOf(dataDir);
}

/** The engine's process alone: what it started ends with it. */
export async function endEngine(dataDir: string, graceMs = 5000): Promise<void> {
  const holder = readHolder(join(dataDir, "engine", "lock"));
  const end = Date.now() + graceMs;
  if (!holder || !isAlive(holder)) return;
  process.kill(holder.pid, "SIGTERM");
  while (isAlive(holder) && Date.now() < end) await sleep(25);
  if (isAlive(holder)) process.kill(holder.pid, "SIGKILL");
}

/** Processes whose command line names the directory, this one apart. */
function processesOf(dataDir: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => commandLine(pid).includes(`${dataDir}/`))
    .map(Number);
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
