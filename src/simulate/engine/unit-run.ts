import { join } from "node:path";
import type { DagFile, NodeSpec } from "../../engine/local/dag-file.ts";
import type { LiveNode } from "../../engine/local/dag-machine.ts";
import type { Attempt } from "../../recovery/attempt.ts";
import { decideAttempt } from "../../recovery/decide.ts";
import { controlCode, type Decision, decideGroup } from "../../recovery/decision.ts";
import { historyOf, isAttempt, type LedgerLine, parseLedger } from "../../recovery/ledger-record.ts";
import { attemptRecord, summariseGroup } from "../../recovery/records.ts";
import { chance } from "../chance.ts";
import type { Planned } from "../virtual-time.ts";
import { attemptOf } from "./attempt.ts";
import type { Ending } from "./outcome.ts";
import type { Host, RunFacts } from "./host.ts";
import { pinTo, setInc, writeMerged, writeRescue, writeVerdict } from "./side-files.ts";
import type { Ticket } from "./site-pool.ts";
import { type Manifest, readGroupInc, readManifest, textIn } from "./submit-dir.ts";

interface SimNode extends LiveNode {
  readonly role: string;
  ticket: Ticket | null;
  planned: Planned | null;
  /** Ends the execution under way by force, as if the pool had taken it away. */
  evict: (() => void) | null;
}

export type UnitEnd = "done" | "failed" | "aborted";

/** One work unit in the engine: its group.dag, node by node, as DAGMan and POST would do it. */
export class UnitRun {
  readonly name: string;
  readonly nodes: readonly SimNode[];
  site: string | null = null;
  readonly #dir: string;
  readonly #host: Host;
  readonly #run: RunFacts;
  readonly #ended: (end: UnitEnd) => void;
  readonly #manifest: Manifest;
  readonly #lines: LedgerLine[];
  readonly #possible: readonly string[];
  readonly #rescueUsed: number;
  #pledged = 0;
  #over = false;

  constructor(
    name: string,
    dag: DagFile,
    rescue: { readonly number: number; readonly done: ReadonlySet<string> } | null,
    run: RunFacts,
    host: Host,
    ended: (end: UnitEnd) => void,
  ) {
    this.name = name;
    this.#dir = join(run.submitDir, name);
    this.#host = host;
    this.#run = run;
    this.#ended = ended;
    this.#manifest = readManifest(this.#dir);
    this.#lines = [...parseLedger(textIn(join(this.#dir, "ledger.jsonl")) ?? "").lines];
    this.#rescueUsed = rescue?.number ?? 0;
    const { desired, banned } = readGroupInc(this.#dir);
    const landed = rescue?.done.has("landing") && desired?.length === 1;
    const all = host.sites.all.map((site) => site.name);
    const here = (desired ?? all).filter((site) => !banned.includes(site));
    this.#possible = landed ? (host.possibleSites.get(this.#dir) ?? all) : here;
    if (!landed) host.possibleSites.set(this.#dir, here);
    if (landed) this.site = desired[0] ?? null;
    this.nodes = dag.nodes.map((spec) => ({
      spec,
      role: /^(landing|merge|cleanup)$/.exec(spec.name)?.[0] ?? "processing",
      state: rescue?.done.has(spec.name) ? "done" : "waiting",
      parentsLeft: spec.parents,
      attempt: 0,
      preReturn: 0,
      jobReturn: 0,
      detail: "",
      ticket: null,
      planned: null,
      evict: null,
    }));
    for (const node of this.nodes) if (node.state === "done") this.#freeChildren(node);
  }

  start(): void {
    const left = this.nodes.filter(({ state, role }) => state !== "done" && role === "processing");
    this.#pledged = left.length;
    if (this.site) this.#host.sites.pledge(this.site, this.#pledged);
    for (const node of this.nodes) if (node.state === "waiting" && node.parentsLeft === 0) this.#begin(node);
    this.#maybeEnd();
  }

  /** Everything under way is gone, and a rescue file says what was done. */
  cut(): void {
    this.#close();
    this.#writeRescue();
  }

  /** The same without a trace: nobody was there to write one. */
  drop(): void {
    this.#close();
  }

  /** The pool takes away whatever runs at a site. */
  evictAt(site: string): void {
    for (const node of this.nodes) if (node.ticket?.site === site) node.evict?.();
  }

  #begin(node: SimNode): void {
    this.#mark(node, "queued");
    if (node.role === "landing") return this.#land(node);
    const site = this.site ?? this.#host.sites.elect(this.#possible) ?? this.#possible[0] ?? "nowhere";
    this.#ask(node, site);
  }

  /** The landing job goes where the pool has room; it waits as long as no site that may be used is up. */
  #land(node: SimNode): void {
    const site = this.#host.sites.elect(this.#possible);
    if (site !== null) return this.#ask(node, site);
    this.#host.sites.whenSomeSiteIsUp(() => !this.#over && this.#land(node));
  }

  #ask(node: SimNode, site: string): void {
    const asks = this.#asksOf(node);
    node.ticket = this.#host.sites.ask(site, asks.cores, () => this.#execute(node, site, asks));
  }

  #asksOf(node: SimNode) {
    const asks = this.#run.asksOf(node.spec.file);
    const { values } = readGroupInc(this.#dir);
    const last = this.#lines.findLast((line) => isAttempt(line) && line.node === node.spec.name);
    const next = last && isAttempt(last) ? last : null;
    const most = (key: string, usual: number, boosted: number | null | undefined): number =>
      Math.max(values.get(`${node.spec.name}_${key}`) ?? usual, boosted ?? 0);
    return {
      cores: asks.cores,
      memoryMb: most("memory", asks.memoryMb, next?.nextMemoryMb),
      wallMinutes: most("wall_minutes", asks.wallMinutes, next?.nextWallMinutes),
    };
  }

  #execute(node: SimNode, site: string, asks: { cores: number; memoryMb: number; wallMinutes: number }): void {
    const { spec, role } = node;
    const history = historyOf(this.#lines, spec.name);
    const planned = this.#manifest.nodes[spec.name];
    const begun = {
      request: this.#run.request,
      unit: this.name,
      node: spec.name,
      role,
      site,
      speed: this.#host.sites.speedOf(site),
      attempt: 1 + history.records.filter((record) => record.epoch === history.epoch).length,
      epoch: history.epoch,
      atSec: this.#host.time.sec,
      memoryMb: asks.memoryMb,
      wallMinutes: asks.wallMinutes,
      files: planned?.inputs.map(({ path }) => path) ?? [],
      serial: 1 + history.records.length,
    };
    const startedAt = this.#host.time.now();
    const cluster = this.#host.nextCluster();
    this.#host.began(begun);
    const finish = (ending: Ending) => {
      node.planned?.cancel();
      node.evict = null;
      this.#run.whenFree(() => {
        if (this.#over) return;
        const attempt = attemptOf({
          begun,
          ending,
          cluster,
          dagRetry: node.attempt,
          maxRetries: spec.retries,
          startedAt,
          endedAt: this.#host.time.now(),
          host: `${site}-w${Math.floor(20 * chance(cluster, site))}`,
          sites: this.#possible,
          cores: asks.cores,
          steps: this.#manifest.steps.map(({ name }) => name),
          events: planned?.events ?? null,
        });
        this.#judge(node, decideAttempt(attempt, history, this.#run.policy, this.#host.time.now()), attempt);
      });
    };
    const ending = this.#host.outcomes.of(begun);
    const gone: Ending = { rule: null, result: { kind: "cause", cause: "evicted" }, seconds: 0, file: null };
    node.evict = () => finish(gone);
    node.planned = this.#host.time.after(ending.seconds, () => finish(ending));
  }

  /** What POST does: decides, leaves its records, and answers DAGMan with a control code. */
  #judge(node: SimNode, own: Decision, attempt: Attempt): void {
    const now = this.#host.time.now();
    const { settings } = this.#run.policy;
    const decision = decideGroup(own, summariseGroup(this.#lines, node.spec.name), settings.abortAfterAlike);
    const record = attemptRecord(attempt, decision, now);
    writeVerdict(this.#dir, attempt, decision, record, now);
    this.#lines.push(record);
    this.#host.judged(this.#run.request, this.name, attempt, decision);
    if (node.ticket) this.#host.sites.give(node.ticket);
    node.ticket = null;
    const code = controlCode(decision);
    if (code === 0) return this.#succeed(node, attempt.site);
    this.#keepBoosts(attempt, decision);
    if (node.spec.abort?.on === code) {
      this.#mark(node, "failed");
      this.#close();
      this.#writeRescue();
      return this.#ended("aborted");
    }
    if (code === 1 && node.attempt < node.spec.retries) return this.#retry(node, decision);
    this.#fail(node);
  }

  #retry(node: SimNode, decision: Decision): void {
    node.attempt += 1;
    const until = decision.notBefore === null ? 0 : Date.parse(decision.notBefore) - this.#host.time.ms;
    if (until <= 0) this.#begin(node);
    else node.planned = this.#host.time.after(until / 1000, () => !this.#over && this.#begin(node));
  }

  /** More memory or time for the next execution, whoever starts it: a line in group.inc. */
  #keepBoosts({ node, memoryMb, wallMinutes }: Attempt, decision: Decision): void {
    const values: Record<string, number> = {};
    if (decision.memoryMb !== null && decision.memoryMb > (memoryMb ?? 0))
      values[`${node}_memory`] = decision.memoryMb;
    if (decision.wallMinutes !== null && decision.wallMinutes > (wallMinutes ?? 0))
      values[`${node}_wall_minutes`] = decision.wallMinutes;
    if (Object.keys(values).length === 0) return;
    setInc(this.#dir, textIn(join(this.#dir, "group.inc")) ?? "", values);
  }

  #succeed(node: SimNode, site: string | null): void {
    this.#mark(node, "done");
    if (node.role === "landing" && site !== null) {
      this.site = site;
      this.#host.sites.pledge(site, this.#pledged);
      pinTo(this.#dir, textIn(join(this.#dir, "group.inc")) ?? "", site);
    }
    if (node.role === "merge") {
      writeMerged(this.#dir, this.name, this.#manifest, this.site);
      this.#host.merged(this.#run.request, this.name, this.#manifest);
    }
    for (const child of this.#freeChildren(node)) if (child.parentsLeft === 0) this.#begin(child);
    this.#maybeEnd();
  }

  #freeChildren(node: SimNode): readonly SimNode[] {
    const children = node.spec.children.map((index) => this.nodes[index] as SimNode);
    for (const child of children) child.parentsLeft -= 1;
    return children.filter((child) => child.state === "waiting");
  }

  #fail(node: SimNode): void {
    this.#mark(node, "failed");
    const doom = (spec: NodeSpec): void => {
      for (const index of spec.children) {
        const child = this.nodes[index] as SimNode;
        if (child.state !== "waiting") continue;
        child.state = "futile";
        doom(child.spec);
      }
    };
    doom(node.spec);
    this.#maybeEnd();
  }

  /** DAGMan goes on with what can still run, and ends when nothing can. */
  #maybeEnd(): void {
    if (this.#over || this.nodes.some(({ state }) => state === "queued")) return;
    const isDone = this.nodes.every(({ state }) => state === "done");
    this.#close();
    if (!isDone) this.#writeRescue();
    this.#ended(isDone ? "done" : "failed");
  }

  #mark(node: SimNode, state: SimNode["state"]): void {
    this.#run.count(node.state, -1);
    node.state = state;
    this.#run.count(state, 1);
  }

  #close(): void {
    this.#over = true;
    if (this.site) this.#host.sites.pledge(this.site, -this.#pledged);
    for (const node of this.nodes) {
      node.planned?.cancel();
      if (node.ticket) this.#host.sites.give(node.ticket);
      node.ticket = null;
      if (node.state === "queued") this.#mark(node, "ready");
    }
  }

  #writeRescue(): void {
    writeRescue(this.#dir, "group.dag", this.#rescueUsed + 1, this.#host.time.now(), this.nodes);
  }
}
