import type { RoundFacts } from "./decide.ts";
import { isTorn, type SortedFiles, sortFiles } from "./sort-files.ts";

/**
 * What becomes of the files of a round that is left behind, so that the next one repeats nothing. Finished units keep
 * everything. Bad files are excluded, others of failed units attempted, files no job has looked at stay as they are.
 * torn: partly done, and the rest is given up with the round, for planning the file again would repeat events.
 */
export function creditRound({
  finishedUnits,
  filesOf,
  tally,
}: Pick<RoundFacts, "finishedUnits" | "filesOf" | "tally">): SortedFiles {
  const failed = tally.failedUnits.filter(({ unit }) => !finishedUnits.has(unit));
  const files = sortFiles(failed, filesOf, finishedUnits, tally.files);
  const tried = new Set(failed.map(({ unit }) => unit));
  // Cut off before its other part was tried: no failed unit knows of it.
  const cut = [...new Set([...filesOf.values()].flat())].filter(
    (file) =>
      isTorn(file, finishedUnits) &&
      file.units.some((unit) => !finishedUnits.has(unit)) &&
      !file.units.some((unit) => tried.has(unit)),
  );
  return { ...files, torn: [...files.torn, ...cut.map(({ lfn }) => lfn)] };
}
