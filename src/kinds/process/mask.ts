import { isWithin, joinRanges, type Ranges } from "../../core/base/ranges.ts";
import type { LumiMask } from "../../core/work.ts";
import type { InputFile, RunLumis } from "../../core/workflow.ts";

/** Which runs and lumis are wanted. A run must pass both: be on the list of runs, and be in the lumi mask. */
export interface Mask {
  /** Nothing is left out. */
  readonly all: boolean;
  accepts(run: number, lumi: number): boolean;
  acceptsRun(run: number): boolean;
}

export function compileMask(mask: LumiMask | null): Mask {
  const runs = mask?.runs.length ? new Set(mask.runs) : null;
  const without = mask?.withoutRuns?.length ? new Set(mask.withoutRuns) : null;
  const lumis = mask?.lumis ?? null;
  const joined = new Map<number, Ranges>();
  const rangesOf = (run: number): Ranges => {
    const ranges = joined.get(run) ?? joinRanges(lumis![run]!);
    joined.set(run, ranges);
    return ranges;
  };
  const acceptsRun = (run: number) =>
    (runs === null || runs.has(run)) && !without?.has(run) && (lumis === null || Object.hasOwn(lumis, run));
  return {
    all: runs === null && without === null && lumis === null,
    acceptsRun,
    accepts: (run, lumi) => acceptsRun(run) && (lumis === null || isWithin(lumi, rangesOf(run))),
  };
}

/** The wanted lumis of a file: runs ascending, lumis ascending and each once, no empty run. */
export function selectLumis({ lumis: runs }: Pick<InputFile, "lumis">, mask: Mask): readonly RunLumis[] {
  if (mask.all && isAscending(runs)) return runs;
  const byRun = new Map<number, Set<number>>();
  for (const { run, lumis } of runs) {
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

/** Already as selectLumis makes it, which is how catalogs usually list them: no copy is needed. */
const isAscending = (runs: readonly RunLumis[]): boolean =>
  runs.every(
    ({ run, lumis }, at) =>
      lumis.length > 0 &&
      (at === 0 || runs[at - 1]!.run < run) &&
      lumis.every((lumi, index) => index === 0 || lumis[index - 1]! < lumi),
  );

/** How many there are, each counted once however often the catalog lists it. */
export const countDistinct = (runs: readonly RunLumis[]): number =>
  isAscending(runs) ? countLumis(runs) : countLumis(selectLumis({ lumis: runs }, compileMask(null)));

export const countLumis = (runs: readonly RunLumis[]): number => runs.reduce((sum, { lumis }) => sum + lumis.length, 0);
