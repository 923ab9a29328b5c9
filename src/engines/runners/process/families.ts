import { accessSync, constants, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";

/**
 * What a job started ends with it, however it detached. Where control groups can be had (cgroup v2, below a group we
 * may write to) each job has one, and one write ends all of it. Elsewhere what left the job's process group is known
 * by a variable that children inherit: a program that clears its environment gets away, and `doctor` says so.
 */
export class Families {
  /** The group that holds a group per job; null: they cannot be had. */
  private readonly parent: string | null;
  private readonly ended = new Set<string>();
  /** Groups whose processes were told to end. */
  private readonly leaving = new Set<string>();
  private timer: NodeJS.Timeout | null = null;

  /** `name`: of the group, this engine's own. */
  constructor(name: string | null) {
    this.parent = name === null ? null : openGroup(name);
  }

  get isContained(): boolean {
    return this.parent !== null;
  }

  /** Makes room for a job; the file its process writes 0 to, to join. */
  open(id: number): string | null {
    if (this.parent === null) return null;
    mkdirSync(`${this.parent}/${id}`, { recursive: true });
    return `${this.parent}/${id}/cgroup.procs`;
  }

  /** Ends what is left of a job. Job by mark too: an engine before us may have had no groups, or others. */
  end(id: number, mark: string, adopted: boolean): void {
    const group = this.parent && `${this.parent}/${id}`;
    // Most leave nothing behind, and an empty group just goes.
    if (group && !adopted && attempt(() => rmdirSync(group))) return;
    if (group && attempt(() => writeFileSync(`${group}/cgroup.kill`, "1"))) this.leaving.add(group);
    if (!group || adopted) this.ended.add(mark);
    this.timer ??= setTimeout(() => this.sweep(ROUNDS), SWEEP_MS);
  }

  close(): void {
    if (this.timer) clearTimeout(this.timer);
    if (this.ended.size > 0) killMarked(this.ended);
    for (let tries = 0; tries < ROUNDS && this.isLeaving(); tries++) Atomics.wait(new Int32Array(SHARED), 0, 0, 5);
    if (this.parent !== null) attempt(() => rmdirSync(this.parent as string));
  }

  /** A group goes when its last process is gone, which takes the kernel a moment. */
  private isLeaving(): boolean {
    for (const group of this.leaving) if (attempt(() => rmdirSync(group))) this.leaving.delete(group);
    return this.leaving.size > 0;
  }

  /** One look serves all jobs that ended meanwhile; again while anything is left, for it may have forked. */
  private sweep(rounds: number): void {
    const isFound = this.ended.size > 0 && killMarked(this.ended);
    const again = (this.isLeaving() || isFound) && rounds > 0;
    this.timer = again ? setTimeout(() => this.sweep(rounds - 1), SWEEP_MS) : null;
    if (!again) this.ended.clear();
  }
}

const SHARED = new SharedArrayBuffer(4);
const SWEEP_MS = 50;
const ROUNDS = 40;
/** The variable a job's processes inherit; its value is the job's own in this engine. */
export const MARK = "WMS2_TASK";

function openGroup(name: string): string | null {
  try {
    const mount = /^\S+ \S+ \S+ \/ (\S+) .* - cgroup2 /m.exec(readFileSync("/proc/self/mountinfo", "utf8"))?.[1];
    const own = /^0::(.*)$/m.exec(readFileSync("/proc/self/cgroup", "utf8"))?.[1];
    if (mount === undefined || own === undefined) return null;
    const here = `${mount}${own}`.replace(/\/+$/, "");
    // Processes are moved from here to there, which takes the right to write in both.
    accessSync(`${here}/cgroup.procs`, constants.W_OK);
    mkdirSync(`${here}/${name}`, { recursive: true });
    accessSync(`${here}/${name}/cgroup.kill`, constants.W_OK);
    return `${here}/${name}`;
  } catch {
    return null;
  }
}

function killMarked(marks: ReadonlySet<string>): boolean {
  let found = false;
  for (const pid of readdirSync("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    attempt(() => {
      const environment = readFileSync(`/proc/${pid}/environ`, "utf8");
      const value = new RegExp(`(?:^|\0)${MARK}=([^\0]*)`).exec(environment)?.[1];
      if (value === undefined || !marks.has(value)) return;
      process.kill(Number(pid), "SIGKILL");
      found = true;
    });
  }
  return found;
}

/** false: it cannot be done, because what it is about is gone or not ours. */
export function attempt(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
