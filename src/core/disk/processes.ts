import { readFileSync } from "node:fs";

/**
 * When a process began, in clock ticks since boot: pids are used again. null: there is no such process, or /proc does
 * not tell. A zombie has ended: it only waits for its parent to notice, and holds nothing any more.
 */
export function startedTicks(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // After the command, which is in brackets and may itself hold spaces and brackets.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}

/** Whether any process has this number now. */
export function isProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
