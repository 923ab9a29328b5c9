import type { Edges, GraphJob } from "../../core/graph.ts";
import type { Expansion } from "./expand.ts";
import { type Faults, quoted } from "./faults.ts";
import { isGlob, JobNames } from "./job-names.ts";
import { textAt } from "./texts.ts";

const SLICE = 500;

/**
 * What comes before what. Parents that are named, or make what is read, are one set for each child; each glob is a set of
 * its own. Children with the same set share it.
 */
export function* joinEdges(
  jobs: readonly GraphJob[],
  expansions: readonly Expansion[],
  faults: Faults,
): Generator<undefined, readonly Edges[]> {
  const names = new JobNames(jobs.map(({ name }) => name));
  if (expansions.some(hasGlob)) yield* names.prepare();
  const makers = yield* findMakers(jobs, expansions, faults);
  const sets = new Map<string, { parents: readonly number[]; children: number[] }>();
  const join = (key: string, parents: readonly number[], child: number): void => {
    const set = sets.get(key);
    if (set) set.children.push(child);
    else if (parents.length > 0) sets.set(key, { parents, children: [child] });
  };
  for (const expansion of expansions) {
    const { template, first, rows, after, sharesReads } = expansion;
    const parentsOf = parentFinder(names, makers, (key, code, why) => faults.add(template, key, code, why));
    const isSame = sharesReads && after.every((text) => typeof text === "string");
    let found: Parents | null = null;
    for (let row = 0; row < rows; row++) {
      const child = first + row;
      if (!isSame || child % SLICE === 0) yield;
      if (found === null || !isSame)
        found = parentsOf(
          after.map((text) => textAt(text, row)),
          jobs[child]!.reads,
        );
      const { named, key, globs } = found;
      if (contains(named, child))
        faults.add(
          template,
          after.length > 0 ? "after" : "reads",
          "itself",
          `${quoted(jobs[child]!.name)} would wait for itself`,
        );
      else join(key, named, child);
      for (const glob of globs) {
        const parents = names.matching(glob);
        if (contains(parents, child))
          faults.add(
            template,
            "after",
            "itself",
            `${quoted(glob)} matches ${quoted(jobs[child]!.name)}, which would wait for itself`,
          );
        else join(`*${glob}`, parents, child);
      }
    }
    if (names.isSpent) {
      faults.add(
        template,
        "after",
        "too-many-globs",
        "has too many globs that any name might match; let them begin or end with more of the names",
      );
      break;
    }
  }
  return [...sets.values()];
}

const hasGlob = ({ rows, after }: Expansion): boolean => rows > 0 && after.some((text) => isGlob(textAt(text, 0)));

interface Parents {
  /** Sorted, each once. */
  readonly named: readonly number[];
  readonly key: string;
  readonly globs: readonly string[];
}
type Tell = (key: string, code: "unknown", why: string) => void;

function parentFinder(names: JobNames, makers: ReadonlyMap<string, number>, tell: Tell) {
  return (after: readonly string[], reads: readonly string[]): Parents => {
    const named = new Set<number>();
    const globs: string[] = [];
    for (const word of after) {
      if (isGlob(word)) {
        if (names.matching(word).length > 0) globs.push(word);
        else if (!names.isSpent) tell("after", "unknown", `${quoted(word)} matches no job`);
        continue;
      }
      const parent = names.named(word);
      if (parent === undefined) tell("after", "unknown", `${quoted(word)} is not a job of this graph`);
      else named.add(parent);
    }
    for (const path of reads) {
      const maker = makers.get(path);
      if (maker !== undefined) named.add(maker);
    }
    const sorted = [...named].sort((a, b) => a - b);
    return { named: sorted, key: sorted.join(), globs: [...new Set(globs)] };
  };
}

/** Who makes which file. */
function* findMakers(
  jobs: readonly GraphJob[],
  expansions: readonly Expansion[],
  faults: Faults,
): Generator<undefined, ReadonlyMap<string, number>> {
  const makers = new Map<string, number>();
  for (const { template, first, rows } of expansions)
    for (let index = first; index < first + rows; index++) {
      if (index % SLICE === 0) yield;
      for (const path of jobs[index]!.makes) {
        const other = makers.get(path);
        if (other === undefined) makers.set(path, index);
        else if (other !== index)
          faults.add(
            template,
            "makes",
            "two-makers",
            `${quoted(path)} is made by two jobs: ${quoted(jobs[other]!.name)} and ${quoted(jobs[index]!.name)}`,
          );
      }
    }
  return makers;
}

/** In sorted numbers. */
function contains(sorted: readonly number[], wanted: number): boolean {
  let [low, high] = [0, sorted.length - 1];
  while (low <= high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle] === wanted) return true;
    if (sorted[middle]! < wanted) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}
