import type { PlannedRange } from "../../core/plan.ts";
import type { GenerateWork } from "../../core/work.ts";
import type { LeftBehind } from "../kind.ts";

/** Ranges of unfinished units are given up for good: an event number is used once in the life of a request. */
export function abandonedEvents({ work, round, nextFirstEvent, units, finished }: LeftBehind<GenerateWork>): bigint {
  const known = units.flatMap(({ ranges }) => ranges ?? []);
  const isLost = units.some(({ ranges }) => ranges === null);
  const start = round === 0 ? work.firstEvent : null;
  const between = isLost ? rangesBetween(units, start, nextFirstEvent - 1n) : [];
  return [...known, ...between]
    .filter(({ unit }) => !finished.has(unit))
    .reduce((sum, { firstEvent, lastEvent }) => sum + lastEvent - firstEvent + 1n, 0n);
}

/**
 * What units whose manifests are lost were to make. Events are planned in one line, unit after unit, so it is what lies
 * between their neighbours. `start`, `end`: the first and last event of the round; start null: not known, and then
 * neither is what the first units of the round were to make.
 */
export function rangesBetween(units: LeftBehind["units"], start: bigint | null, end: bigint): readonly PlannedRange[] {
  const found: PlannedRange[] = [];
  let next = start;
  let lost: string | null = null;
  const close = (lastEvent: bigint) => {
    if (lost !== null && next !== null && next <= lastEvent) found.push({ unit: lost, firstEvent: next, lastEvent });
    lost = null;
  };
  for (const { unit, ranges } of units) {
    const [first] = ranges ?? [];
    const last = ranges?.at(-1);
    if (first && last) {
      close(first.firstEvent - 1n);
      next = last.lastEvent + 1n;
    } else lost ??= unit;
  }
  close(end);
  return found;
}
