import fc from "fast-check";
import { expect, test } from "vitest";
import { failedLine } from "../../../tests/support/rounds.ts";
import { isTerminal, REQUEST_STATUSES } from "../../core/request-status.ts";
import { CATEGORIES } from "../attempt.ts";
import { describeErrors } from "../explain/describe-errors.ts";
import { errorsView } from "../explain/errors-view.ts";
import type { AttemptRecord } from "../ledger-record.ts";
import { actionsIn } from "./actions.ts";
import type { RoundFacts } from "./decide.ts";
import { decideRound, MOST_REPAIRS } from "./decide.ts";
import { onlyMoves, reelectUnits, sortUnits } from "./failed-units.ts";
import type { RoundFile } from "./sort-files.ts";
import { type RoundTally, tallyRound, type UnitAttempts } from "./tally.ts";

const RUNS = { numRuns: 1000 };
const SITES = ["A", "B", "C"];
const FILES = ["/f/1", "/f/2", "/f/3"];

const line = (node: number): fc.Arbitrary<AttemptRecord> =>
  fc
    .record({
      at: fc.constantFrom("", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"),
      cluster: fc.integer({ min: -1, max: 9 }),
      exitCode: fc.constantFrom(1, 8021, 8001, 50660, 137, -1002),
      cause: fc.constantFrom("exit", "signal", "oom", "evicted", null),
      decision: fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom("done", "retry", "stop", "stop") },
        fc.constantFrom("unclassified", "abort"),
      ),
      retry: fc.integer({ min: 0, max: 3 }),
      category: fc.constantFrom(...CATEGORIES, "infrastructure", "transient", null),
      why: fc.constantFrom("run-retries", "site", "executions", "bad-file"),
      site: fc.constantFrom(...SITES, null),
      changeSite: fc.boolean(),
      badFiles: fc.subarray(FILES),
      files: fc.subarray(FILES),
    })
    .map((over) => failedLine({ ...over, node: `proc_${node}` } as Partial<AttemptRecord>));

/** Units whose failures have nothing in common are mostly held; these are not. */
const FLAVOURS = {
  mixed: (line: AttemptRecord) => line,
  open: (line: AttemptRecord): AttemptRecord => ({
    ...line,
    decision: "stop",
    category: "infrastructure",
    why: "site",
  }),
  data: (line: AttemptRecord): AttemptRecord => ({ ...line, decision: "stop", category: "data", badFiles: ["/f/1"] }),
};

const attempts: fc.Arbitrary<UnitAttempts[]> = fc
  .array(
    fc.record({
      state: fc.constantFrom("done", "failed", "failed", "open"),
      nodes: fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 6 }),
      flavour: fc.constantFrom("mixed", "open", "open", "data"),
    }),
    { maxLength: 8 },
  )
  .chain((units) =>
    fc.tuple(
      ...units.map(({ state, nodes, flavour }, at) =>
        fc
          .tuple(...nodes.map(line))
          .map((lines) => ({ unit: `mg_${at}`, state, lines: lines.map(FLAVOURS[flavour]) }) as UnitAttempts),
      ),
    ),
  );

const facts: fc.Arbitrary<RoundFacts> = fc
  .tuple(
    attempts,
    fc.record({
      verdict: fc.constantFrom(
        "success",
        "failed",
        "failed",
        "failed",
        "aborted",
        "removed",
        "halted",
        "unreadable",
        "lost",
      ),
      more: fc.constantFrom(0, 1, 5, 20, 100),
      rescuesUsed: fc.constantFrom(0, 0, 0, 1, 2, 3),
      stopRequested: fc.nat(4).map((roll) => roll === 0),
      holdThreshold: fc.oneof(fc.constantFrom(0.2, 1), fc.double({ min: 0, max: 1, noNaN: true })),
      maxRescues: fc.integer({ min: 0, max: 3 }),
      workRemains: fc.boolean(),
      possibleSites: fc.option(fc.subarray(SITES)),
      bannedSites: fc.subarray(SITES),
      gone: fc.integer({ min: 0, max: 9 }),
      liars: fc.boolean(),
      repairsUsed: fc.nat({ max: 6 }),
    }),
  )
  .map(([units, { more, holdThreshold, maxRescues, gone, liars, ...rest }]) => {
    const failed = units.filter(({ state }) => state === "failed").map(({ unit }) => unit);
    // Ledgers and engine may still call a unit failed that has its row: the row counts.
    const recorded = liars ? failed.slice(0, 1) : [];
    const finished = [...units.filter(({ state }) => state === "done").map(({ unit }) => unit), ...recorded];
    const files = (unit: string): RoundFile[] => FILES.map((lfn) => ({ lfn, path: `/disk${lfn}`, units: [unit] }));
    return {
      ...rest,
      text: "",
      unitWord: "unit",
      unitsTotal: units.length + more,
      unitsDone: finished.length + more,
      finishedUnits: new Set(finished),
      failedUnits: liars ? [...failed, ...finished] : failed,
      tally: tallyRound(units),
      policy: { holdThreshold, maxRescues },
      filesOf: new Map(units.map(({ unit }) => [unit, files(unit)])),
      damaged: [],
      directory: gone === 0 ? "gone" : "complete",
    } as RoundFacts;
  });

test("a request is never given up, every decision has its reason, and there is work to do or a person to ask", () => {
  const terminal = REQUEST_STATUSES.filter(isTerminal).filter((status) => status !== "completed");
  fc.assert(
    fc.property(facts, (given) => {
      const decision = decideRound(given);
      expect(terminal as readonly string[]).not.toContain(decision.kind);
      expect(JSON.stringify(decision)).not.toContain('"kind":"failed"');
      expect(decision.reason.length).toBeGreaterThan(0);
      expect(decision.reason).not.toMatch(/undefined|NaN|\n/);
      if (decision.kind === "hold") {
        expect(decision.hold.code).not.toBe("");
        expect(decision.hold.actions).toContain("release");
        expect(decision.hold.actions).toContain("abort");
        for (const action of decision.hold.actions) expect(actionsIn("held")).toContain(action);
      }
      if (decision.kind === "complete") expect(given.unitsDone).toBe(given.unitsTotal);
      if (decision.kind === "rescue") {
        expect(given.unitsDone).toBeLessThan(given.unitsTotal);
        if (decision.rescueKind === "repair") expect(given.repairsUsed).toBeLessThan(MOST_REPAIRS);
        else expect(given.rescuesUsed).toBeLessThan(given.policy.maxRescues);
      }
      if (decision.kind === "exclude-files") expect(decision.exclude.length).toBeGreaterThan(0);
    }),
    RUNS,
  );
});

test("finished units are never run again, nor are those a rescue cannot help", () => {
  fc.assert(
    fc.property(facts, (given) => {
      const decision = decideRound(given);
      if (decision.kind !== "rescue") return;
      for (const { unit, avoidSites } of decision.reelectUnits) {
        expect(given.finishedUnits.has(unit)).toBe(false);
        expect(decision.leaveOut).not.toContain(unit);
        if (given.possibleSites !== null && given.possibleSites.length > 0)
          expect(given.possibleSites.some((site) => !avoidSites.includes(site))).toBe(true);
      }
      for (const unit of decision.leaveOut) expect(given.finishedUnits.has(unit)).toBe(false);
    }),
    RUNS,
  );
});

test("these laws are tried on every kind of decision", () => {
  const kinds = new Map<string, number>();
  for (const given of fc.sample(facts, { numRuns: 1000, seed: 42 })) {
    const decision = decideRound(given);
    const kind =
      decision.kind === "rescue" && decision.reelectUnits.length > 0 ? "rescue, placed again" : decision.kind;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  for (const kind of ["hold", "rescue", "rescue, placed again", "stopped", "complete", "next-round", "exclude-files"])
    expect(kinds.get(kind) ?? 0, kind).toBeGreaterThan(9);
});

test("at or above the threshold, more than one unit that failed, and not only for its site, is never rescued", () => {
  fc.assert(
    fc.property(facts, (given) => {
      const { open, failed: all } = sortUnits(given);
      const moves = reelectUnits(open, given);
      const failed = all - open.filter((unit) => unit.isCutOff || onlyMoves(unit, moves, given)).length;
      if (failed < 2 || failed / given.unitsTotal < given.policy.holdThreshold) return;
      expect(["rescue", "exclude-files"]).not.toContain(decideRound(given).kind);
    }),
    RUNS,
  );
});

test("the same facts give the same decision", () => {
  fc.assert(
    fc.property(facts, (given) => {
      expect(decideRound({ ...given })).toEqual(decideRound(given));
    }),
    RUNS,
  );
});

test("a tally does not depend on the order of units, nor on how their nodes interleave", () => {
  fc.assert(
    fc.property(attempts, fc.func(fc.integer()), (units, rank) => {
      const shuffled = units
        .map((unit) => ({ ...unit, lines: byNode(unit.lines) }))
        .sort((a, b) => rank(a.unit) - rank(b.unit));
      expect(tallyRound(shuffled)).toEqual(tallyRound(units));
    }),
    RUNS,
  );
});

/** All lines of a node together, each in its order. */
const byNode = (lines: readonly AttemptRecord[]): AttemptRecord[] =>
  [...new Set(lines.map(({ node }) => node))].sort().flatMap((node) => lines.filter((line) => line.node === node));

test("the tally of two halves adds up to the tally of the whole", () => {
  const numbers = (tally: RoundTally) => ({
    ...tally.nodes,
    ...tally.units,
    attempts: tally.attempts,
    unclassified: tally.unclassified,
    failed: tally.failedUnits.length,
    ...Object.fromEntries(
      tally.codes.map((code) => [`code ${code.key}/${code.cause}/${code.category}`, code.failures]),
    ),
    ...Object.fromEntries(tally.sites.map(({ site, nodes }) => [`nodes at ${site}`, nodes])),
    ...Object.fromEntries(tally.sites.map(({ site, blamed }) => [`blamed ${site}`, blamed])),
  });
  fc.assert(
    fc.property(attempts, fc.nat(8), (units, cut) => {
      const sum: Record<string, number> = {};
      for (const half of [units.slice(0, cut), units.slice(cut)])
        for (const [key, count] of Object.entries(numbers(tallyRound(half)))) sum[key] = (sum[key] ?? 0) + count;
      expect(sum).toMatchObject(numbers(tallyRound(units)));
    }),
    RUNS,
  );
});

test("the errors fit on a screen, whatever failed", () => {
  fc.assert(
    fc.property(facts, fc.integer({ min: 40, max: 200 }), (given, width) => {
      const tails = new Map(
        given.tally.codes.map(({ first }) => [`${first.unit}/${first.node}`, "\u001b[31mx\n".repeat(300)]),
      );
      const excluded = Array.from({ length: 9 }, (_, at) => ({
        file: `/store/${at}.root`,
        reason: "by ann: unreadable",
      }));
      const request = { name: "muons", status: "held", maxMemoryMb: 6000 } as const;
      const tally = { ...given.tally, unreadable: 3 };
      const lines = describeErrors(errorsView(tally, { ...given, excluded, tails, request }), width);
      expect(lines.length).toBeLessThanOrEqual(48);
      // A command is whole, however long: it is there to be typed.
      for (const text of lines.filter((line) => !/^( {5}type| {2}for all): /.test(line))) {
        expect(text.length).toBeLessThanOrEqual(width);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: none may reach the terminal
        expect(text).not.toMatch(/[\u0000-\u001f]/);
      }
    }),
    RUNS,
  );
});
