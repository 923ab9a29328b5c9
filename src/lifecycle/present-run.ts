import { isDagOver } from "../domain/dag.ts";
import type { DagId } from "../domain/names.ts";
import type { DagRecord, WorkflowRecord } from "../domain/operator.ts";
import type { RequestRecord } from "../domain/request.ts";
import type { AttemptRecord, LedgerLine } from "../recovery/ledger-record.ts";
import type { Store } from "../store/port.ts";
import type { Ports } from "./ports.ts";

/** The run a request is at, for those who answer for single nodes of it. */
export interface PresentRun {
  readonly request: RequestRecord;
  readonly workflow: WorkflowRecord;
  readonly dag: DagRecord;
  /**
   * The first DAG on the same submit directory. What is said of an attempt is kept under it, so that it still stands
   * when a rescue made a new DAG of the same directory.
   */
  readonly rootId: DagId;
  /** Nothing of it is in the engine, nor about to be. */
  readonly isOver: boolean;
}

/** null: it has no run (yet, or between two rounds). */
export async function presentRun(store: Store, request: RequestRecord): Promise<PresentRun | null> {
  const workflow = await store.workflows.forRequest(request.spec.name);
  const dag = workflow?.currentDagId ? await store.dags.get(workflow.currentDagId) : null;
  if (!workflow || !dag) return null;
  return { request, workflow, dag, rootId: (await rootOf(store, dag)).id, isOver: isDagOver(dag.status) };
}

export async function rootOf(store: Store, dag: DagRecord): Promise<DagRecord> {
  let first = dag;
  while (first.parentDagId) {
    const parent = await store.dags.get(first.parentDagId);
    if (!parent || parent.submitDir !== first.submitDir) break;
    first = parent;
  }
  return first;
}

/** The last attempt of every node, and the number by which all who answer it know it. */
export interface LastAttempt {
  readonly record: AttemptRecord;
  readonly attempt: number;
}

export function lastAttempts(lines: readonly LedgerLine[]): ReadonlyMap<string, LastAttempt> {
  const last = new Map<string, LastAttempt>();
  const told = new Map<string, number>();
  for (const line of lines) {
    if (line.event !== "attempt") continue;
    const record = line as AttemptRecord;
    const count = (told.get(record.node) ?? 0) + 1;
    told.set(record.node, count);
    // What was never submitted has no cluster: it is known by its place, which no cluster is.
    last.set(record.node, { record, attempt: record.cluster > 0 ? record.cluster : -count });
  }
  return last;
}

/** The units whose ledgers are worth reading: those that did not finish. */
export async function unfinishedUnits(ports: Ports, { workflow, dag }: PresentRun): Promise<readonly string[]> {
  if (!(await ports.spool.isComplete(dag.submitDir))) return [];
  const finished: ReadonlySet<string> = await ports.store.units.finishedNames(workflow.id);
  return (await ports.spool.unitNames(dag.submitDir)).filter((unit) => !finished.has(unit));
}

export const splitNode = (place: string): { unit: string; node: string } | null => {
  const match = /^([^/:]+)[/:]([^/:]+)$/.exec(place);
  return match ? { unit: match[1] ?? "", node: match[2] ?? "" } : null;
};

/** Leaves no trace when `work` ends by calling `undo`, whose argument is then the answer. */
export async function allOrNothing<T>(
  store: Store,
  work: (tx: Store, undo: (answer: T) => never) => Promise<T>,
): Promise<T> {
  class Undone extends Error {
    readonly answer: T;
    constructor(answer: T) {
      super("undone");
      this.answer = answer;
    }
  }
  try {
    return await store.transaction((tx) =>
      work(tx, (answer) => {
        throw new Undone(answer);
      }),
    );
  } catch (error) {
    if (error instanceof Undone) return error.answer;
    throw error;
  }
}
