import { existsSync } from "node:fs";
import { join } from "node:path";
import { roleOfNode } from "../../domain/roles.ts";
import type { LoadedDag } from "../../engine/local/dag-load.ts";
import { type DagEvent, DagMachine, type LiveNode } from "../../engine/local/dag-machine.ts";
import { NO_ATTEMPT } from "../../recovery/attempt.ts";
import { decideAttempt } from "../../recovery/decide.ts";
import { controlCode, decideGroup } from "../../recovery/decision.ts";
import {
  type History,
  historyOf,
  isAttempt,
  type LedgerLine,
  parseLedger,
  staysDone,
} from "../../recovery/ledger-record.ts";
import { attemptRecord, summariseGroup } from "../../recovery/records.ts";
import { asksOf } from "../../submit-dir/include-file.ts";
import { readIfThere } from "../../submit-host/disk.ts";
import { applyRecord } from "../../submit-host/effects.ts";
import { chance } from "../chance.ts";
import type { Planned } from "../virtual-time.ts";
import { attemptOf } from "./attempt.ts";
import type { Beginning, Ending } from "./outcome.ts";
import { pinTo, writeMerged, writeRescue, writeVerdict } from "./side-files.ts";
import { type Host, NO_LIMITS, type SimRun } from "./sim-run.ts";
import type { Ticket } from "./site-pool.ts";
import { type Asks, type Manifest, readManifest, sitesIn } from "./submit-dir.ts";

export type UnitEnd = "done" | "failed";

/** PRE of a node that was ended for good. */
const STOPPED = 42;
const TAKEN_AWAY: Ending = { rule: null, result: { kind: "cause", cause: "evicted" }, seconds: 0, file: null };

/** A node that cools off, waits for a place, or runs. */
interface Job {
  ticket: Ticket | null;
  planned: Planned | null;
  /** Ends the execution under way by force, as if the pool had taken it away. */
  evict: (() => void) | null;
  /** What POST answers DAGMan. */
  verdict: number;
}

/** One work unit in the engine: its group.dag, run by the machine of the local engine, with jobs that only pretend. */
export class UnitRun {
  readonly name: string;
  readonly machine: DagMachine;
  site: string | null;
  readonly #dir: string;
  readonly #host: Host;
  readonly #run: SimRun;
  readonly #ended: (end: UnitEnd) => void;
  readonly #manifest: Manifest;
  readonly #lines: LedgerLine[];
  /** Where the landing job may go. */
  readonly #electable: readonly string[];
  readonly #rescueUsed: number;
  readonly #jobs = new Map<LiveNode, Job>();
  #pledge: { readonly site: string; readonly nodes: number } | null = null;
  #over = false;

  constructor(name: string, { dag, rescue }: LoadedDag, run: SimRun, host: Host, ended: (end: UnitEnd) => void) {
    this.name = name;
    this.machine = new DagMachine(dag, NO_LIMITS);
    this.#dir = join(run.submitDir, name);
    this.#host = host;
    this.#run = run;
    this.#ended = ended;
    this.#manifest = readManifest(this.#dir);
    this.#lines = [...parseLedger(readIfThere(join(this.#dir, "ledger.jsonl")) ?? "").lines];
    this.#rescueUsed = rescue;
    const { desired, banned } = sitesIn(this.#dir);
    const landed = dag.byName.get("landing")?.done === true || staysDone(this.#lines, "landing");
    this.site = landed && desired?.length === 1 ? (desired[0] ?? null) : null;
    const all = host.sites.all.map((site) => site.name);
    this.#electable = (desired ?? all).filter((site) => !banned.includes(site));
  }

  start(): void {
    if (this.site) this.#pledgeTo(this.site);
    this.#handle({ k: "start" });
  }

  /** Everything under way is gone, and a rescue file says what was done; `traceless`: nobody was there to write one. */
  cut(traceless: boolean): void {
    this.#over = true;
    this.#pledgeTo(null);
    for (const job of this.#inOrder()) {
      job.planned?.cancel();
      if (job.ticket) this.#host.sites.give(job.ticket);
    }
    if (!traceless)
      writeRescue(this.#dir, "group.dag", this.#rescueUsed + 1, this.#host.time.now(), this.machine.nodes);
  }

  /** The pool takes away whatever runs at a site. */
  evictAt(site: string): void {
    for (const job of this.#inOrder()) if (job.ticket?.site === site) job.evict?.();
  }

  #inOrder(): readonly Job[] {
    return this.machine.nodes.flatMap((node) => this.#jobs.get(node) ?? []);
  }

  #handle(event: DagEvent): void {
    for (const action of this.machine.handle(event)) {
      if (action.kind === "end" || action.kind === "kill") {
        // What a node that ends its unit leaves under way is gone at once.
        const isDone = action.kind === "end" && action.outcome.exit === 0;
        this.cut(isDone);
        this.#ended(isDone ? "done" : "failed");
        return;
      }
      const { node } = action;
      if (action.kind === "pre") this.#pre(node);
      else if (action.kind === "job") this.#place(node);
      else if (action.kind === "post") this.#post(node);
    }
  }

  /** As bin/pre: a node that is done or was ended for good is not started, one that cools off waits. */
  #pre(node: LiveNode): void {
    const { name } = node.spec;
    const answer = (code: number) => this.#handle({ k: "pre", n: name, code });
    if (node.spec.preSkip !== null && staysDone(this.#lines, name)) {
      answer(node.spec.preSkip);
      return;
    }
    if (existsSync(join(this.#dir, `${name}.stopped`))) {
      answer(STOPPED);
      return;
    }
    const job: Job = { ticket: null, planned: null, evict: null, verdict: 0 };
    this.#jobs.set(node, job);
    const waits = Number(readIfThere(join(this.#dir, `${name}.wait`)) ?? 0) * 1000 - this.#host.time.ms;
    if (waits > 0) job.planned = this.#host.time.after(waits / 1000, () => answer(0));
    else answer(0);
  }

  /** The landing job goes where the pool has room; it waits as long as no site that may be used is up. */
  #place(node: LiveNode): void {
    if (this.#over) return;
    const { sites } = this.#host;
    let site = this.site ?? sites.elect(this.#electable);
    if (node.spec.name === "landing") {
      site = sites.elect(this.#electable);
      this.#pledgeTo(site);
      if (site === null) {
        sites.whenSomeSiteIsUp(() => this.#place(node));
        return;
      }
    }
    const where = site ?? "nowhere";
    const asks = this.#asksOf(node);
    const job = this.#jobs.get(node) as Job;
    job.ticket = sites.ask(where, asks.cores, (cluster) => this.#execute(node, job, where, asks, cluster));
  }

  /** The pool knows what is coming, so that the next landing job goes elsewhere. */
  #pledgeTo(site: string | null): void {
    const { sites } = this.#host;
    if (this.#pledge) sites.pledge(this.#pledge.site, -this.#pledge.nodes);
    const left = this.machine.nodes.filter(
      ({ state, spec }) => state !== "done" && roleOfNode(spec.name) === "processing",
    );
    this.#pledge = site === null ? null : { site, nodes: left.length };
    if (this.#pledge) sites.pledge(this.#pledge.site, this.#pledge.nodes);
  }

  #asksOf({ spec }: LiveNode): Asks {
    const usual = this.#run.asksOf(spec.file);
    const own = asksOf(readIfThere(join(this.#dir, "group.inc")) ?? "", spec.name);
    return {
      cores: usual.cores,
      memoryMb: own.memoryMb ?? usual.memoryMb,
      wallMinutes: own.wallMinutes ?? usual.wallMinutes,
    };
  }

  /** A job begins at a site. How it will end is settled now; POST hears of it when that time has come. */
  #execute({ spec, attempt }: LiveNode, job: Job, site: string, asks: Asks, cluster: number): void {
    const { time, sites, outcomeOf, listener } = this.#host;
    const history = historyOf(this.#lines, spec.name);
    const planned = this.#manifest.nodes[spec.name];
    const begun: Beginning = {
      request: this.#run.request,
      job: {
        ...NO_ATTEMPT,
        unit: this.name,
        node: spec.name,
        role: roleOfNode(spec.name),
        cluster,
        dagRetry: attempt,
        maxRetries: spec.retries,
        site,
        host: `${site}-w${Math.floor(20 * chance(cluster, site))}`,
        sites: this.#manifest.sites?.length ? this.#manifest.sites : null,
        ...asks,
        inputs: planned?.inputs.map(({ lfn }) => lfn) ?? [],
      },
      speed: sites.speedOf(site),
      attempt: 1 + history.records.filter((record) => record.epoch === history.epoch).length,
      epoch: history.epoch,
      serial: 1 + history.records.length,
      atSec: time.sec,
      startedAt: time.now(),
      events: planned?.events ?? null,
      steps: this.#manifest.steps.map((step) => step.name),
    };
    listener.began(begun);
    const finish = (end: Ending): void => {
      job.planned?.cancel();
      job.evict = null;
      this.#run.whenFree(() => !this.#over && this.#judge(job, begun, end, history));
    };
    const ending = outcomeOf(begun);
    job.evict = () => finish(TAKEN_AWAY);
    job.planned = time.after(ending.seconds, () => finish(ending));
  }

  /** What POST does: decides, and leaves its records. */
  #judge(job: Job, begun: Beginning, ending: Ending, history: History): void {
    const now = this.#host.time.now();
    const { policy } = this.#run;
    const attempt = attemptOf(begun, ending, now);
    const own = decideAttempt(attempt, history, policy, now);
    const decision = decideGroup(own, summariseGroup(this.#lines, attempt.node), policy.settings.abortAfterAlike);
    const record = attemptRecord(attempt, decision, now);
    const isFirst = !this.#lines.some((line) => isAttempt(line) && line.node === record.node);
    writeVerdict(this.#dir, attempt, decision, record, isFirst);
    job.verdict = controlCode(decision);
    if (job.verdict !== 0) applyRecord(this.#dir, record, !policy.settings.siteAffinity);
    this.#lines.push(record);
    this.#host.listener.judged(begun, attempt, decision);
    if (job.ticket) this.#host.sites.give(job.ticket);
    if (job.verdict === 0) this.#succeeded(begun.job);
    this.#handle({ k: "job", n: attempt.node, code: attempt.dagReturn });
  }

  #post(node: LiveNode): void {
    const job = this.#jobs.get(node);
    this.#jobs.delete(node);
    this.#handle({ k: "post", n: node.spec.name, code: job?.verdict ?? 0 });
  }

  #succeeded({ role, site }: Beginning["job"]): void {
    if (role === "landing") {
      this.site = site;
      pinTo(this.#dir, site);
    }
    if (role === "merge") {
      writeMerged(this.#dir, this.name, this.#manifest, this.site);
      this.#host.listener.merged(this.#run.request, this.name, this.#manifest);
    }
  }
}
