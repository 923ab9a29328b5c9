import { constants } from "node:fs";
import { openPlain } from "../../core/disk/plain-files.ts";
import type { Run } from "../../core/run.ts";
import { EVENT_NUMBERS, parseEvents } from "../../submit-dir/event-log.ts";
import { besideDag, TOP, UNIT } from "../../submit-dir/names.ts";
import { parseStatusFile, type StatusFile } from "../format/status-file.ts";
import { readText } from "../observe/files.ts";
import type { Tree } from "./answers.ts";

/** A node whose job DAGMan believes to be in the queue. */
interface Awaited {
  readonly node: string;
  readonly cluster: string;
}

/** By its log, of each node the last job, if its end is not there; only where DAGMan's own status says that it waits for it. */
export function awaitedJobs(log: string, status: StatusFile): readonly Awaited[] {
  const queued = new Set(status.nodes.filter(({ state }) => state === "queued").map(({ name }) => name));
  const last = new Map<string, number>();
  const ended = new Set<number>();
  for (const { kind, cluster, body } of parseEvents(log)) {
    const node =
      kind === "submit"
        ? /^DAG Node: (\S+)/.exec(body.find((line) => line.startsWith("DAG Node:")) ?? "")?.[1]
        : undefined;
    if (node !== undefined) last.set(node, cluster);
    if (kind === "terminated" || kind === "aborted") ended.add(cluster);
  }
  return [...last].flatMap(([node, cluster]) =>
    queued.has(node) && cluster > 0 && !ended.has(cluster) ? [{ node, cluster: String(cluster) }] : [],
  );
}

/** In no queue at two looks that lie apart: its end was never written. What ended in between is in the log by then. */
export const decideLost = (
  awaited: readonly Awaited[],
  inQueue: ReadonlySet<string>,
  missedBefore: ReadonlySet<string>,
): { readonly lost: readonly Awaited[]; readonly missed: ReadonlySet<string> } => {
  const missing = awaited.filter(({ cluster }) => !inQueue.has(cluster));
  return {
    lost: missing.filter(({ cluster }) => missedBefore.has(cluster)),
    missed: new Set(missing.map(({ cluster }) => cluster)),
  };
};

/** The end that HTCondor did not write (23.9.6 loses that of an idle job which is removed): POST decides, as of any removed job. */
export function abortText(cluster: string, at: Date): string {
  const day = at.toISOString().slice(0, 19).replace("T", " ");
  const id = `(${cluster.padStart(3, "0")}.000.000)`;
  return `${EVENT_NUMBERS.aborted} ${id} ${day} Job was aborted.\n\tIt is in no queue any more, and nobody wrote down its end (WMS2)\n...\n`;
}

/** Two runs are not looked at within a second, and a log of this size is left to DAGMan itself. */
const PAUSE_MS = 1000;
const LARGEST_LOG = 64 * 1024 * 1024;

/** Finds jobs that DAGMan waits for and no queue has, and tells it that they are gone. */
export class LostJobs {
  private readonly looks = new Map<string, { readonly atMs: number; readonly missed: ReadonlySet<string> }>();
  private lastMs = 0;
  private readonly clusters: (run: Run) => Promise<ReadonlySet<string>>;
  private readonly everyMs: number;

  constructor(clusters: (run: Run) => Promise<ReadonlySet<string>>, everySec: number) {
    this.clusters = clusters;
    this.everyMs = everySec * 1000;
  }

  keepOnly(runs: readonly Run[]): void {
    const known: ReadonlySet<string> = new Set(runs.map(({ dagId }) => dagId));
    for (const id of this.looks.keys()) if (!known.has(id)) this.looks.delete(id);
  }

  /** Words about what was settled; null: nothing, or it is not yet time to look. */
  async settle(run: Run, tree: Tree, nowMs: number): Promise<string | null> {
    const before = this.looks.get(run.dagId);
    const isEarly = before !== undefined && Math.abs(nowMs - before.atMs) < this.everyMs;
    if (isEarly || Math.abs(nowMs - this.lastMs) < PAUSE_MS || tree.top?.status !== "running") return null;
    this.lastMs = nowMs;
    // The logs first: what is submitted after that is not asked for.
    const logs = await awaitedIn(run, tree);
    const awaited = logs.flatMap((log) => log.awaited);
    const inQueue = awaited.length > 0 ? await this.clusters(run) : new Set<string>();
    const { lost, missed } = decideLost(awaited, inQueue, before?.missed ?? new Set());
    this.looks.set(run.dagId, { atMs: nowMs, missed });
    for (const { path, awaited: of } of logs)
      for (const job of of.filter((one) => lost.includes(one)))
        await append(path, abortText(job.cluster, new Date(nowMs)));
    const [first] = lost;
    if (!first) return null;
    const others = lost.length > 1 ? ` and ${lost.length - 1} more` : "";
    return `the job of ${first.node}${others} left the queue and its end was lost: it counts as removed`;
  }
}

/** What every DAGMan of the run that is alive waits for, with its log. */
async function awaitedIn({ submitDir }: Run, { others }: Tree) {
  const units = others.flatMap(({ isDagman, status, node }) =>
    isDagman && status === "running" && node ? [node] : [],
  );
  const dags = [`${submitDir}/${TOP.dag}`, ...units.map((unit) => `${submitDir}/${unit}/${UNIT.dag}`)];
  const found: { readonly path: string; readonly awaited: readonly Awaited[] }[] = [];
  for (const dag of dags) {
    const path = besideDag(dag, "nodesLog");
    const status = parseStatusFile((await readText(besideDag(dag, "status"))) ?? "");
    if (!status.complete || !status.nodes.some(({ state }) => state === "queued")) continue;
    const log = (await readText(path)) ?? "";
    if (log.length < LARGEST_LOG) found.push({ path, awaited: awaitedJobs(log, status) });
  }
  return found;
}

async function append(path: string, text: string): Promise<void> {
  const file = await openPlain(path, constants.O_WRONLY | constants.O_APPEND);
  try {
    await file.write(text);
  } finally {
    await file.close();
  }
}
