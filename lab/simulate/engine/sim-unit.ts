import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { jobIndex } from "../../../src/core/names.ts";
import { FLAT_GRAPH, MERGE_GROUP, reports, roleOfNode } from "../../../src/core/roles.ts";
import { DagRecord, writeRescue } from "../../../src/engines/dag/dag-record.ts";
import type { JobSpec } from "../../../src/engines/dag/job-spec.ts";
import type { DagMachine, DagOutcome, LiveNode } from "../../../src/engines/dag/machine.ts";
import { type Attempt, NO_ATTEMPT } from "../../../src/recovery/attempt.ts";
import { decideAttempt } from "../../../src/recovery/decide.ts";
import { controlCode, decideGroup } from "../../../src/recovery/decision.ts";
import {
  type AttemptRecord,
  type History,
  historyOf,
  isAttempt,
  type LedgerLine,
  parseLedger,
  staysDone,
} from "../../../src/recovery/ledger-record.ts";
import { attemptRecord, summariseGroup } from "../../../src/recovery/records.ts";
import { CODES } from "../../../src/submit-dir/codes.ts";
import { endedIn } from "../../../src/submit-dir/ended-list.ts";
import type { Manifest } from "../../../src/submit-dir/manifest.ts";
import { waitMs } from "../../../src/submit-dir/markers.ts";
import { nodeFile, TOP, UNIT, unitFolder } from "../../../src/submit-dir/names.ts";
import { append, readIfThere } from "../../../src/submit-dir/post/disk.ts";
import { applyRecord } from "../../../src/submit-dir/post/effects.ts";
import { chance } from "../chance.ts";
import { attemptOf } from "./attempt.ts";
import type { Beginning, Ending } from "./outcome.ts";
import { pinTo, writeMerged, writeVerdict } from "./side-files.ts";
import type { SimRun } from "./sim-run.ts";
import { desiredSites, manifestIn } from "./submit-dir.ts";

export type UnitEnd = "done" | "failed";

const TAKEN_AWAY: Ending = { rule: null, result: { kind: "cause", cause: "evicted" }, seconds: 0, file: null };
const WALL_MINUTES = 480;
const NO_GROUP = { alike: {}, succeeded: 0 };

/** One work unit in the engine, beside the executor that runs its group.dag: what its jobs and scripts would know and do. */
export class SimUnit extends DagRecord {
  readonly name: string;
  site: string | null = null;
  readonly #dir: string;
  readonly #run: SimRun;
  readonly #attempts = new Map<number, { begun: Beginning; attempt: Attempt; history: History }>();
  #manifest!: Manifest;
  #lines: LedgerLine[] = [];
  #machine!: DagMachine;
  #rescueUsed = 0;
  #pledge: { readonly site: string; readonly nodes: number } | null = null;
  #isRemoved = false;

  constructor(name: string, dir: string, run: SimRun) {
    super();
    this.name = name;
    this.#dir = dir;
    this.#run = run;
  }

  override open(machine: DagMachine, rescueUsed: number): void {
    this.#machine = machine;
    this.#rescueUsed = rescueUsed;
    this.#manifest = manifestIn(this.#dir);
    this.#lines = [...parseLedger(readIfThere(join(this.#dir, UNIT.ledger)) ?? "").lines];
    const isDone = (node: LiveNode) => node.state === "done" || staysDone(this.#lines, node.spec.name);
    const landed = machine.nodes.some((node) => !reports(roleOfNode(node.spec.name)) && isDone(node));
    const desired = landed ? desiredSites(this.#dir) : null;
    this.site = desired?.length === 1 ? (desired[0] ?? null) : null;
    if (this.site) this.#pledgeTo(this.site);
  }

  /** Without its directory nothing can go on; a sub-DAG that cannot be read fails by itself. */
  override refuse(): void {
    this.#run.checkDirectory();
  }

  override end({ word }: DagOutcome): void {
    this.#pledgeTo(null);
    this.#isRemoved = word === "removed";
    this.#run.count(this.#machine);
    if (word !== "success" && this.#run.writesRescues)
      writeRescue(join(this.#dir, UNIT.dag), this.#rescueUsed, this.#run.host.time.now(), this.#machine.nodes);
  }

  override bye(exit: number): void {
    if (!this.#isRemoved) this.#run.unitEnded(this, exit === 0 ? "done" : "failed");
  }

  /** As bin/elect: the end of a job without POST is looked up before whatever comes next. What that answers. */
  #lookUp(): number {
    let code: number = CODES.done;
    for (const [cluster, { attempt }] of [...this.#attempts]) {
      const node = this.#machine.byName.get(attempt.node) as LiveNode;
      if (node.spec.post === null) code = this.post(node, cluster);
    }
    return code;
  }

  /** As bin/pre: a node that is done or was ended for good is not started, one that cools off waits. */
  pre({ spec: { name, preSkip, pre } }: LiveNode): { readonly code: number; readonly afterSec: number } {
    const code = this.#lookUp();
    if (code === CODES.stop || code === CODES.abort) return { code, afterSec: 0 };
    if (preSkip !== null && staysDone(this.#lines, name)) return { code: preSkip, afterSec: 0 };
    const { isSoft, by } = this.#before(name, pre?.arguments.slice(2) ?? []);
    const stop = { code: isSoft ? CODES.skip : CODES.stop, afterSec: 0 };
    if (by !== null) {
      this.#noteEnded(`${name} blocked ${by}`);
      return stop;
    }
    if (existsSync(join(this.#dir, nodeFile(name, "stopped")))) {
      if (isSoft) this.#noteEnded(`${name} failed`);
      return stop;
    }
    const until = waitMs(readIfThere(join(this.#dir, nodeFile(name, "wait"))));
    return { code: CODES.done, afterSec: Math.max(0, until - this.#run.host.time.ms) / 1000 };
  }

  /** What the jobs before this one came to, where DAGMan was not told: `by` failed, and blocks it. */
  #before(job: string, words: readonly string[]): { readonly isSoft: boolean; readonly by: string | null } {
    const isSoft = this.#manifest.nodes[job]?.soft === true;
    if (words.length === 0) return { isSoft, by: null };
    const top = join(this.#dir, "..");
    const ended = endedIn(readIfThere(join(top, TOP.ended)) ?? "");
    const jobs = words.flatMap((word) =>
      word.endsWith(".list") ? (readIfThere(join(top, word)) ?? "").split("\n") : [word],
    );
    const isAt = (at: string, again: boolean) =>
      ended.has(basename(at)) && (ended.get(basename(at))?.how === "again") === again;
    const found = jobs.find((at) => isAt(at, false));
    if (found !== undefined && words[0] !== "ended") {
      const first = ended.get(basename(found))?.by;
      return { isSoft, by: first ? `${unitFolder(first)}/${first}` : found };
    }
    if (found !== undefined || jobs.some((at) => isAt(at, true))) this.#noteEnded(`${job} again`);
    return { isSoft, by: null };
  }

  #noteEnded(line: string): void {
    const path = join(this.#dir, "..", TOP.ended);
    const text = `${this.name}/${line}\n`;
    if (!(readIfThere(path) ?? "").includes(text)) append(path, text);
  }

  /** The pool knows what is coming, so that the next landing job goes elsewhere. */
  placed(job: JobSpec, site: string): void {
    if (!reports(roleOfNode(job.node))) this.#pledgeTo(site);
  }

  /** A job begins at a site. How it will end is known now; POST hears of it when that time has come. */
  begins(spec: JobSpec, site: string, serial: number) {
    const { request, host } = this.#run;
    const { time, listener, outcomeOf, sites } = host;
    const { cluster, node, memoryMb, cpus: cores, wallMinutes } = spec;
    const history = historyOf(this.#lines, node);
    const planned = this.#manifest.nodes[node];
    const live = this.#machine.byName.get(node) as LiveNode;
    const begun: Beginning = {
      request,
      job: {
        ...NO_ATTEMPT,
        unit: jobIndex(node) === null ? this.name : node,
        node,
        role: roleOfNode(node),
        cluster,
        dagRetry: live.attempt,
        maxRetries: live.spec.retries,
        site,
        host: `${site}-w${Math.floor(20 * chance(serial, site))}`,
        sites: this.#manifest.sites?.length ? this.#manifest.sites : null,
        cores,
        memoryMb,
        wallMinutes: wallMinutes ?? WALL_MINUTES,
        inputs: planned?.inputs.map(({ lfn }) => lfn) ?? [],
      },
      name: planned?.name ?? null,
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
    const ending = outcomeOf(begun);
    const endAs = (end: Ending) => () => {
      const attempt = attemptOf(begun, end, time.now());
      this.#attempts.set(cluster, { begun, attempt, history });
      const none = { userSec: 0, systemSec: 0, wallSec: 0, memoryMb: null };
      return { kind: "exited" as const, code: attempt.dagReturn, used: none };
    };
    return { seconds: ending.seconds, end: endAs(ending), takenAway: endAs(TAKEN_AWAY) };
  }

  /** What POST does: decides, leaves its records, and answers DAGMan. */
  post({ jobReturn }: LiveNode, cluster: number | null): number {
    const ended = this.#attempts.get(cluster ?? 0);
    if (!ended) return jobReturn === 0 ? 0 : 1;
    const { begun, attempt, history } = ended;
    this.#attempts.delete(cluster ?? 0);
    const { policy, host } = this.#run;
    const now = host.time.now();
    const own = decideAttempt(attempt, history, policy, now);
    // Jobs of a graph share a folder, and nothing else.
    const group = jobIndex(attempt.node) === null ? summariseGroup(this.#lines, attempt.node) : NO_GROUP;
    const decision = decideGroup(own, group, policy.settings.abortAfterAlike);
    const record = attemptRecord(attempt, decision, now);
    const isFirst = !this.#lines.some((line) => isAttempt(line) && line.node === record.node);
    writeVerdict(this.#dir, attempt, decision, record, isFirst);
    const code = controlCode(decision);
    if (code !== 0) applyRecord(this.#dir, record, !policy.settings.siteAffinity);
    this.#lines.push(record);
    host.listener.decided(begun, attempt, decision);
    if (code === 0) this.#succeeded(begun.job);
    return jobIndex(attempt.node) === null ? code : this.#jobPost(record, code);
  }

  /** As POST: the end of a job that others wait for is no failure to DAGMan. */
  #jobPost({ node, retry, maxRetries, site }: AttemptRecord, code: number): number {
    if (code === CODES.abort || (code === CODES.retry && retry < maxRetries)) return code;
    const isSoft = this.#manifest.nodes[node]?.soft === true;
    if (code !== CODES.done && isSoft) this.#noteEnded(`${node} failed`);
    this.#run.jobEnded(node, code === CODES.done ? "done" : "failed", site);
    return isSoft ? CODES.done : code;
  }

  /** A cleanup that failed does not undo the outputs, unless it found them missing. */
  get isMade(): boolean {
    const has = existsSync(join(this.#dir, UNIT.mergeOutput));
    const cleanup = has ? readIfThere(join(this.#dir, nodeFile("cleanup", "post"))) : null;
    return cleanup !== null && !cleanup.includes("70318");
  }

  /** As bin/unit: only a node whose row says so ends the other units too. */
  unitPre({ attempt }: LiveNode): number {
    if (attempt === 0) return CODES.done;
    this.#lookUp();
    if (existsSync(join(this.#dir, UNIT.abort))) return CODES.abort;
    return this.isMade ? CODES.skip : CODES.retry;
  }

  #succeeded({ role, site, node }: Beginning["job"]): void {
    if (!reports(role)) {
      this.site = site;
      pinTo(this.#dir, site);
    }
    // One that waited for an end may run again.
    if (role === FLAT_GRAPH.finishedBy && this.#manifest.nodes[node]?.when !== "ended")
      this.#run.host.listener.merged(this.#run.request, node, { ...this.#manifest, nodes: {} });
    if (role === MERGE_GROUP.finishedBy) {
      writeMerged(this.#dir, this.name, this.#manifest, this.site);
      this.#run.host.listener.merged(this.#run.request, this.name, this.#manifest);
    }
  }

  #pledgeTo(site: string | null): void {
    const { sites } = this.#run.host;
    if (this.#pledge) sites.pledge(this.#pledge.site, -this.#pledge.nodes);
    const left = this.#machine.nodes.filter(
      ({ state, spec }) => state !== "done" && roleOfNode(spec.name) === "processing",
    );
    this.#pledge = site === null ? null : { site, nodes: left.length };
    if (this.#pledge) sites.pledge(this.#pledge.site, this.#pledge.nodes);
  }
}
