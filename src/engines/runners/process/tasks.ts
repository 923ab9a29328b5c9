import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readdirSync, renameSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { signalGroup } from "../../../core/base/signal-group.ts";
import { readText } from "../../dag/dag-files.ts";
import { lineReader } from "../../dag/lines.ts";
import { isAlive, type ProcessMark } from "./proc.ts";
import { SpareDirectories, Spares } from "./spares.ts";
import { parseState, type TaskEnd, type TaskState } from "./task-files.ts";
import { removeTree } from "./transfer.ts";

/** `group`: the process group it had, if it began. */
type OnEnd = (end: TaskEnd, group: number | null) => void;

interface Live {
  readonly onEnd: OnEnd;
  claim: ProcessMark | null;
  group: number | null;
  killAt: number | null;
  termSent: boolean;
  readonly since: number;
  /** Its end may come without a word on our pipe: look at it in every sweep. */
  readonly adopted: boolean;
  lookedAt: number;
  /** Somebody may have its state open to claim it, and be late. */
  isOfferedAgain: boolean;
}

const RUNNER = fileURLToPath(new URL("./runner.sh", import.meta.url));
const SWEEP_MS = 250;
const VANISH_GRACE_MS = 1000;
/** Our own tasks tell their end; only a killed supervisor would not. */
const OWN_LOOK_MS = 3000;

/**
 * Processes that outlive this one. A task is offered to runner.sh; its end is learned from the runner's pipe, or,
 * for tasks of an earlier engine, by looking. `start` may be called again for a task that may have been
 * offered before: its state file lets it run once.
 */
export class Tasks {
  readonly dir: string;
  private readonly environment: Record<string, string>;
  private readonly live = new Map<number, Live>();
  private readonly spares: Record<"task" | "state", Spares>;
  private readonly directories: SpareDirectories;
  /** Ended, and nobody has their files open, or ever will. */
  private readonly spent = new Set<number>();
  private runner: ChildProcess | null = null;
  private offered: string[] = [];
  private sweeper: NodeJS.Timeout | null = null;
  private readonly askToFlush: () => void;

  constructor(dir: string, environment: Record<string, string>, askToFlush: () => void) {
    this.dir = dir;
    this.askToFlush = askToFlush;
    this.environment = environment;
    this.spares = { task: new Spares(`${dir}/spare-task`), state: new Spares(`${dir}/spare-state`) };
    this.directories = new SpareDirectories(`${dir}/spare-directory`);
    mkdirSync(dir, { recursive: true });
  }

  /** The prefix of the task's files. */
  pathOf(id: number): string {
    return `${this.dir}/${id}`;
  }

  statePath(id: number): string {
    return `${this.pathOf(id)}.state`;
  }

  private taskPath(id: number): string {
    return `${this.pathOf(id)}.task`;
  }

  /**
   * `text`: what runner.sh is to do; `note` is kept with it, for whoever takes the task over. A state of the same id is of
   * a task that vanished.
   */
  write(id: number, text: string, note = ""): void {
    if (!this.lay("state", this.statePath(id), "")) unlink(this.statePath(id));
    const task = `# ${note.replaceAll("\n", " ")}\n${text}`;
    if (!this.lay("task", this.taskPath(id), task)) writeFileSync(this.taskPath(id), task);
  }

  /** In a file of one that is over; false: there is none. */
  private lay(kind: "task" | "state", path: string, text: string): boolean {
    const spare = this.spares[kind].take();
    if (spare === undefined) return false;
    writeFileSync(spare, text);
    renameSync(spare, path);
    return true;
  }

  readNote(id: number): string | null {
    const text = readText(this.taskPath(id));
    return text.ok ? text.value.slice(2, text.value.indexOf("\n")) : null;
  }

  /** Offers are sent by `flush`, after the caller has written down what it is about to do. */
  start(id: number, onEnd: OnEnd, adopted = false): void {
    const now = performance.now();
    const fresh = { claim: null, group: null, killAt: null, termSent: false };
    this.live.set(id, { onEnd, ...fresh, since: now, adopted, lookedAt: now, isOfferedAgain: adopted });
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
    live.killAt = performance.now() + graceMs;
    this.signal(id, live);
  }

  hasEnded(id: number): boolean {
    return this.stateOf(id)?.end != null;
  }

  /** By the file that says how it ended; null: there is none. */
  endedMs(id: number): number | null {
    return statSync(this.statePath(id), { throwIfNoEntry: false })?.mtimeMs ?? null;
  }

  groupOf(id: number): number | null {
    const live = this.live.get(id);
    if (!live) return null;
    live.group ??= this.stateOf(id)?.group ?? null;
    return live.group;
  }

  /** Removes the task's files; its end must be in the journal by now. The task goes first: without it nobody can claim. */
  forget(id: number): void {
    const isSpent = this.spent.delete(id) && this.isBusy;
    if (!isSpent || !this.spares.task.keep(this.taskPath(id))) unlink(this.taskPath(id));
    if (!isSpent || !this.spares.state.keep(this.statePath(id))) unlink(this.statePath(id));
  }

  /** Keeps the working directory of a directly run job for another; false: it is not fit for that, or nobody is there. */
  keepDirectory(path: string): boolean {
    return this.isBusy && this.directories.keep(path);
  }

  openDirectory(path: string): boolean {
    return this.directories.open(path);
  }

  /** While it is, spares are dropped some day. */
  private get isBusy(): boolean {
    return this.live.size > 0;
  }

  /** Removes what tasks of earlier engines left, when none of them is wanted any more. */
  clear(): void {
    for (const name of readdirSync(this.dir)) removeTree(`${this.dir}/${name}`);
  }

  /** Tasks that run go on by themselves. */
  close(): void {
    if (this.sweeper) clearInterval(this.sweeper);
    this.sweeper = null;
    this.live.clear();
    this.dropSpares();
    this.runner?.stdin?.end();
    this.runner?.stdout?.destroy();
    this.runner?.unref();
    this.runner = null;
  }

  private dropSpares(): void {
    this.spares.task.drop();
    this.spares.state.drop();
    this.directories.drop();
  }

  private ensureRunner(): ChildProcess {
    if (this.runner) return this.runner;
    const runner = spawn("/bin/sh", [RUNNER, this.dir], {
      stdio: ["pipe", "pipe", "ignore"],
      env: this.environment,
      detached: true,
    });
    runner.stdout?.setEncoding("latin1").on(
      "data",
      lineReader((line) => this.look(Number(line))),
    );
    runner.stdin?.on("error", () => {});
    runner.on("error", () => {});
    runner.on("exit", () => {
      if (this.runner !== runner) return;
      // Offers it had not read are made again; those it had are claimed, and refused the second time.
      this.runner = null;
      for (const [id, live] of this.live) {
        if (live.claim) continue;
        live.isOfferedAgain = true;
        this.offered.push(`${id}\n`);
      }
    });
    this.runner = runner;
    return runner;
  }

  private stateOf(id: number): TaskState | null {
    const text = readText(this.statePath(id));
    return text.ok ? parseState(text.value) : null;
  }

  /** Takes note of an end, when there is one. */
  private look(id: number): boolean {
    const live = this.live.get(id);
    if (!live) return false;
    const state = this.stateOf(id);
    const end = state?.end;
    if (!end) return false;
    // A killed process leaves its children behind; a pool ends them with it.
    if (end.exit.kind === "signaled" && state.group !== null) signalGroup(state.group, "SIGKILL");
    if (end.exit.kind === "exited" && !live.isOfferedAgain) this.spent.add(id);
    this.finish(id, live, end, state.group);
    return true;
  }

  private finish(id: number, live: Live, end: TaskEnd, group: number | null): void {
    this.live.delete(id);
    live.onEnd(end, group);
  }

  /** Tasks of an earlier engine have no pipe to us, and a supervisor can be killed: look at everything now and then. */
  private sweep(): void {
    const now = performance.now();
    for (const [id, live] of this.live) {
      if (live.killAt !== null) this.signal(id, live);
      if (!live.adopted && now - live.lookedAt < OWN_LOOK_MS) continue;
      live.lookedAt = now;
      if (this.look(id)) continue;
      live.claim ??= this.stateOf(id)?.claim ?? null;
      if (!live.claim || isAlive(live.claim) || this.look(id)) continue;
      if (now - live.since < VANISH_GRACE_MS) continue;
      // The supervisor is gone without a word, so nobody will ever know how the task ended: end what is left of it.
      const group = this.groupOf(id);
      if (group !== null) signalGroup(group, "SIGKILL");
      this.finish(id, live, { exit: { kind: "vanished" }, userSec: 0, systemSec: 0 }, group);
    }
    // Of a runner that is gone: whoever flushes writes down first what is about to begin.
    if (this.offered.length > 0) this.askToFlush();
    if (this.live.size === 0 && this.sweeper) {
      clearInterval(this.sweeper);
      this.sweeper = null;
      this.dropSpares();
    }
  }

  private signal(id: number, live: Live): void {
    const group = this.groupOf(id);
    if (group === null || live.killAt === null) return;
    const late = performance.now() >= live.killAt;
    if (live.termSent && !late) return;
    // Until setsid has run the group does not exist and the process is signaled alone.
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

/** Quicker than rmSync, and most of the time there is nothing to remove. */
function unlink(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
