import { readdirSync, readFileSync } from "node:fs";
import { startedTicks } from "../../../core/disk/processes.ts";

/** What /proc knows. A process is told from a later one with the same number by its start time. */
export interface ProcessMark {
  readonly pid: number;
  readonly startTime: string;
}

/** Fields of /proc/<pid>/stat after the name, which may hold blanks and parentheses; null: no such process. */
function statFields(pid: number | string): string[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return null;
  }
}

/** The process that the lock of a directory names (disk/lock.ts), alive or not. */
export function readHolder(path: string): ProcessMark | null {
  try {
    const { pid, startedTicks } = JSON.parse(readFileSync(path, "utf8"));
    return { pid, startTime: startedTicks };
  } catch {
    return null;
  }
}

/** A zombie is not alive: it does nothing more. */
export const isAlive = ({ pid, startTime }: ProcessMark): boolean => startedTicks(pid) === startTime;

const PAGE_KB = 4;

/** Resident memory per process group, in MB. Shared pages count once per process: an upper bound. */
export function groupMemoryMb(): Map<number, number> {
  const groups = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const fields = statFields(name);
    if (!fields) continue;
    const group = Number(fields[2]);
    groups.set(group, (groups.get(group) ?? 0) + (Number(fields[21]) * PAGE_KB) / 1024);
  }
  return groups;
}
