import { type Dag, isDagOver, isInEngine } from "../../core/dag.ts";
import type { DagId, RequestName } from "../../core/names.ts";
import type { RequestRecord } from "../../core/request.ts";
import type { Workflow } from "../../core/workflow.ts";
import { failedNodes } from "../../loop/gather-failed.ts";
import type { Ports } from "../../loop/ports.ts";
import { isAttempt, parseLedger } from "../../recovery/ledger-record.ts";
import { type Answers, answersOf, numbered } from "../../recovery/round/answers.ts";
import type { FailedNode } from "../../recovery/round/recover.ts";
import type { Store } from "../../store/port.ts";
import type { LastAttempt } from "./port.ts";

/** The run a request is at, for those who answer for single nodes of it. */
export interface PresentRun {
  readonly request: RequestRecord;
  readonly workflow: Workflow;
  readonly dag: Dag;
  /**
   * The first DAG on the same submit directory. What is said of an attempt is kept under it, so that it still stands
   * when a rescue made a new DAG of the same directory.
   */
  readonly rootId: DagId;
  /** Nothing of it is in the engine, nor about to be. */
  readonly isOver: boolean;
}

export async function presentDag(store: Store, name: RequestName) {
  const workflow = await store.workflows.forRequest(name);
  return { workflow, dag: workflow?.currentDagId ? await store.dags.get(workflow.currentDagId) : null };
}

/** Whether it is in the engine, or may be: a submission was begun and not answered. */
export async function mayRun({ intents }: Store, dag: Dag | null): Promise<boolean> {
  if (dag === null) return false;
  if (isInEngine(dag.status)) return true;
  return dag.status === "ready" && (await intents.getMany([dag.id], "submit")).get(dag.id)?.status === "pending";
}

/** null: it has no run (yet, or between two rounds). */
export async function presentRun(store: Store, request: RequestRecord): Promise<PresentRun | null> {
  const { workflow, dag } = await presentDag(store, request.spec.name);
  if (!workflow || !dag) return null;
  let root = dag;
  while (root.parentDagId) {
    const parent = await store.dags.get(root.parentDagId);
    if (!parent || parent.submitDir !== root.submitDir) break;
    root = parent;
  }
  return { request, workflow, dag, rootId: root.id, isOver: isDagOver(dag.status) };
}

/** Of every node of these units of this run, in the order in which they first appear. */
export async function lastAttempts(
  ports: Ports,
  { dag }: PresentRun,
  units: readonly string[],
): Promise<readonly LastAttempt[]> {
  const found: LastAttempt[] = [];
  for await (const { unit, text } of ports.spool.ledgers(dag.submitDir, units)) {
    const last = new Map<string, LastAttempt>();
    for (const { line: record, attempt } of numbered(parseLedger(text ?? "").lines.filter(isAttempt)))
      last.set(record.node, { unit, node: record.node, record, attempt });
    found.push(...last.values());
  }
  return found;
}

/** What people said of its failures that no rule knew. */
export const answersTo = async ({ store }: Pick<Ports, "store">, { workflow }: PresentRun): Promise<Answers> =>
  answersOf(await store.nodeActions.ofWorkflow(workflow.id));

/** Nodes whose last word is a failure that nothing follows by itself, as it reads after what people said. */
export const failedSoFar = async (ports: Ports, run: PresentRun): Promise<readonly FailedNode[]> =>
  failedNodes(ports, run.dag.submitDir, await unfinishedUnits(ports, run), await answersTo(ports, run));

/** The units whose ledgers are worth reading: those that did not finish. */
export async function unfinishedUnits(ports: Ports, { workflow, dag }: PresentRun): Promise<readonly string[]> {
  if (!(await ports.spool.isComplete(dag.submitDir))) return [];
  const finished: ReadonlySet<string> = await ports.store.units.finishedNames(workflow.id);
  return (await ports.spool.unitNames(dag.submitDir)).filter((unit) => !finished.has(unit));
}

/** The jobs of side runs that are not over (docs/adr/0020-side-runs.md). */
export async function besideNow({ store }: Pick<Ports, "store">, { id }: Dag): Promise<ReadonlySet<string>> {
  const jobs: string[] = [];
  for (const side of (await store.dags.sidesOf([id])).filter(({ status }) => !isDagOver(status))) {
    const note = (await store.dags.history(side.id)).findLast(({ type }) => type === "rescue");
    jobs.push(...((note?.detail.units ?? []) as string[]));
  }
  return new Set(jobs);
}
