import type { ProcessingNodePlan } from "../domain/plan.ts";
import type { InputFile } from "../domain/workflow.ts";

/** The work of one job as splitting cuts it: what it reads, not yet its name, unit or resources. */
export interface Piece
  extends Pick<ProcessingNodePlan, "firstEvent" | "lastEvent" | "firstLumi" | "lastLumi" | "runLumis" | "events"> {
  readonly files: readonly InputFile[];
  /** Share of the files' sizes this job reads. */
  readonly inputBytes: number;
  /** Lowest run it reads; null: no runs known. */
  readonly run: number | null;
}

/** Its files are read from end to end. */
export const WHOLE = { firstEvent: null, lastEvent: null, firstLumi: null, lastLumi: null, runLumis: null };

/** By LFN, in code-unit order: the same on every machine, whatever its locale. */
export const byLfn = (a: { lfn: string }, b: { lfn: string }): number => (a.lfn < b.lfn ? -1 : a.lfn > b.lfn ? 1 : 0);

export function lowestRun(file: InputFile): number | null {
  let lowest: number | null = null;
  for (const { run } of file.lumis) if (lowest === null || run < lowest) lowest = run;
  return lowest;
}
