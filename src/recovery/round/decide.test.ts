import { describe, expect, test } from "vitest";
import { AWAY, attemptLine, DATA, failing, PERMANENT, sampleRound } from "../../../tests/support/rounds.ts";
import type { RunVerdict } from "../../core/run.ts";
import type { RoundDecision, RoundFacts } from "./decide.ts";
import { decideRound } from "./decide.ts";
import type { RoundFile } from "./sort-files.ts";
import type { UnitAttempts } from "./tally.ts";

const unit = (index: number) => `mg_${String(index).padStart(6, "0")}`;
const transient = (count: number): UnitAttempts[] => Array.from({ length: count }, (_, at) => failing(unit(at), {}));
const what = (decision: RoundDecision): string =>
  decision.kind === "hold" ? `hold ${decision.hold.code}` : decision.kind;
const file = (lfn: string, ...units: string[]): RoundFile => ({ lfn, path: `/disk${lfn}`, units });

const FLAKY = { why: "rule-retries", rule: "flaky#1", ruleSource: "handler flaky, rule 1" };

test("who used up a rule's retries is held with the name of the rule, and a rescue for others leaves it out", () => {
  expect(decideRound(sampleRound(10, [failing(unit(1), FLAKY)])).reason).toContain(
    "1 unit has nodes that used up the retries of handler flaky, rule 1",
  );
  const both = decideRound(sampleRound(20, [failing(unit(1), FLAKY), failing(unit(2), {})]));
  expect(both).toMatchObject({ kind: "rescue", leaveOut: [unit(1)] });
});

describe("which round is rescued, held or over (ADR 9)", () => {
  const cases: [string, RoundFacts, string][] = [
    ["all done, work remains", sampleRound(10, [], { workRemains: true }), "next-round"],
    ["all done, nothing left", sampleRound(10), "complete"],
    ["below the threshold, rescues left", sampleRound(10, transient(1)), "rescue"],
    ["just below", sampleRound(100, transient(19)), "rescue"],
    ["at the threshold", sampleRound(10, transient(2)), "hold failure-threshold"],
    ["at the threshold, in fifths", sampleRound(15, transient(3)), "hold failure-threshold"],
    ["above", sampleRound(10, transient(3)), "hold failure-threshold"],
    ["everything failed", sampleRound(10, transient(10)), "hold failure-threshold"],
    ["last rescue", sampleRound(10, transient(1), { rescuesUsed: 2 }), "rescue"],
    ["rescues used up", sampleRound(10, transient(1), { rescuesUsed: 3 }), "hold rescues-used-up"],
    [
      "no rescues allowed",
      sampleRound(10, transient(1), { policy: { holdThreshold: 0.2, maxRescues: 0 } }),
      "hold rescues-used-up",
    ],
    ["half of them, none of whose jobs failed", sampleRound(4, [failing(unit(0)), failing(unit(1))]), "rescue"],
    ["one of them, after all rescues", sampleRound(4, [failing(unit(0))], { rescuesUsed: 3 }), "rescue"],
    [
      "they do not hide those that failed",
      sampleRound(4, [...transient(2), failing(unit(2))]),
      "hold failure-threshold",
    ],
    ["a higher threshold", sampleRound(10, transient(3), { policy: { holdThreshold: 0.5, maxRescues: 3 } }), "rescue"],
    ["one of one is no 100 %", sampleRound(1, transient(1)), "rescue"],
    ["one of two", sampleRound(2, transient(1)), "rescue"],
    ["two of two", sampleRound(2, transient(2)), "hold failure-threshold"],
    ["one of one, rescues used up", sampleRound(1, transient(1), { rescuesUsed: 3 }), "hold rescues-used-up"],
    ["only permanent ones remain", sampleRound(10, [failing(unit(1), PERMANENT)]), "hold permanent-failures"],
    ["permanent, alone in its round", sampleRound(1, [failing(unit(0), PERMANENT)]), "hold permanent-failures"],
    ["permanent beside transient", sampleRound(20, [failing(unit(1), PERMANENT), failing(unit(2), {})]), "rescue"],
    ["both kinds in one unit", sampleRound(10, [failing(unit(1), PERMANENT, {})]), "rescue"],
    ["executions used up", sampleRound(10, [failing(unit(1), { why: "executions" })]), "hold executions-used-up"],
    ["a rule's retries used up", sampleRound(10, [failing(unit(1), FLAKY)]), "hold retries-used-up"],
    ["used up everywhere", sampleRound(2, [failing(unit(0), FLAKY), failing(unit(1), FLAKY)]), "hold retries-used-up"],
    ["stopped by its row", sampleRound(10, [failing(unit(1), { why: "row-stops" })]), "hold permanent-failures"],
    ["unclassified", sampleRound(10, [failing(unit(1), { decision: "unclassified" })]), "hold unclassified-failures"],
    ["nobody knows why", sampleRound(10, [failing(unit(1))]), "rescue"],
    [
      "every site banned",
      sampleRound(10, transient(1), { possibleSites: ["A"], bannedSites: ["A"] }),
      "hold no-site-left",
    ],
    ["submit directory gone", sampleRound(10, transient(1), { directory: "gone" }), "hold submit-directory-gone"],
  ];
  test.each(cases)("%s", (_, facts, expected) => {
    const decision = decideRound(facts);
    expect(what(decision)).toBe(expected);
    expect(decision.reason).not.toBe("");
  });
});

describe("how the run ended", () => {
  const cases: [RunVerdict, boolean, string][] = [
    ["removed", false, "hold removed-from-outside"],
    ["removed", true, "stopped"],
    ["halted", false, "hold halted-from-outside"],
    ["halted", true, "stopped"],
    ["failed", true, "stopped"],
    ["aborted", false, "hold run-aborted"],
    ["unreadable", false, "hold dag-unreadable"],
    ["lost", false, "hold run-lost"],
    ["lost", true, "hold run-lost"],
    ["success", false, "hold units-unaccounted"],
  ];
  test.each(cases)("%s, stop asked %s", (verdict, stopRequested, expected) => {
    const decision = decideRound(sampleRound(10, transient(1), { verdict, stopRequested }));
    expect(what(decision)).toBe(expected);
  });

  test("whatever the verdict, a round with all units done is done", () => {
    for (const verdict of ["removed", "lost", "aborted", "failed"] as const)
      expect(decideRound(sampleRound(4, [], { verdict })).kind).toBe("complete");
  });

  test("one that broke off without a failed job is repaired: it costs none of the rescues, and has a limit of its own", () => {
    const text = "DAGMan ended with exit code 1 and left no metrics: ERROR: aborting DAG because of bad event (…)";
    const broken = sampleRound(4, [], { verdict: "failed", unitsDone: 3, text, rescuesUsed: 3 });
    expect(decideRound(broken)).toMatchObject({
      kind: "rescue",
      rescueKind: "repair",
      reason: `the run broke off with 3 of 4 units done, and no job had failed (${text}); goes on where it was, repair 1 of 5 in a row`,
    });
    // Of a unit, too, only its own DAGMan may have broken off.
    const unitBroken = sampleRound(4, [failing(unit(1))], { verdict: "failed", repairsUsed: 4 });
    expect(decideRound(unitBroken)).toMatchObject({ kind: "rescue", rescueKind: "repair" });
    const held = decideRound({ ...broken, repairsUsed: 5 });
    expect(what(held)).toBe("hold run-broken");
    expect(held).toMatchObject({
      hold: { message: expect.stringContaining(text), actions: expect.arrayContaining(["release", "rescue"]) },
    });
    expect(decideRound(sampleRound(10, transient(1), { repairsUsed: 5 }))).toMatchObject({ rescueKind: "failure" });
  });
});

describe("bad files", () => {
  const bad = failing(unit(1), DATA("/store/bad"));
  const filesOf = new Map([[unit(1), [file("/store/bad", unit(1)), file("/store/good", unit(1))]]]);

  test("a unit that failed only for named files is left to the ledger", () => {
    expect(decideRound(sampleRound(10, [bad], { filesOf }))).toEqual({
      kind: "exclude-files",
      exclude: [
        {
          lfn: "/store/bad",
          evidence: {
            units: [unit(1)],
            sites: ["T2_XX_Alpha"],
            reason: "no more retries: /store/bad failed at two sites",
          },
        },
      ],
      attempted: ["/store/good"],
      reason:
        "1 unit failed only for bad files, now excluded: /store/bad; 1 other file of the same units will be tried again",
    });
  });

  test("jobs may name a file by its path", () => {
    const facts = sampleRound(10, [failing(unit(1), DATA("/disk/store/bad"))], { filesOf });
    expect(decideRound(facts)).toMatchObject({ kind: "exclude-files", exclude: [{ lfn: "/store/bad" }] });
  });

  test("when the bad file was all that was left, nothing is tried again", () => {
    const only = new Map([[unit(1), [file("/store/bad", unit(1))]]]);
    expect(decideRound(sampleRound(10, [bad], { filesOf: only }))).toMatchObject({
      kind: "exclude-files",
      attempted: [],
    });
  });

  test("a file the ledger does not know proves nothing: the unit is rescued", () => {
    expect(decideRound(sampleRound(10, [bad])).kind).toBe("rescue");
  });

  test("units with parts of files that are done elsewhere wait for a person", () => {
    const torn = new Map([[unit(1), [file("/store/bad", unit(1)), file("/store/long", unit(0), unit(1))]]]);
    expect(what(decideRound(sampleRound(10, [bad], { filesOf: torn })))).toBe("hold bad-files-in-torn-units");
  });

  test("beside transient failures the rescue comes first and leaves that unit out", () => {
    const facts = sampleRound(20, [bad, failing(unit(2), {})], { filesOf });
    expect(decideRound(facts)).toMatchObject({ kind: "rescue", leaveOut: [unit(1)], reelectUnits: [] });
  });

  test("many of them are held like any others", () => {
    const two = [bad, failing(unit(2), DATA("/store/worse"))];
    const known = new Map([...filesOf, [unit(2), [file("/store/worse", unit(2))]]]);
    expect(what(decideRound(sampleRound(4, two, { filesOf: known })))).toBe("hold failure-threshold");
  });
});

describe("placing units again", () => {
  const moved = (over: Partial<RoundFacts>) => {
    const decision = decideRound(sampleRound(20, [failing(unit(1), AWAY("A")), failing(unit(2), {})], over));
    return decision.kind === "rescue" ? decision.reelectUnits : decision.kind;
  };
  test("only where the failure speaks against the site", () => {
    expect(moved({})).toEqual([{ unit: unit(1), avoidSites: ["A"] }]);
  });
  test("the ban of a site moves every failed unit that was there", () => {
    expect(moved({ bannedSites: ["T2_XX_Alpha"] })).toEqual([
      { unit: unit(1), avoidSites: ["A", "T2_XX_Alpha"] },
      { unit: unit(2), avoidSites: ["T2_XX_Alpha"] },
    ]);
  });
  test("a unit that has no other site stays", () => {
    expect(moved({ possibleSites: ["A"] })).toEqual([]);
  });
  test("the engine may call a finished unit failed: it is not touched", () => {
    const facts = sampleRound(20, [failing(unit(1), AWAY("A")), failing(unit(2), AWAY("A"))], {
      finishedUnits: new Set([unit(1)]),
    });
    expect(decideRound(facts)).toMatchObject({ reelectUnits: [{ unit: unit(2) }] });
  });
});

test("a hold says why, shows the evidence in few words and what may be done", () => {
  const failed = [...transient(3), failing(unit(9), { ...PERMANENT, at: "2025-12-31T00:00:00Z" })];
  const decision = decideRound(sampleRound(10, failed));
  expect(decision).toMatchObject({
    hold: {
      code: "failure-threshold",
      message:
        "4 of 10 units failed: 40 %, and 20 % is the limit; mostly with exit code 60307 (copying the output to storage failed)",
      actions: ["release", "rescue", "fail", "restart", "abort"],
      evidence: {
        unitsTotal: 10,
        unitsFailed: 4,
        failureRatio: 0.4,
        categories: { transient: 3, permanent: 1 },
        first: { unit: unit(9), node: "proc_000000" },
      },
    },
  });
});

test("what a unit did before it was done is no failure of the round", () => {
  const lines = [attemptLine({ decision: "retry", category: "transient" }), attemptLine({ cluster: 5 })];
  const facts = sampleRound(10, [{ unit: unit(1), state: "failed", lines }]);
  expect(facts.tally.nodes).toEqual({ done: 1, failed: 0, recovered: 1, retrying: 0 });
});
