import type { InputFile } from "../domain/workflow.ts";

export type LumiRanges = Readonly<Record<string, readonly (readonly [number, number])[]>>;

/** The work of one job as splitting cuts it: what it reads, not yet its name, unit or resources. */
export interface Piece {
  readonly files: readonly InputFile[];
  readonly firstEvent: bigint | null;
  readonly lastEvent: bigint | null;
  readonly firstLumi: bigint | null;
  readonly lastLumi: bigint | null;
  readonly runLumis: LumiRanges | null;
  /** Expected; null when a file's events were never counted. */
  readonly events: number | null;
  /** Share of the files' sizes this job reads. */
  readonly inputBytes: number;
  /** Lowest run it reads; null: no runs known. */
  readonly run: number | null;
}

/** A total that several location groups draw from. Local to one walk over the plan. */
export interface Budget {
  lumis: number;
  events: number;
}
export const budget = (totalLumis: number, totalEvents: number): Budget => ({
  lumis: totalLumis > 0 ? totalLumis : Number.POSITIVE_INFINITY,
  events: totalEvents > 0 ? totalEvents : Number.POSITIVE_INFINITY,
});

/** By LFN, in code-unit order: the same on every machine, whatever its locale. */
export const byLfn = (a: { lfn: string }, b: { lfn: string }): number => (a.lfn < b.lfn ? -1 : a.lfn > b.lfn ? 1 : 0);

/** By lowest run, files without runs last, then by LFN. */
export function byRunThenLfn(a: InputFile, b: InputFile): number {
  const left = lowestRun(a) ?? Number.MAX_SAFE_INTEGER;
  const right = lowestRun(b) ?? Number.MAX_SAFE_INTEGER;
  return left - right || byLfn(a, b);
}

export function lowestRun(file: InputFile): number | null {
  let lowest: number | null = null;
  for (const { run } of file.lumis) if (lowest === null || run < lowest) lowest = run;
  return lowest;
}
