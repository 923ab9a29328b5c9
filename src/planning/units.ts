import type { Piece } from "./piece.ts";

/** How pieces are gathered into units: so many, or as many as fill a merged file. */
export interface UnitRule {
  readonly jobsPerUnit: number | null;
  readonly targetBytes: number;
  readonly maxJobs: number;
  readonly unsizedJobs: number;
  /** Merged output per event; null: nobody knows. */
  readonly bytesPerEvent: number | null;
}

export interface PieceGroup {
  readonly pieces: readonly Piece[];
  /** What its merged files will weigh; jobs of unknown size count nothing. */
  readonly expectedBytes: number;
}

/** What a job will write: by its events, else as much as it reads, else unknown. */
export function expectedBytes(piece: Piece, bytesPerEvent: number | null): number | null {
  if (piece.events !== null && bytesPerEvent !== null) return piece.events * bytesPerEvent;
  return piece.inputBytes > 0 ? piece.inputBytes : null;
}

/**
 * A fixed number of jobs is exactly that. By size, a unit ends before the job that would make it too big. Runs are
 * kept together as well as can be: from half its size on, a unit ends where a run does.
 */
export function* groupPieces(pieces: Iterable<Piece>, rule: UnitRule): Generator<PieceGroup> {
  const { targetBytes, bytesPerEvent } = rule;
  const unsized = Math.floor(targetBytes / rule.unsizedJobs);
  let group: Piece[] = [];
  let weight = 0;
  let known = 0;
  for (const piece of pieces) {
    const bytes = expectedBytes(piece, bytesPerEvent);
    const added = bytes ?? unsized;
    const isFull =
      rule.jobsPerUnit !== null
        ? group.length >= rule.jobsPerUnit
        : group.length >= rule.maxJobs ||
          weight + added > targetBytes ||
          (weight >= targetBytes / 2 && group.at(-1)?.run !== piece.run);
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
