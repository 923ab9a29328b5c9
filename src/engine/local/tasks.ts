import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isAlive, type ProcessMark, signalGroup } from "./proc.ts";
import { renderTask, type TaskText } from "./sh-quote.ts";
import { parseClaim, parseExit, type TaskExit } from "./task-files.ts";

/**
 * Processes that outlive this one. A task is offered to runner.sh; its end is learned from the runner's pipe, or,
 * for tasks of an earlier engine, by looking. `start` may be called again for a task that may have been
 * offered before: the claim file lets it run once.
 */
export interface TaskEnd {
  readonly exit: TaskExit;
  readonly userSec: number;
  readonly systemSec: number;
}

interface Live {
  readonly onEnd: (end: TaskEnd) => void;
  claim: ProcessMark | null;
  group: number | null;
  killAt: number | null;
  termSent: boolean;
  since: number;
}

const RUNNER = fileURLToPath(new URL("./runner.sh", import.meta.url));
const SWEEP_MS = 250;
const VANISH_GRACE_MS = 1000;

export class Tasks {
  readonly dir: string;
  private readonly environment: Record<string, string>;
  private readonly live = new Map<number, Live>();
  private runner: ChildProcess | null = null;
  private offered: string[] = [];
  private sweeper: NodeJS.Timeout | null = null;

  constructor(dir: string, environment: Record<string, string>) {
    this.dir = dir;
    this.environment = environment;
    mkdirSync(dir, { recursive: true });
  }

  get running(): number {
    return this.live.size;
  }

  pathOf(id: number): string {
    return `${this.dir}/${id}`;
  }

  /** Makes the task's directory anew; whatever was in it belonged to a task that never began. */
  makeDir(id: number): string {
    const path = this.pathOf(id);
    try {
      mkdirSync(path);
    } catch {
      rmSync(path, { recursive: true, force: true });
      mkdirSync(path);
    }
    return path;
  }

  write(id: number, task: TaskText): void {
    writeFileSync(`${this.pathOf(id)}/task`, renderTask(task));
  }

  /** Offers are sent by `flush`, after the caller has written down what it is about to do. */
  start(id: number, onEnd: (end: TaskEnd) => void): void {
    this.live.set(id, { onEnd, claim: null, group: null, killAt: null, termSent: false, since: Date.now() });
    this.offered.push(`${id}\n`);
    this.sweeper ??= setInterval(() => this.sweep(), SWEEP_MS);
  }

  flush(): void {
    if (!this.offered.length) return;
    const text = this.offered.join("");
    this.offered = [];
    this.ensureRunner().stdin?.write(text);
  }

  /** Ends the whole process group: TERM, and KILL after the grace. Its end is reported like any other. */
  kill(id: number, graceMs: number): void {
    const live = this.live.get(id);
    if (!live || live.killAt !== null) return;
    live.killAt = Date.now() + graceMs;
    this.signal(id, live);
  }

  groupOf(id: number): number | null {
    const live = this.live.get(id);
    if (!live) return null;
    live.group ??= readNumber(`${this.pathOf(id)}/pid`);
    return live.group;
  }

  /** Removes the task's directory; its end must be in the journal by now. */
  forget(id: number): void {
    rmSync(this.pathOf(id), { recursive: true, force: true });
  }

  /** Tasks that run go on by themselves. */
  close(): void {
    if (this.sweeper) clearInterval(this.sweeper);
    this.sweeper = null;
    this.live.clear();
    this.runner?.stdin?.end();
    this.runner?.stdout?.destroy();
    this.runner?.unref();
    this.runner = null;
  }

  private ensureRunner(): ChildProcess {
    if (this.runner) return this.runner;
    const runner = spawn("/bin/sh", [RUNNER, this.dir], {
      stdio: ["pipe", "pipe", "ignore"],
      env: this.environment,
      detached: true,
    });
    let rest = "";
    runner.stdout?.setEncoding("latin1").on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() as string;
      for (const line of lines) this.look(Number(line));
    });
    runner.stdin?.on("error", () => {});
    runner.on("error", () => {});
    runner.on("exit", () => {
      if (this.runner !== runner) return;
      // Offers it had not read are made again; those it had are claimed, and refused the second time.
      this.runner = null;
      this.offered.push(...[...this.live].filter(([, live]) => !live.claim).map(([id]) => `${id}\n`));
    });
    this.runner = runner;
    return runner;
  }

  /** Takes note of an end, when there is one. */
  private look(id: number): boolean {
    const live = this.live.get(id);
    if (!live) return false;
    const end = parseExit(readText(`${this.pathOf(id)}/exit`), () => ({
      began: readNumber(`${this.pathOf(id)}/pid`) !== null,
      words: readText(`${this.pathOf(id)}/err`) ?? "",
    }));
    if (!end) return false;
    this.finish(id, live, end);
    return true;
  }

  private finish(id: number, live: Live, end: TaskEnd): void {
    this.live.delete(id);
    live.onEnd(end);
  }

  /** Tasks of an earlier engine have no pipe to us, and a supervisor can be killed: look at everything now and then. */
  private sweep(): void {
    const now = Date.now();
    for (const [id, live] of this.live) {
      if (live.killAt !== null) this.signal(id, live);
      if (now - live.since < SWEEP_MS || this.look(id)) continue;
      live.claim ??= parseClaim(readText(`${this.pathOf(id)}/claim`));
      if (!live.claim || isAlive(live.claim) || this.look(id)) continue;
      if (now - live.since < VANISH_GRACE_MS) continue;
      // The supervisor is gone without a word, so nobody will ever know how the task ended: end what is left of it.
      const group = this.groupOf(id);
      if (group !== null) signalGroup(group, "SIGKILL");
      this.finish(id, live, { exit: { kind: "vanished" }, userSec: 0, systemSec: 0 });
    }
    this.flush();
    if (this.live.size === 0 && this.sweeper) {
      clearInterval(this.sweeper);
      this.sweeper = null;
    }
  }

  private signal(id: number, live: Live): void {
    const group = this.groupOf(id);
    if (group === null || live.killAt === null) return;
    const late = Date.now() >= live.killAt;
    if (live.termSent && !late) return;
    // Until setsid has run the group does not exist and the process is signalled alone.
    const signal = late ? "SIGKILL" : "SIGTERM";
    if (!signalGroup(group, signal)) {
      try {
        process.kill(group, signal);
      } catch {
        return;
      }
    }
    live.termSent = true;
  }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

function readNumber(path: string): number | null {
  const text = readText(path);
  return text?.endsWith("\n") && /^\d+\n$/.test(text) ? Number(text) : null;
}
