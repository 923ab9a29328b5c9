import { InvariantError } from "../../core/base/errors.ts";
import type { NodeState } from "../../core/run.ts";
import type { DagFile, NodeSpec } from "./dag-file.ts";
import { type DagLimits, DEFAULT_LIMITS, Turns } from "./turns.ts";

/**
 * One DAG as DAGMan would run it: what happened goes in, what to do next comes out. It knows neither time nor
 * processes, and the same events in the same order give the same actions: that is how a journal brings a DAG
 * back after a crash. Every event costs O(children), and O(categories) per node started.
 *
 * Events are lines of the journal as they stand there: `k` is the kind, `n` the name of a node.
 */
export type DagEvent =
  | { readonly k: "start" }
  /** A part of a node ended. `code` of a job as DAGMan's $RETURN: exit code, -signal, -1001 not submitted, -1002 removed. */
  | { readonly k: NodePart; readonly n: string; readonly code: number }
  /** A deferral is over. */
  | { readonly k: "deferred"; readonly n: string }
  /** hold and release: nothing new begins meanwhile. */
  | { readonly k: "pause"; readonly on: boolean }
  /** The halt file: like a pause, but a drained DAG ends. */
  | { readonly k: "halt"; readonly on: boolean }
  | { readonly k: "remove" }
  /** Everything that `kill` asked for is gone. */
  | { readonly k: "killed" };

export type NodePart = ScriptPart | "job";
export type ScriptPart = "pre" | "post";

export type DagAction =
  | { readonly kind: NodePart; readonly node: LiveNode }
  | { readonly kind: "defer"; readonly node: LiveNode; readonly seconds: number }
  | { readonly kind: "kill" }
  | { readonly kind: "end"; readonly outcome: DagOutcome };

/** `status` as in metrics, `word` as in the status file; halted DAGs say 0 with exit 1. */
export interface DagOutcome {
  readonly exit: number;
  readonly status: 0 | 2 | 3 | 4 | 5;
  readonly word: "success" | "failed" | "aborted" | "removed" | "cycle" | "halted";
}

export interface LiveNode {
  readonly spec: NodeSpec;
  state: NodeState;
  parentsLeft: number;
  /** $RETRY: 0 for the first attempt of this run. */
  attempt: number;
  /** $RETURN of the attempt under way or just ended. */
  jobReturn: number;
  detail: string;
}

type Counts = Record<NodeState, number>;

export class DagMachine {
  readonly nodes: readonly LiveNode[];
  readonly byName: ReadonlyMap<string, LiveNode>;
  readonly counts: Counts = { waiting: 0, ready: 0, pre: 0, queued: 0, post: 0, done: 0, failed: 0, futile: 0 };
  outcome: DagOutcome | null = null;
  paused = false;
  halted = false;
  private readonly turns: Turns;
  private ending: DagOutcome | null = null;
  private actions: DagAction[] = [];

  constructor(dag: DagFile, limits: DagLimits = DEFAULT_LIMITS) {
    this.turns = new Turns(dag.nodes, dag.maxJobs, limits);
    this.nodes = dag.nodes.map((spec) => ({
      spec,
      state: "waiting",
      parentsLeft: spec.parents,
      attempt: 0,
      jobReturn: 0,
      detail: "",
    }));
    this.byName = new Map(this.nodes.map((node) => [node.spec.name, node]));
    this.counts.waiting = this.nodes.length;
    for (const node of this.nodes) {
      if (!node.spec.done) continue;
      this.move(node, "done");
      for (const child of node.spec.children) (this.nodes[child] as LiveNode).parentsLeft -= 1;
    }
  }

  /** Nodes with a process, a job or a script under way (or a deferral). */
  get active(): number {
    return this.counts.pre + this.counts.queued + this.counts.post;
  }

  get isEnding(): boolean {
    return this.ending !== null;
  }

  handle(event: DagEvent): DagAction[] {
    this.actions = [];
    if (this.outcome) return [];
    if (this.ending) {
      if (event.k === "killed") this.end(this.ending);
      return this.actions;
    }
    switch (event.k) {
      case "start":
        for (const node of this.nodes) if (node.state === "waiting" && node.parentsLeft === 0) this.makeReady(node);
        break;
      case "pre":
      case "post":
        this.scriptEnded(this.node(event.n, event.k), event.k, event.code);
        break;
      case "job":
        this.jobEnded(this.node(event.n, "queued"), event.code);
        break;
      case "deferred":
        this.deferralOver(this.byName.get(event.n) as LiveNode);
        break;
      case "pause":
        this.paused = event.on;
        break;
      case "halt":
        this.halted = event.on;
        break;
      case "remove":
        this.stopWith({ exit: 2, status: 4, word: "removed" });
        break;
      case "killed":
        break;
    }
    if (!this.ending) this.schedule();
    return this.actions;
  }

  private node(name: string, expected: NodeState): LiveNode {
    const node = this.byName.get(name);
    if (node?.state !== expected) throw new InvariantError(`node ${name} is ${node?.state}, not ${expected}`);
    return node;
  }

  private move(node: LiveNode, state: NodeState, detail = ""): void {
    this.counts[node.state] -= 1;
    this.counts[state] += 1;
    node.state = state;
    node.detail = detail;
  }

  private makeReady(node: LiveNode): void {
    this.move(node, "ready");
    if (node.spec.pre) this.turns.scriptDue(node, "pre");
    else this.turns.jobDue(node);
  }

  private scriptEnded(node: LiveNode, part: ScriptPart, code: number): void {
    if (this.isDeferred(node, part, code)) return;
    if (part === "pre" && code === node.spec.preSkip) this.succeed(node);
    else if (code !== 0) this.fail(node, code, `${part.toUpperCase()} script failed with status ${code}`);
    else if (part === "post") this.succeed(node);
    else {
      this.move(node, "ready");
      this.turns.jobDue(node);
    }
  }

  private jobEnded(node: LiveNode, code: number): void {
    this.turns.jobLeft(node);
    node.jobReturn = code;
    if (node.spec.post) {
      this.move(node, "post");
      this.turns.scriptDue(node, "post");
    } else if (code === 0) this.succeed(node);
    else this.fail(node, code, `Job proc failed with ${code < 0 ? jobFailure(code) : `status ${code}`}`);
  }

  /** A script has left its place; did it ask to be run again later? */
  private isDeferred(node: LiveNode, part: ScriptPart, code: number): boolean {
    this.turns.scriptLeft(part);
    const defer = node.spec[part]?.defer;
    if (defer?.status !== code) return false;
    node.detail = `script deferred for ${defer.seconds} s`;
    this.actions.push({ kind: "defer", node, seconds: defer.seconds });
    return true;
  }

  private deferralOver(node: LiveNode): void {
    if (node.state === "post") this.turns.scriptDue(node, "post");
    // Back to ready, so that a halt in the meantime finds nothing begun.
    else if (node.state === "pre") {
      this.move(node, "ready");
      this.turns.scriptDue(node, "pre");
    }
  }

  private succeed(node: LiveNode): void {
    if (node.spec.abort?.on === 0) {
      this.abort(node, 0);
      return;
    }
    this.move(node, "done");
    for (const index of node.spec.children) {
      const child = this.nodes[index] as LiveNode;
      child.parentsLeft -= 1;
      if (child.parentsLeft === 0 && child.state === "waiting") this.makeReady(child);
    }
  }

  private fail(node: LiveNode, code: number, detail: string): void {
    if (node.spec.abort?.on === code) {
      this.abort(node, code);
      return;
    }
    if (node.attempt < node.spec.retries && code !== node.spec.unlessExit) {
      node.attempt += 1;
      this.makeReady(node);
      return;
    }
    this.move(node, "failed", detail);
    const doomed = [...node.spec.children];
    for (let index = doomed.pop(); index !== undefined; index = doomed.pop()) {
      const heir = this.nodes[index] as LiveNode;
      if (heir.state !== "waiting") continue;
      this.move(heir, "futile");
      doomed.push(...heir.spec.children);
    }
  }

  /** The abort value wins over retries; the node itself counts as done only when the value was 0. */
  private abort(node: LiveNode, code: number): void {
    this.move(node, code === 0 ? "done" : "failed", `ABORT-DAG-ON value ${code}`);
    const exit = node.spec.abort?.returns ?? Math.abs(code) % 256;
    // RETURN 0 ends as a success would: DagStatus 0 and no rescue file (HTCondor 23.9.6).
    this.stopWith(exit === 0 ? { exit, status: 0, word: "success" } : { exit, status: 3, word: "aborted" });
  }

  private stopWith(outcome: DagOutcome): void {
    this.ending = outcome;
    this.actions.push({ kind: "kill" });
  }

  private end(outcome: DagOutcome): void {
    this.outcome = outcome;
    this.actions.push({ kind: "end", outcome });
  }

  private schedule(): void {
    this.begin("post", () => this.turns.nextScript("post"));
    if (!this.paused && !this.halted) {
      this.begin("pre", () => this.turns.nextScript("pre"));
      this.begin("job", () => this.turns.nextJob(this.counts.queued));
    }
    if (this.active > 0 || (this.counts.ready > 0 && !this.halted)) return;
    const { ready, done } = this.counts;
    if (done === this.nodes.length) this.end({ exit: 0, status: 0, word: "success" });
    else if (ready > 0) this.end({ exit: 1, status: 0, word: "halted" });
    else this.end({ exit: 1, status: 2, word: "failed" });
  }

  private begin(part: NodePart, next: () => LiveNode | undefined): void {
    for (let node = next(); node; node = next()) {
      this.move(node, part === "job" ? "queued" : part);
      this.actions.push({ kind: part, node });
    }
  }
}

function jobFailure(code: number): string {
  if (code === -1001) return "no submission";
  if (code === -1002) return "removal";
  return `signal ${-code}`;
}
