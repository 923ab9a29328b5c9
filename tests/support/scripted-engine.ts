import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { WorldError } from "../../src/core/base/errors.ts";
import type { NodeTally, UnitTally } from "../../src/core/dag.ts";
import type { DagId, UnitName } from "../../src/core/names.ts";
import { NO_WAITS, type Run, type RunObservation, type RunVerdict, type RunWaits } from "../../src/core/run.ts";
import type { OutputFile } from "../../src/core/workflow.ts";
import type { Engine, FindOutcome, SubmitOutcome } from "../../src/engines/port.ts";
import type { AttemptRecord } from "../../src/recovery/ledger-record.ts";

interface ScriptedRun {
  readonly run: Run;
  readonly units: readonly UnitName[];
  readonly nodesPerUnit: number;
  readonly done: Set<UnitName>;
  readonly failed: Set<UnitName>;
  ended: { verdict: RunVerdict; text: string } | null;
}

const LOST = { verdict: "lost", text: "no trace of it" } as const;

/** An engine that does what a story tells it to. It reads the real submit directory, so the files must be right. */
export class ScriptedEngine implements Engine {
  name: Engine["name"] = "local";
  /** Of its data directory; "": the only one of its name. */
  own = "";
  get id(): string {
    return `${this.name}${this.own}`;
  }
  readonly capabilities = { sites: true };
  readonly runs = new Map<DagId, ScriptedRun>();
  readonly calls: string[] = [];
  /** Every submission with the units it had to run. */
  readonly submitted: { dagId: DagId; toRun: readonly UnitName[] }[] = [];
  /** What the next calls meet: the engine is away, or refuses. */
  away = false;
  refuses: string | null = null;
  findAnswers: FindOutcome | null = null;
  /** Dies after the effect and before the answer: the caller never learns that it worked. */
  loseNextAnswer = false;
  /** Where units finish, and what their files have besides. */
  site = "north";
  fileFacts: Partial<OutputFile> = {};
  /** What keeps the nodes of its runs. */
  waits: Partial<RunWaits> = {};

  async submit(run: Run): Promise<SubmitOutcome> {
    const found = await this.find(run);
    if (found.kind === "found") return { kind: "submitted", engineId: found.engineId, adopted: true };
    if (found.kind === "unknown") return { kind: "unclear", why: found.why };
    this.#reach("submit");
    if (this.refuses) return { kind: "rejected", text: this.refuses };
    const dag = readFileSync(join(run.submitDir, "workflow.dag"), "utf8");
    const jobs = [...dag.matchAll(/^JOB (job_\d+) /gm)].map((match) => match[1] as UnitName);
    const nested = [...dag.matchAll(/^SUBDAG EXTERNAL (\S+)/gm)].map((match) => match[1] as UnitName);
    const group = nested[0] ? readFileSync(join(run.submitDir, nested[0], "group.dag"), "utf8") : "JOB ";
    const nodesPerUnit = [...group.matchAll(/^JOB /gm)].length;
    const units = [...jobs, ...nested];
    // A rescue is the same directory again: what is done stays done.
    const before = [...this.runs.values()].findLast((known) => known.run.submitDir === run.submitDir);
    const done = new Set(before?.done ?? []);
    this.runs.set(run.dagId, { run, units, nodesPerUnit, done, failed: new Set(), ended: null });
    this.submitted.push({ dagId: run.dagId, toRun: units.filter((unit) => !done.has(unit)) });
    if (this.loseNextAnswer) {
      this.loseNextAnswer = false;
      throw new WorldError("engine-unreachable", "scripted", "the answer was lost");
    }
    return { kind: "submitted", engineId: `s${this.runs.size}`, adopted: false };
  }

  async find(run: Run): Promise<FindOutcome> {
    this.#reach("find");
    if (this.findAnswers) return this.findAnswers;
    const known = this.runs.get(run.dagId);
    // Without a receipt, one that came and went is found too: submitting it again would run it twice.
    const isHere = known !== undefined && (!known.ended || run.engineId === null);
    return isHere ? { kind: "found", engineId: "s1" } : { kind: "absent" };
  }

  async observe(runs: readonly Run[]): Promise<ReadonlyMap<DagId, RunObservation>> {
    this.#reach("observe");
    return new Map(runs.map((run) => [run.dagId, this.#look(run)]));
  }

  #look({ dagId }: Run): RunObservation {
    const known = this.runs.get(dagId);
    if (!known) return { kind: "unknown", why: "never heard of it" };
    const total = known.units.length;
    const [done, failed] = [known.done.size, known.failed.size];
    const left = total - done - failed;
    const units: UnitTally = { total, done, failed, running: known.ended ? 0 : left, waiting: known.ended ? left : 0 };
    const per = known.nodesPerUnit;
    const nodes: NodeTally = {
      total: total * per,
      done: done * per,
      failed,
      queued: 0,
      idle: 0,
      held: 0,
      waiting: left * per,
    };
    const common = { nodes, units, unitsDone: [...known.done], unitsFailed: [...known.failed] };
    if (!known.ended) return { kind: "running", ...common, note: null, waits: { ...NO_WAITS, ...this.waits } };
    return { kind: "ended", ...common, verdict: known.ended.verdict, text: known.ended.text, rescue: null };
  }

  async nodes() {
    return [];
  }
  async stop(run: Run): Promise<void> {
    this.#reach("stop");
    const known = this.runs.get(run.dagId);
    if (known && !known.ended) known.ended = { verdict: "removed", text: "removed" };
  }
  async hold() {
    this.#reach("hold");
  }
  async release() {
    this.#reach("release");
  }
  async ping() {
    return { ok: !this.away, text: "scripted", warnings: [] };
  }
  async sites() {
    this.#reach("sites");
    return ["north", "south"].map((name) => ({ name, cores: 100, memoryMb: 200_000 }));
  }
  onEnd() {}
  async close() {}

  #reach(call: string): void {
    this.calls.push(call);
    if (this.away) throw new WorldError("engine-unreachable", "scripted", "the engine is away");
  }

  #only(dagId?: DagId): ScriptedRun {
    const last = dagId === undefined ? [...this.runs.values()].at(-1) : this.runs.get(dagId);
    if (!last) throw new Error("nothing was submitted");
    return last;
  }

  /** Its files are removed while it runs: it ends, and nothing tells how. */
  lose(dagId: DagId): void {
    const known = this.runs.get(dagId);
    if (known) this.runs.set(dagId, { ...known, units: [], done: new Set(), failed: new Set(), ended: LOST });
  }

  /** The story's hand: units finish and leave real merged files behind. */
  finish(_storageDir: string, count = Number.POSITIVE_INFINITY, dagId?: DagId): void {
    const known = this.#only(dagId);
    const open = known.units.filter((unit) => !known.done.has(unit) && !known.failed.has(unit));
    for (const unit of open.slice(0, count)) {
      const manifest = JSON.parse(readFileSync(join(known.run.submitDir, unit, "manifest.json"), "utf8"));
      const outputs = (manifest.outputs as Record<string, string>[]).map(({ name, dataset, lfn, path = "" }) => {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, unit);
        const file = { output: name, dataset, lfn, path, sizeBytes: unit.length };
        return { ...file, checksum: "cksum:1", events: 10, parents: [], ...this.fileFacts };
      });
      const text = { version: 1, unit, block: manifest.block, site: this.site, events: 10, outputs };
      writeFileSync(join(known.run.submitDir, unit, "merge_output.json"), JSON.stringify(text));
      known.done.add(unit);
    }
    if (known.done.size + known.failed.size === known.units.length) {
      known.ended ??= known.failed.size
        ? { verdict: "failed", text: "1 node failed" }
        : { verdict: "success", text: "" };
    }
  }

  fail(count: number, how: Partial<AttemptRecord> = {}, dagId?: DagId): void {
    const known = this.#only(dagId);
    const open = known.units.filter((unit) => !known.done.has(unit) && !known.failed.has(unit));
    for (const unit of open.slice(0, count)) {
      known.failed.add(unit);
      this.#cluster += 1;
      const usual = {
        event: "attempt",
        at: "2026-01-01T00:00:00Z",
        node: this.#firstJob(known.run.submitDir, unit),
        cluster: this.#cluster,
        retry: 3,
      };
      const failure = {
        maxRetries: 3,
        exitCode: 8021,
        cause: "exit",
        site: "north",
        decision: "stop",
        why: "run-retries",
      };
      const line = { ...usual, ...failure, category: "transient", reason: "exit 8021 in step RECO", ...how };
      appendFileSync(join(known.run.submitDir, unit, "ledger.jsonl"), `${JSON.stringify(line)}\n`);
    }
  }
  #cluster = 0;

  #firstJob(submitDir: string, unit: string): string {
    const { nodes } = JSON.parse(readFileSync(join(submitDir, unit, "manifest.json"), "utf8")) as { nodes: object };
    return Object.keys(nodes)[0] ?? "";
  }

  /** A job of a graph ends, in whichever run, with its line in the ledger. */
  endJob(dagId: DagId, job: string, isDone: boolean, more: Partial<AttemptRecord> = {}): void {
    const known = this.runs.get(dagId);
    const dir = [known?.run.submitDir ?? "", dirname(known?.run.submitDir ?? "")].find((at) =>
      existsSync(join(at, "part_000")),
    );
    (isDone ? known?.done : known?.failed)?.add(job as UnitName);
    this.#cluster += 1;
    const how = isDone
      ? { decision: "done" }
      : { decision: "stop", why: "row-stops", category: "permanent", exitCode: 3 };
    const line = {
      event: "attempt",
      at: "2026-01-01T00:00:00Z",
      node: job,
      cluster: this.#cluster,
      cause: "exit",
      ...how,
      ...more,
    };
    appendFileSync(join(dir ?? "", "part_000", "ledger.jsonl"), `${JSON.stringify(line)}\n`);
  }

  endRun(dagId: DagId, verdict: RunVerdict): void {
    const known = this.runs.get(dagId);
    if (known) known.ended = { verdict, text: "" };
  }

  end(verdict: RunVerdict, text = ""): void {
    this.#only().ended = { verdict, text };
  }
}
