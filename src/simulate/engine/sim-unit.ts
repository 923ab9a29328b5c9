import { existsSync } from "node:fs";
import { join } from "node:path";
import { MERGE_GROUP, reports, roleOfNode } from "../../domain/roles.ts";
import { DagRecord, writeRescue } from "../../engine/dag/dag-record.ts";
import type { JobSpec } from "../../engine/dag/job-spec.ts";
import type { DagMachine, DagOutcome, LiveNode } from "../../engine/dag/machine.ts";
import { type Attempt, NO_ATTEMPT } from "../../recovery/attempt.ts";
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
import { attemptRecord, summarizeGroup } from "../../recovery/records.ts";
import { CODES, UNIT_CODES } from "../../submit-dir/codes.ts";
import type { Manifest } from "../../submit-dir/manifest.ts";
import { waitMs } from "../../submit-dir/markers.ts";
import { nodeFile, UNIT } from "../../submit-dir/names.ts";
import { readIfThere } from "../../submit-host/disk.ts";
import { applyRecord } from "../../submit-host/effects.ts";
import { chance } from "../chance.ts";
import { attemptOf } from "./attempt.ts";
import type { Beginning, Ending } from "./outcome.ts";
import { pinTo, writeMerged, writeVerdict } from "./side-files.ts";
import type { SimRun } from "./sim-run.ts";
import { desiredSites, manifestIn } from "./submit-dir.ts";

export type UnitEnd = "done" | "failed";

const TAKEN_AWAY: Ending = { rule: null, result: { kind: "cause", cause: "evicted" }, seconds: 0, file: null };
const WALL_MINUTES = 480;

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

  /** As bin/pre: a node that is done or was ended for good is not started, one that cools off waits. */
  pre({ spec: { name, preSkip } }: LiveNode): { readonly code: number; readonly afterSec: number } {
    if (preSkip !== null && staysDone(this.#lines, name)) return { code: preSkip, afterSec: 0 };
    if (existsSync(join(this.#dir, nodeFile(name, "stopped")))) return { code: CODES.stop, afterSec: 0 };
    const until = waitMs(readIfThere(join(this.#dir, nodeFile(name, "wait"))));
    return { code: CODES.done, afterSec: Math.max(0, until - this.#run.host.time.ms) / 1000 };
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
        unit: this.name,
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
    const decision = decideGroup(own, summarizeGroup(this.#lines, attempt.node), policy.settings.abortAfterAlike);
    const record = attemptRecord(attempt, decision, now);
    const isFirst = !this.#lines.some((line) => isAttempt(line) && line.node === record.node);
    writeVerdict(this.#dir, attempt, decision, record, isFirst);
    const code = controlCode(decision);
    if (code !== 0) applyRecord(this.#dir, record, !policy.settings.siteAffinity);
    this.#lines.push(record);
    host.listener.decided(begun, attempt, decision);
    if (code === 0) this.#succeeded(begun.job);
    return code;
  }

  /** A cleanup that failed does not undo the outputs, unless it found them missing. */
  get isMade(): boolean {
    const has = existsSync(join(this.#dir, UNIT.mergeOutput));
    const cleanup = has ? readIfThere(join(this.#dir, nodeFile("cleanup", "post"))) : null;
    return cleanup !== null && !cleanup.includes("70318");
  }

  /** As bin/unit: only a node whose row says so ends the other units too. */
  unitPost({ jobReturn }: LiveNode): number {
    if (jobReturn !== 0 && existsSync(join(this.#dir, UNIT.abort))) return UNIT_CODES.abortRun;
    return this.isMade ? 0 : jobReturn;
  }

  #succeeded({ role, site }: Beginning["job"]): void {
    if (!reports(role)) {
      this.site = site;
      pinTo(this.#dir, site);
    }
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
