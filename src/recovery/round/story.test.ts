import fc from "fast-check";
import { expect, test } from "vitest";
import { AWAY, DATA, failedLine, filesOfUnits, PERMANENT } from "../../../tests/support/rounds.ts";
import { creditRound } from "./credit.ts";
import { decideRound } from "./decide.ts";
import { decideRelease } from "./release.ts";
import type { RoundFile } from "./sort-files.ts";
import { tallyRound, type UnitAttempts } from "./tally.ts";

/**
 * Whole requests in small: files cut into parts, parts packed into units, runs that end any way they like, stops,
 * holds and releases. The decisions are the real ones; planning and engine are a few lines each. Whatever happens, no
 * part of a file is finished twice, no finished unit is run again, and it ends.
 */
type Part = readonly [lfn: string, part: number];
interface Unit {
  readonly name: string;
  readonly parts: readonly Part[];
}

const ROUNDS = 60;
const OUTCOMES = ["done", "done", "transient", "site", "data", "permanent", "spent", "cut-off"] as const;
type Outcome = (typeof OUTCOMES)[number];

const LINES: Record<Exclude<Outcome, "done" | "cut-off">, (lfn: string) => object> = {
  transient: () => ({}),
  site: () => AWAY("A"),
  data: (lfn) => DATA(lfn),
  permanent: () => PERMANENT,
  spent: () => ({ why: "executions" }),
};

class World {
  readonly files: Map<string, { parts: number; state: "todo" | "processed" | "given-up" }>;
  readonly finished = new Set<string>();
  readonly finishedParts = new Map<string, number>();
  nextUnit = 0;

  constructor(parts: readonly number[]) {
    this.files = new Map(parts.map((count, at) => [`/f${at}`, { parts: count, state: "todo" }]));
  }

  plan(perUnit: number): Unit[] {
    const parts = [...this.files].flatMap(([lfn, file]) =>
      file.state === "todo" ? Array.from({ length: file.parts }, (_, at): Part => [lfn, at]) : [],
    );
    const units: Unit[] = [];
    for (let at = 0; at < parts.length; at += perUnit)
      units.push({ name: `mg_${this.nextUnit++}`, parts: parts.slice(at, at + perUnit) });
    return units;
  }

  finish(unit: Unit): void {
    expect(this.finished.has(unit.name)).toBe(false);
    this.finished.add(unit.name);
    for (const [lfn, part] of unit.parts) {
      const key = `${lfn}#${part}`;
      this.finishedParts.set(key, (this.finishedParts.get(key) ?? 0) + 1);
    }
  }

  credit(units: readonly Unit[], tally: ReturnType<typeof tallyRound>): void {
    const files = roundFiles(units);
    const credit = creditRound({ finishedUnits: this.finished, tally, filesOf: filesOfUnits(files) });
    for (const { lfn, units: readers } of files)
      if (readers.every((unit) => this.finished.has(unit))) this.files.get(lfn)!.state = "processed";
    for (const lfn of [...credit.exclude.map((bad) => bad.lfn), ...credit.torn])
      this.files.get(lfn)!.state = "given-up";
  }
}

function roundFiles(units: readonly Unit[]): RoundFile[] {
  const found = new Map<string, string[]>();
  for (const { name, parts } of units)
    for (const [lfn] of parts) found.set(lfn, [...new Set([...(found.get(lfn) ?? []), name])]);
  return [...found].map(([lfn, names]) => ({ lfn, path: lfn, units: names }));
}

const attemptsOf = (unit: Unit, outcome: Outcome, count: number): UnitAttempts => ({
  unit: unit.name,
  state: outcome === "cut-off" ? "open" : outcome === "done" ? "done" : "failed",
  lines:
    outcome === "done" || outcome === "cut-off"
      ? []
      : [failedLine({ node: "proc", cluster: count, ...LINES[outcome](unit.parts[0]![0]) })],
});

const dice = fc.infiniteStream(fc.nat(997));

test("no finished work is lost or repeated, under any sequence of failures, stops, rescues and releases", () => {
  const parts = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(parts, fc.integer({ min: 1, max: 4 }), dice, (sizes, perUnit, rolls) => {
      const world = new World(sizes);
      const roll = (sides: number): number => (rolls.next().value ?? 0) % sides;
      let [rescues, runs] = [0, 0];
      let units = world.plan(perUnit);
      for (; runs < ROUNDS; runs++) {
        const calm = runs > ROUNDS / 2; // from here on, everything that is run succeeds
        const last: UnitAttempts[] = [];
        for (const unit of units) {
          if (world.finished.has(unit.name)) continue;
          const outcome = calm ? "done" : OUTCOMES[roll(OUTCOMES.length)]!;
          if (outcome === "done") world.finish(unit);
          last.push(attemptsOf(unit, outcome, runs + 1));
        }
        const tally = tallyRound(last);
        const done = units.filter(({ name }) => world.finished.has(name)).length;
        const stopRequested = roll(8) === 0;
        const isCut = last.some(({ state }) => state === "open");
        const files = roundFiles(units);
        const decision = decideRound({
          verdict: done === units.length ? "success" : isCut ? "removed" : "failed",
          text: "",
          unitWord: "unit",
          unitsTotal: units.length,
          unitsDone: done,
          finishedUnits: world.finished,
          failedUnits: last.filter(({ state }) => state === "failed").map(({ unit }) => unit),
          tally,
          repairsUsed: 0,
          rescuesUsed: rescues,
          stopRequested,
          policy: { holdThreshold: 0.4, maxRescues: 2 },
          workRemains: false,
          filesOf: filesOfUnits(files),
          directory: "complete",
          damaged: [],
          possibleSites: ["A", "B"],
          bannedSites: [],
        });
        if (decision.kind === "stopped") continue;
        if (decision.kind === "rescue") {
          rescues += 1;
          expect(rescues).toBeLessThanOrEqual(2);
          continue;
        }
        if (decision.kind === "hold") {
          const asked = ([null, "rescue", "next-round"] as const)[roll(3)]!;
          const release = decideRelease(
            {
              holdCode: decision.hold.code,
              canRescue: decision.hold.actions.includes("rescue"),
              isStopped: false,
              isOneRound: false,
              isDirectoryGone: false,
              topsUp: false,
              unitWord: "unit",
              doneByOutputs: [],
              unitsUnfinished: units.length - done,
              tornFiles: 0,
              kindFields: ["excluded_files"],
              maxMemoryMb: 3000,
              knownSites: null,
              possibleSites: null,
              bannedSites: [],
              knownFiles: null,
            },
            null,
            asked,
          );
          expect(release.ok).toBe(true);
          rescues = 0;
          if (release.ok && release.value.how === "rescue") continue;
        }
        world.credit(units, tally);
        rescues = 0;
        units = world.plan(perUnit);
        if (units.length === 0) break;
      }
      expect(runs).toBeLessThan(ROUNDS);
      for (const [part, count] of world.finishedParts) expect(`${part} ${count}`).toBe(`${part} 1`);
      for (const [lfn, { parts, state }] of world.files) {
        expect(state).not.toBe("todo");
        for (let at = 0; state === "processed" && at < parts; at++)
          expect(world.finishedParts.get(`${lfn}#${at}`)).toBe(1);
      }
    }),
    { numRuns: 1000 },
  );
});
