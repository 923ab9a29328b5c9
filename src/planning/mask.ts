import type { LumiMask } from "../domain/request.ts";
import type { InputFile, RunLumis } from "../domain/workflow.ts";

/** Which runs and lumis are wanted. A run must pass both: be on the list of runs, and be in the lumi mask. */
export interface Mask {
  /** Nothing is left out. */
  readonly all: boolean;
  accepts(run: number, lumi: number): boolean;
  acceptsRun(run: number): boolean;
}

export function compileMask(mask: LumiMask | null): Mask {
  const runs = mask?.runs.length ? new Set(mask.runs) : null;
  const lumis = mask?.lumis ?? null;
  const acceptsRun = (run: number) => (runs === null || runs.has(run)) && (lumis === null || Object.hasOwn(lumis, run));
  return {
    all: runs === null && lumis === null,
    acceptsRun,
    accepts: (run, lumi) =>
      acceptsRun(run) && (lumis === null || lumis[run]!.some(([first, last]) => first <= lumi && lumi <= last)),
  };
}

/** The wanted lumis of a file: runs ascending, lumis ascending and each once, no empty run. */
export function selectLumis(file: InputFile, mask: Mask): readonly RunLumis[] {
  const byRun = new Map<number, Set<number>>();
  for (const { run, lumis } of file.lumis) {
    if (!mask.acceptsRun(run)) continue;
    const wanted = byRun.get(run) ?? new Set();
    byRun.set(run, wanted);
    for (const lumi of lumis) if (mask.all || mask.accepts(run, lumi)) wanted.add(lumi);
  }
  return [...byRun]
    .filter(([, lumis]) => lumis.size > 0)
    .sort(([a], [b]) => a - b)
    .map(([run, lumis]) => ({ run, lumis: [...lumis].sort((a, b) => a - b) }));
}

export const countLumis = (runs: readonly RunLumis[]): number => runs.reduce((sum, { lumis }) => sum + lumis.length, 0);

/** 1,2,3,7 → [1,3],[7,7]. The lumis are ascending. */
export function toRanges(lumis: readonly number[]): [number, number][] {
  const ranges: [number, number][] = [];
  for (const lumi of lumis) {
    const last = ranges.at(-1);
    if (last && last[1] + 1 === lumi) last[1] = lumi;
    else ranges.push([lumi, lumi]);
  }
  return ranges;
}
