import type { UnitSpec } from "../core/request.ts";
import type { Piece } from "./piece.ts";

/** Jobs in a unit sized by its merged file, at most: a unit moves as a whole. */
export const MAX_JOBS_PER_UNIT = 1000;
/** The same of the first round of an adaptive request: few jobs are to be run by what the request guesses. */
export const FIRST_LOOK_JOBS = 20;
/** DAGMan reads lines of 60 kB (23.9.6), and one line of a unit's DAG names all its nodes. */
export const MAX_NODES_PER_UNIT = 4000;
/** Jobs in a unit when nobody knows how much they write. */
const UNSIZED_JOBS_PER_UNIT = 10;

interface PieceGroup {
  readonly pieces: readonly Piece[];
  /** What its merged files will weigh; jobs of unknown size count nothing. */
  readonly expectedBytes: number;
}

/** What a job will write: by its events, else as much as it reads, else unknown. */
function expectedBytes(piece: Piece, bytesPerEvent: number | null): number | null {
  if (piece.events !== null && bytesPerEvent !== null) return piece.events * bytesPerEvent;
  return piece.inputBytes > 0 ? piece.inputBytes : null;
}

/**
 * A fixed number of jobs is exactly that. By size, a unit ends before the job that would make it too big. Runs are
 * kept together as well as can be: from half its size on, a unit ends where a run does.
 */
export function* groupPieces(
  pieces: Iterable<Piece>,
  { jobsPerUnit, targetMergedBytes }: UnitSpec,
  bytesPerEvent: number | null,
  mostJobs = MAX_JOBS_PER_UNIT,
): Generator<PieceGroup> {
  const unsized = Math.floor(targetMergedBytes / UNSIZED_JOBS_PER_UNIT);
  let group: Piece[] = [];
  let weight = 0;
  let known = 0;
  for (const piece of pieces) {
    const bytes = expectedBytes(piece, bytesPerEvent);
    const added = bytes ?? unsized;
    const isFull =
      jobsPerUnit !== null
        ? group.length >= jobsPerUnit
        : group.length >= mostJobs ||
          weight + added > targetMergedBytes ||
          (weight >= targetMergedBytes / 2 && group.at(-1)?.run !== piece.run);
    if (isFull && group.length > 0) {
      yield { pieces: group, expectedBytes: Math.round(known) };
      group = [];
      weight = 0;
      known = 0;
    }
    group.push(piece);
    weight += added;
    known += bytes ?? 0;
  }
  if (group.length > 0) yield { pieces: group, expectedBytes: Math.round(known) };
}

/**
 * Gives units to blocks, in order. A block ends at its target size or its most units. It never spans what
 * cannot complete together: rounds (each begins with a new number), or fresh files and files that have failed
 * before.
 */
export class BlockCutter {
  readonly #limits: Pick<UnitSpec, "blockTargetBytes" | "maxUnitsPerBlock">;
  #index: number;
  #units = 0;
  #bytes = 0;
  #attempted = false;

  constructor(first: number, limits: Pick<UnitSpec, "blockTargetBytes" | "maxUnitsPerBlock">) {
    this.#index = first;
    this.#limits = limits;
  }

  /** The block of the next unit. */
  place(unitBytes: number, attempted: boolean): number {
    const { blockTargetBytes, maxUnitsPerBlock } = this.#limits;
    const isFull =
      this.#units >= maxUnitsPerBlock || this.#bytes + unitBytes > blockTargetBytes || attempted !== this.#attempted;
    if (isFull && this.#units > 0) {
      this.#index += 1;
      this.#units = 0;
      this.#bytes = 0;
    }
    this.#attempted = attempted;
    this.#units += 1;
    this.#bytes += unitBytes;
    return this.#index;
  }
}
