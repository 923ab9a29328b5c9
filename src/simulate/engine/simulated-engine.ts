import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { WorldError } from "../../base/errors.ts";
import { parseJson } from "../../base/json.ts";
import type { DagId } from "../../domain/names.ts";
import type { NodeView, Run, RunObservation } from "../../domain/run.ts";
import type { Engine, EngineSite, FindOutcome, PingOutcome, SubmitOutcome } from "../../engine/port.ts";
import { builtinPolicy, type Policy } from "../../recovery/policy.ts";
import { readPolicy } from "../../recovery/read-policy.ts";
import type { Host } from "./host.ts";
import { type RunListener, SimRun } from "./sim-run.ts";
import { readDag, readRescue, textIn } from "./submit-dir.ts";

export interface EngineOptions {
  readonly host: Host;
  readonly listener: RunListener;
  readonly removalSec: number;
}

/**
 * An engine in which nothing runs and everything happens: it reads real submit directories, lets nodes begin and
 * end in virtual time, has every failure judged by the real retry policy, and leaves the files the real ones leave.
 */
export class SimulatedEngine implements Engine {
  readonly name = "local";
  readonly capabilities = { sites: true, remote: false };
  /** The newest run of each DAG. */
  readonly runs = new Map<DagId, SimRun>();
  /** The world's mischief: the engine cannot be reached, refuses, or its next answer is lost. */
  isAway = false;
  refuses: string | null = null;
  losesNextAnswer = false;
  /** Submissions of a directory that was running already: DAGMan's lock would have refused, nobody should try. */
  doubleSubmissions = 0;
  readonly #options: EngineOptions;
  #ids = 0;

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  async submit(run: Run): Promise<SubmitOutcome> {
    this.#reach();
    if (this.refuses !== null) return { kind: "rejected", words: this.refuses };
    if (!existsSync(join(run.submitDir, "workflow.dag")))
      return { kind: "rejected", words: `${run.submitDir}/workflow.dag: no such file` };
    if ([...this.runs.values()].some((other) => !other.ended && other.submitDir === run.submitDir)) {
      this.doubleSubmissions += 1;
      return { kind: "rejected", words: "the DAG is running already (its lock file is there)" };
    }
    const dag = readDag(run.submitDir, "workflow.dag");
    if (!dag.ok) return { kind: "rejected", words: dag.error };
    const rescue = readRescue(run.submitDir, dag.value, "workflow.dag");
    const { host, listener } = this.#options;
    const request = requestIn(run.submitDir);
    const policy = policyIn(run.submitDir);
    const made = new SimRun(run, request, policy, dag.value, rescue.ok ? rescue.value : null, host, listener);
    this.runs.set(run.dagId, made);
    if (rescue.ok) host.time.after(1, () => !made.ended && made.start());
    else made.end("unreadable", rescue.error);
    this.#ids += 1;
    if (this.losesNextAnswer) {
      this.losesNextAnswer = false;
      throw new WorldError("engine-unreachable", "the engine", "the engine's answer was lost");
    }
    return { kind: "submitted", engineId: `sim-${this.#ids}` };
  }

  async find(run: Run): Promise<FindOutcome> {
    this.#reach();
    const known = this.runs.get(run.dagId);
    return known && !known.ended ? { kind: "found", engineId: run.engineId ?? `sim-${this.#ids}` } : { kind: "absent" };
  }

  async observe(runs: readonly Run[]): Promise<ReadonlyMap<DagId, RunObservation>> {
    this.#reach();
    return new Map(runs.map((run) => [run.dagId, this.#look(run)]));
  }

  #look({ dagId }: Run): RunObservation {
    return this.runs.get(dagId)?.observe() ?? { kind: "unknown", why: "the engine never heard of it" };
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
    this.#options.host.time.after(this.#options.removalSec, () => known.end("removed", "removed as asked"));
  }
  async hold(run: Run): Promise<void> {
    this.#reach();
    this.runs.get(run.dagId)?.hold();
  }
  async release(run: Run): Promise<void> {
    this.#reach();
    this.runs.get(run.dagId)?.release();
  }
  async ping(): Promise<PingOutcome> {
    return { ok: !this.isAway, words: "simulated", warnings: [] };
  }
  async sites(): Promise<readonly EngineSite[]> {
    this.#reach();
    return this.#options.host.sites.all.map(({ name, cores }) => ({ name, cores, memoryMb: cores * 4000 }));
  }
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

/** The first line of workflow.dag names the request. */
function requestIn(submitDir: string): string {
  const head = readFileSync(join(submitDir, "workflow.dag"), "utf8").slice(0, 1000);
  return /^# wms2 request=(\S+)/m.exec(head)?.[1] ?? "unknown";
}

/** As POST: without a policy that can be read, the built-in rows. */
function policyIn(submitDir: string): Policy {
  const json = parseJson(textIn(join(submitDir, "policy.json")) ?? "");
  const read = json.ok ? readPolicy(json.value) : null;
  return read?.ok ? read.value : builtinPolicy();
}
