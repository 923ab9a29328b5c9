import { join } from "node:path";
import { WorldError } from "../../../src/core/base/errors.ts";
import type { DagId } from "../../../src/core/names.ts";
import type { NodeView, Run, RunObservation } from "../../../src/core/run.ts";
import { loadDag } from "../../../src/engines/dag/dag-load.ts";
import type { Engine, EngineSite, FindOutcome, PingOutcome, SubmitOutcome } from "../../../src/engines/port.ts";
import { TOP } from "../../../src/submit-dir/names.ts";
import { type Host, SimRun } from "./sim-run.ts";

/**
 * An engine in which nothing runs and everything happens: it reads real submit directories, lets nodes begin and
 * end in virtual time, has every failure decided by the real retry policy, and leaves the files the real ones leave.
 */
export class SimulatedEngine implements Engine {
  readonly name = "local";
  readonly id = "local";
  readonly capabilities = { sites: true };
  /** The newest run of each DAG. */
  readonly runs = new Map<DagId, SimRun>();
  /** The world's mischief: the engine cannot be reached, refuses, or its next answer is lost. */
  isAway = false;
  refuses: string | null = null;
  losesNextAnswer = false;
  /** Submissions of a directory that was running already: DAGMan's lock would have refused, nobody should try. */
  doubleSubmissions = 0;
  readonly #host: Host;
  readonly #removalSec: number;
  #ids = 0;
  /** Of clusters, DAGs and scripts. */
  #nextId = 1;

  constructor(host: Host, removalSec: number) {
    this.#host = host;
    this.#removalSec = removalSec;
  }

  async submit(run: Run): Promise<SubmitOutcome> {
    const found = await this.find(run);
    if (found.kind === "found") return { kind: "submitted", engineId: found.engineId, adopted: true };
    if (this.refuses !== null) return { kind: "rejected", text: this.refuses };
    const { dagId, submitDir } = run;
    if ([...this.runs.values()].some((other) => !other.ended && other.run.submitDir === submitDir)) {
      this.doubleSubmissions += 1;
      return { kind: "rejected", text: "the DAG is running already (its lock file is there)" };
    }
    const read = (rescue: number | null) => loadDag(join(submitDir, TOP.dag), submitDir, null, rescue);
    const whole = read(0);
    if (!whole.ok) return { kind: "rejected", text: whole.error };
    const rescue = read(null);
    const made = new SimRun(run, rescue.ok ? rescue.value : whole.value, this.#host, () => this.#nextId++);
    this.runs.set(dagId, made);
    if (rescue.ok) made.beginsIn(1);
    else made.endAs("unreadable", rescue.error);
    this.#ids += 1;
    if (this.losesNextAnswer) {
      this.losesNextAnswer = false;
      throw new WorldError("engine-unreachable", "the engine", "the engine's answer was lost");
    }
    return { kind: "submitted", engineId: `sim-${this.#ids}`, adopted: false };
  }

  async find(run: Run): Promise<FindOutcome> {
    this.#reach();
    const known = this.runs.get(run.dagId);
    const isHere = known !== undefined && (!known.ended || run.engineId === null);
    return isHere ? { kind: "found", engineId: run.engineId ?? `sim-${this.#ids}` } : { kind: "absent" };
  }

  async observe(runs: readonly Run[]): Promise<ReadonlyMap<DagId, RunObservation>> {
    this.#reach();
    const look = ({ dagId }: Run): RunObservation =>
      this.runs.get(dagId)?.observe() ?? { kind: "unknown", why: "the engine never heard of it" };
    return new Map(runs.map((run) => [run.dagId, look(run)]));
  }

  async nodes(): Promise<readonly NodeView[]> {
    return [];
  }

  /** Takes a while, as on a pool: the tree is removed job by job. */
  async stop(run: Run): Promise<void> {
    this.#reach();
    const known = this.runs.get(run.dagId);
    if (!known || known.ended || known.isStopping) return;
    known.isStopping = true;
    this.#host.time.after(this.#removalSec, () => known.endAs("removed", "removed as asked"));
  }
  async hold(run: Run): Promise<void> {
    this.#reach();
    this.runs.get(run.dagId)?.runner.hold();
  }
  async release(run: Run): Promise<void> {
    this.#reach();
    this.runs.get(run.dagId)?.runner.release();
  }
  async ping(): Promise<PingOutcome> {
    return { ok: !this.isAway, text: "simulated", warnings: [] };
  }
  async sites(): Promise<readonly EngineSite[]> {
    this.#reach();
    return this.#host.sites.capacity;
  }
  onEnd(): void {}
  async close(): Promise<void> {}

  /** The newest run of a request that has not ended; else its newest. */
  runOf(request: string): SimRun | null {
    const mine = [...this.runs.values()].filter((run) => run.request === request);
    return mine.findLast(({ ended }) => ended === null) ?? mine.at(-1) ?? null;
  }

  #reach(): void {
    if (this.isAway) throw new WorldError("engine-unreachable", "the engine", "the engine does not answer");
  }
}
