import { existsSync } from "node:fs";
import { join } from "node:path";
import type { DagFile, NodeSpec } from "../../engine/local/dag-file.ts";
import type { Attempt } from "../../recovery/attempt.ts";
import { decideAttempt } from "../../recovery/decide.ts";
import { controlCode, type Decision, decideGroup } from "../../recovery/decision.ts";
import { historyOf, isAttempt, type LedgerLine, parseLedger } from "../../recovery/ledger-record.ts";
import { attemptRecord, summariseGroup } from "../../recovery/records.ts";
import { applyRecord } from "../../submit-host/effects.ts";
import { execute, type SimNode, type UnitFacts } from "./execution.ts";
import type { Host, RunFacts } from "./host.ts";
import type { Beginning } from "./outcome.ts";
import { pinTo, writeMerged, writeRescue, writeVerdict } from "./side-files.ts";
import { type Asks, type Manifest, readGroupInc, readManifest, textIn } from "./submit-dir.ts";

export type UnitEnd = "done" | "failed";

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
  readonly #facts: UnitFacts;
  /** Where the landing job may go. */
  readonly #electable: readonly string[];
  readonly #rescueUsed: number;
  #pledge: { readonly site: string; readonly nodes: number } | null = null;
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
    const all = host.sites.all.map((site) => site.name);
    const { desired, banned } = readGroupInc(this.#dir);
    const landed = rescue?.done.has("landing") === true && desired?.length === 1;
    this.site = landed ? (desired?.[0] ?? null) : null;
    this.#electable = (desired ?? all).filter((site) => !banned.includes(site));
    const possible = this.#manifest.sites?.length ? this.#manifest.sites : null;
    this.#facts = { name, run, host, manifest: this.#manifest, possible };
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
    if (this.site) this.#pledgeTo(this.site);
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

  /** As bin/pre: a node that was ended for good is not started, one that cools off waits. */
  #begin(node: SimNode): void {
    this.#mark(node, "queued");
    const { name } = node.spec;
    if (existsSync(join(this.#dir, `${name}.stopped`))) {
      this.#fail(node);
      return;
    }
    const waits = Number(textIn(join(this.#dir, `${name}.wait`)) ?? 0) * 1000 - this.#host.time.ms;
    if (waits > 0) node.planned = this.#host.time.after(waits / 1000, () => !this.#over && this.#place(node));
    else this.#place(node);
  }

  #place(node: SimNode): void {
    if (node.role === "landing") this.#land(node);
    else this.#ask(node, this.site ?? this.#host.sites.elect(this.#electable) ?? "nowhere");
  }

  /** The landing job goes where the pool has room; it waits as long as no site that may be used is up. */
  #land(node: SimNode): void {
    const site = this.#host.sites.elect(this.#electable);
    this.#pledgeTo(site);
    if (site !== null) this.#ask(node, site);
    else this.#host.sites.whenSomeSiteIsUp(() => !this.#over && this.#land(node));
  }

  /** The pool knows what is coming, so that the next landing job goes elsewhere. */
  #pledgeTo(site: string | null): void {
    const { sites } = this.#host;
    if (this.#pledge) sites.pledge(this.#pledge.site, -this.#pledge.nodes);
    const left = this.nodes.filter(({ state, role }) => state !== "done" && role === "processing");
    this.#pledge = site === null ? null : { site, nodes: left.length };
    if (this.#pledge) sites.pledge(this.#pledge.site, this.#pledge.nodes);
  }

  #ask(node: SimNode, site: string): void {
    const asks = this.#asksOf(node);
    node.ticket = this.#host.sites.ask(site, asks.cores, () => this.#execute(node, site, asks));
  }

  #asksOf({ spec }: SimNode): Asks {
    const usual = this.#run.asksOf(spec.file);
    const { values } = readGroupInc(this.#dir);
    return {
      cores: usual.cores,
      memoryMb: values.get(`${spec.name}_memory`) ?? usual.memoryMb,
      wallMinutes: values.get(`${spec.name}_wall_minutes`) ?? usual.wallMinutes,
    };
  }

  #execute(node: SimNode, site: string, asks: Asks): void {
    const history = historyOf(this.#lines, node.spec.name);
    execute(this.#facts, node, site, asks, history, (begun, attempt) => {
      if (this.#over) return;
      const decision = decideAttempt(attempt, history, this.#run.policy, this.#host.time.now());
      this.#judge(node, begun, decision, attempt);
    });
  }

  /** What POST does: decides, leaves its records, and answers DAGMan with a control code. */
  #judge(node: SimNode, begun: Beginning, own: Decision, attempt: Attempt): void {
    const now = this.#host.time.now();
    const { settings } = this.#run.policy;
    const decision = decideGroup(own, summariseGroup(this.#lines, node.spec.name), settings.abortAfterAlike);
    const record = attemptRecord(attempt, decision, now);
    const code = controlCode(decision);
    const isFirst = !this.#lines.some((line) => isAttempt(line) && line.node === record.node);
    writeVerdict(this.#dir, attempt, decision, record, now, isFirst);
    if (code !== 0) applyRecord(this.#dir, record, !settings.siteAffinity);
    this.#lines.push(record);
    this.#host.judged(begun, attempt, decision);
    if (node.ticket) this.#host.sites.give(node.ticket);
    node.ticket = null;
    if (code === 0) {
      this.#succeed(node, attempt.site);
      return;
    }
    if (node.spec.abort?.on === code) {
      this.#mark(node, "failed");
      this.#close();
      this.#writeRescue();
      this.#ended("failed");
      return;
    }
    if (code !== 1 || node.attempt >= node.spec.retries) {
      this.#fail(node);
      return;
    }
    node.attempt += 1;
    this.#begin(node);
  }

  #succeed(node: SimNode, site: string | null): void {
    this.#mark(node, "done");
    if (node.role === "landing" && site !== null) {
      this.site = site;
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
    this.#pledgeTo(null);
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
