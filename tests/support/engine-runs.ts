import { randomUUID } from "node:crypto";
import { chmod, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll } from "vitest";
import { batchName, type DagId } from "../../src/core/names.ts";
import type { Run, RunObservation } from "../../src/core/run.ts";
import type { Engine } from "../../src/engines/port.ts";

/** What the engine suites need of an engine: where submit directories may lie, and who must be able to write there. */
export interface EngineSeat {
  readonly engine: Engine;
  /** Removed at the end. */
  readonly root: string;
  close(): Promise<void>;
}

/**
 * The one program all test nodes run: `step KEY CODE…` notes that it ran and ends with the code for this execution: the
 * n-th for the n-th, the last one from then on. `wait` waits for the file `go`, then ends with 0. A POST may be told to end
 * as its job did: `return VALUE` are then the last two words and stand for any code.
 */
const STEP = `#!/bin/sh
cd "\${0%/*}" || exit 99
key=$1; shift
n=0; [ ! -f "count/$key" ] || read -r n <"count/$key"
n=$((n + 1)); echo $n >"count/$key.new" && mv "count/$key.new" "count/$key"
echo "$key" >>ran.log
while [ $# -gt 1 ] && [ $n -gt 1 ]; do shift; n=$((n - 1)); done
case $1 in
  wait) while [ ! -e go ]; do sleep 0.2; done; exit 0 ;;
  *) exit "$1" ;;
esac
`;

export interface TestRun extends Run {
  readonly root: string;
}

/** A submit directory with the files given, ready for `submit`. */
export async function layRun(root: string, files: Readonly<Record<string, string>>, nodes?: number): Promise<TestRun> {
  const dagId = randomUUID() as DagId;
  const submitDir = path.join(root, `r0-${dagId.slice(0, 8)}`);
  await mkdir(path.join(submitDir, "count"), { recursive: true });
  const all = { ...files, step: STEP, "real.sub": realJob(submitDir), "dagman.config": CONFIG };
  for (const [name, text] of Object.entries(all)) {
    await mkdir(path.dirname(path.join(submitDir, name)), { recursive: true });
    await writeFile(path.join(submitDir, name), text.replaceAll("@DIR@", submitDir));
  }
  if (nodes !== undefined) await writeFile(path.join(submitDir, "plan.json"), JSON.stringify({ nodes }));
  await chmod(path.join(submitDir, "step"), 0o755);
  return { dagId, submitDir, batchName: batchName(dagId), engineId: null, priority: 0, root };
}

/** A real job: VARS name="…" codes="…". The local universe needs no negotiation. */
const realJob = (dir: string): string => `universe = local
executable = ${dir}/step
arguments = job.$(key:$(JOB)) $(codes:0)
log = ${dir}/jobs.log
queue
`;
const CONFIG = "DAGMAN_USER_LOG_SCAN_INTERVAL = 1\n";
export const HEAD = "CONFIG dagman.config\nNODE_STATUS_FILE workflow.dag.status 1\n";

/** The same directory under a new name for the queue, as a rescue is. */
export function again(run: TestRun): TestRun {
  const dagId = randomUUID() as DagId;
  return { ...run, dagId, batchName: batchName(dagId), engineId: null };
}

let tickets = 0;
/** Newer than all before, as the store gives them out. */
export const nextTicket = (): number => {
  tickets += 1;
  return tickets;
};

export async function submit(engine: Engine, run: TestRun): Promise<TestRun> {
  const outcome = await engine.submit(run, nextTicket());
  if (outcome.kind !== "submitted") throw new Error(`not submitted: ${JSON.stringify(outcome)}`);
  return { ...run, engineId: outcome.engineId };
}

/** How often each key ran. */
export async function executions(run: TestRun): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const text = await readFile(path.join(run.submitDir, "ran.log"), "utf8").catch(() => "");
  for (const key of text.split("\n").filter((line) => line !== "")) counts[key] = (counts[key] ?? 0) + 1;
  return counts;
}

export const letGo = (run: TestRun): Promise<void> => writeFile(path.join(run.submitDir, "go"), "");
export const newestRescue = async (dir: string): Promise<string | null> =>
  (await readdir(dir))
    .filter((name) => /\.dag\.rescue\d{3}$/.test(name))
    .sort()
    .at(-1) ?? null;

export type Ended = Extract<RunObservation, { kind: "ended" }>;

/** One loop of `observe` for all who wait, as the product does it: the pool is asked once for all of them. */
export class Watcher {
  private readonly waiting = new Map<
    TestRun,
    { test: (view: RunObservation) => boolean; done: (view: RunObservation) => void }
  >();
  private looping = false;
  private readonly engine: Engine;
  readonly seen = new Map<TestRun, RunObservation>();

  constructor(engine: Engine) {
    this.engine = engine;
  }

  async until(run: TestRun, test: (view: RunObservation) => boolean, seconds = 90): Promise<RunObservation> {
    const answer = new Promise<RunObservation>((done) => this.waiting.set(run, { test, done }));
    if (!this.looping) void this.loop();
    const late = sleep(seconds * 1000, null, { ref: false }).then(() => {
      this.waiting.delete(run);
      throw new Error(`${run.submitDir}: waited ${seconds} s; last seen ${JSON.stringify(this.seen.get(run))}`);
    });
    return Promise.race([answer, late]);
  }

  async ended(run: TestRun, seconds = 90): Promise<Ended> {
    return (await this.until(run, (view) => view.kind === "ended", seconds)) as Ended;
  }

  private async loop(): Promise<void> {
    this.looping = true;
    while (this.waiting.size > 0) {
      const views = await this.engine.observe([...this.waiting.keys()]);
      for (const [run, { test, done }] of this.waiting) {
        const view = views.get(run.dagId);
        if (!view) continue; // came after the question was asked
        this.seen.set(run, view);
        if (!test(view)) continue;
        this.waiting.delete(run);
        done(view);
      }
      await sleep(400);
    }
    this.looping = false;
  }
}

/** The engine of a suite: there when its stories run. */
export interface OpenSeat {
  engine: Engine;
  watch: Watcher;
  root: string;
}
export function openSeat(open: () => Promise<EngineSeat>): OpenSeat {
  const at = {} as OpenSeat;
  let seat: EngineSeat | null = null;
  beforeAll(async () => {
    seat = await open();
    Object.assign(at, { engine: seat.engine, watch: new Watcher(seat.engine), root: seat.root });
  });
  afterAll(() => seat?.close());
  return at;
}

export async function untilTrue(what: string, test: () => Promise<boolean>, seconds = 60): Promise<void> {
  for (const deadline = Date.now() + seconds * 1000; Date.now() < deadline; await sleep(400)) if (await test()) return;
  throw new Error(`waited ${seconds} s for: ${what}`);
}

export const removeTree = (dir: string): Promise<void> =>
  rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
