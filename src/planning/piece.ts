import type { ProcessingNodePlan } from "../core/plan.ts";
import type { InputFile } from "../core/workflow.ts";

/** The work of one job as splitting cuts it: what it reads, not yet its name, unit or resources. */
export interface Piece
  extends Pick<ProcessingNodePlan, "firstEvent" | "lastEvent" | "firstLumi" | "lastLumi" | "runLumis" | "events"> {
  readonly files: readonly InputFile[];
  /** Share of the files' sizes this job reads. */
  readonly inputBytes: number;
  /** Lowest run it reads; null: no runs known. */
  readonly run: number | null;
}

type Known = Pick<Piece, "files" | "events" | "inputBytes" | "run">;

/** What is not said is null: all of it. No spread here: millions are made, and that takes several times as long. */
export const pieceOf = (part: Known & Partial<Piece>): Piece => ({
  files: part.files,
  firstEvent: part.firstEvent ?? null,
  lastEvent: part.lastEvent ?? null,
  firstLumi: part.firstLumi ?? null,
  lastLumi: part.lastLumi ?? null,
  runLumis: part.runLumis ?? null,
  events: part.events,
  inputBytes: part.inputBytes,
  run: part.run,
});

/** By LFN, in code-unit order: the same on every machine, whatever its locale. */
export const byLfn = (a: { lfn: string }, b: { lfn: string }): number => (a.lfn < b.lfn ? -1 : a.lfn > b.lfn ? 1 : 0);

/** In this order; the list itself where it is in it already, as what comes from the ledger is: a copy of a million is dear. */
export function inOrder<T>(items: readonly T[], compare: (a: T, b: T) => number): readonly T[] {
  const isSorted = items.every((item, at) => at === 0 || compare(items[at - 1]!, item) <= 0);
  return isSorted ? items : [...items].sort(compare);
}

/** Those that are as asked; the list itself where all are. */
export const only = <T>(items: readonly T[], isSo: (item: T) => boolean): readonly T[] =>
  items.every(isSo) ? items : items.filter(isSo);

export function lowestRun(file: InputFile): number | null {
  let lowest: number | null = null;
  for (const { run } of file.lumis) if (lowest === null || run < lowest) lowest = run;
  return lowest;
}
