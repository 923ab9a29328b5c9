import type { NodeSpec } from "./dag-file.ts";
import type { LiveNode, ScriptPart } from "./machine.ts";
import { goesFirst, type Rank, RankQueue } from "./queues.ts";

export interface DagLimits {
  /** DAGMAN_MAX_JOBS_SUBMITTED; 0: none, as for the others. */
  readonly maxJobs: number;
  readonly maxPre: number;
  readonly maxPost: number;
}
export const DEFAULT_LIMITS: DagLimits = { maxJobs: 0, maxPre: 20, maxPost: 20 };

interface Line {
  readonly limit: number;
  running: number;
  readonly waiting: RankQueue<LiveNode>;
}

const NONE = Number.POSITIVE_INFINITY;
const line = (limit: number): Line => ({ limit, running: 0, waiting: new RankQueue() });

/** Whose turn it is: scripts in the order in which they became due, jobs by priority within the limits of their categories. */
export class Turns {
  private readonly scripts: Record<ScriptPart, Line>;
  private readonly categories = new Map<string, Line>();
  private readonly maxJobs: number;
  private order = 0;

  constructor(nodes: readonly NodeSpec[], perCategory: ReadonlyMap<string, number>, limits: DagLimits) {
    this.scripts = { pre: line(limits.maxPre || NONE), post: line(limits.maxPost || NONE) };
    this.maxJobs = limits.maxJobs || NONE;
    for (const category of new Set(nodes.map((node) => node.category)))
      this.categories.set(category ?? "", line((category !== null ? perCategory.get(category) : undefined) ?? NONE));
  }

  scriptDue(node: LiveNode, part: ScriptPart): void {
    this.scripts[part].waiting.push(node, 0, this.order++);
  }
  scriptLeft(part: ScriptPart): void {
    this.scripts[part].running -= 1;
  }
  nextScript(part: ScriptPart): LiveNode | undefined {
    return take(this.scripts[part]);
  }

  jobDue(node: LiveNode): void {
    this.lineOf(node).waiting.push(node, node.spec.priority, this.order++);
  }
  jobLeft(node: LiveNode): void {
    this.lineOf(node).running -= 1;
  }
  /** `queued`: jobs of the whole DAG that are under way. */
  nextJob(queued: number): LiveNode | undefined {
    let best: { line: Line; head: Rank } | undefined;
    for (const line of queued < this.maxJobs ? this.categories.values() : []) {
      const head = line.running < line.limit ? line.waiting.head() : undefined;
      if (head && goesFirst(head, best?.head)) best = { line, head };
    }
    return best && take(best.line);
  }

  private lineOf({ spec }: LiveNode): Line {
    return this.categories.get(spec.category ?? "") as Line;
  }
}

function take(line: Line): LiveNode | undefined {
  if (line.running >= line.limit) return undefined;
  const node = line.waiting.shift();
  if (node) line.running += 1;
  return node;
}
