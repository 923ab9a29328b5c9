import { describe, expect, test } from "vitest";
import type { OutputBlockFacts, OutputStep } from "../../core/output-block.ts";
import { decideBeside, decideBlock, nextTry, type OutputPatience, patienceFor } from "./decide-block.ts";

const NOW = new Date("2026-01-10T00:00:00Z");
const ago = (hours: number) => new Date(NOW.getTime() - hours * 3_600_000);
const LIMITS: OutputPatience = {
  backoffSec: [60, 300, 1800, 7200, 14_400, 28_800],
  giveUpAfterSec: 72 * 3600,
  maxRefusals: 3,
};
const PATIENCE = patienceFor("backoff", LIMITS);
const STEPS: readonly OutputStep[] = [
  { name: "open", service: "a", when: "first-unit" },
  { name: "rule", service: "a", when: "first-unit" },
  { name: "replicas", service: "a", when: "each-unit", takes: "owed", leaves: "replicated" },
  { name: "known", service: "b", when: "firm" },
  { name: "files", service: "b", when: "each-unit", takes: "replicated", leaves: "registered" },
  { name: "close", service: "b", when: "after-last-unit" },
  { name: "tape", service: "a", when: "after-last-unit" },
];

const block = (over: Partial<OutputBlockFacts>, units: Partial<OutputBlockFacts["units"]> = {}): OutputBlockFacts =>
  ({
    status: "open",
    isFirm: true,
    isSealed: false,
    hasAllUnits: false,
    begun: [],
    receipts: {},
    tries: 0,
    refusals: 0,
    failingSince: null,
    nextTryAt: ago(1),
    units: { owed: 0, replicated: 0, registered: 0, withdrawn: 0, ...units },
    ...over,
  }) as OutputBlockFacts;

const PARKED = { open: "yes", rule: "1" };
const OPENED = { ...PARKED, known: "yes" };
const CLOSED = { ...OPENED, close: "yes", tape: "2" };

const TABLE: [story: string, block: OutputBlockFacts, decision: string][] = [
  ["the first unit opens it", block({ isFirm: false }, { owed: 1 }), "run open"],
  ["then it is protected", block({ receipts: { open: "yes" } }, { owed: 1 }), "run rule"],
  ["then its files are told", block({ isFirm: false, receipts: PARKED }, { owed: 2, replicated: 1 }), "run replicas"],
  [
    "too small for more, it waits for its other units",
    block({ isFirm: false, receipts: PARKED }, { replicated: 3 }),
    "wait",
  ],
  ["large enough, it stays a block", block({ receipts: PARKED }, { replicated: 3 }), "run known"],
  [
    "none comes any more, and it is small: settled with what else is",
    block({ isFirm: false, receipts: PARKED, hasAllUnits: true }, { replicated: 3 }),
    "settle",
  ],
  [
    "what came from another block is told before anything else",
    block({ receipts: PARKED, hasAllUnits: true }, { replicated: 3, owed: 2 }),
    "run replicas",
  ],
  ["full before its last unit: closed", block({ receipts: OPENED, isSealed: true }, { registered: 1 }), "run close"],
  ["full, with a unit that is owed", block({ receipts: OPENED, isSealed: true }, { replicated: 1 }), "run files"],
  ["merged: nothing", block({ status: "merged", isSealed: true, hasAllUnits: true }), "wait"],
  ["then its files are registered", block({ receipts: OPENED }, { replicated: 1 }), "run files"],
  ["it waits for its other units", block({ receipts: OPENED }, { registered: 1 }), "wait"],
  ["none comes any more: sealed", block({ receipts: OPENED, hasAllUnits: true }, { registered: 1 }), "seal"],
  ["sealed: closed", block({ receipts: OPENED, hasAllUnits: true, isSealed: true }, { registered: 1 }), "run close"],
  ["all steps taken", block({ receipts: CLOSED, hasAllUnits: true, isSealed: true }, { registered: 1 }), "done"],
  [
    "an owed unit keeps it open",
    block({ receipts: OPENED, hasAllUnits: true }, { owed: 1, registered: 1 }),
    "run replicas",
  ],
  ["not its turn yet", block({ nextTryAt: ago(-1), tries: 1 }, { owed: 1 }), "wait"],
  ["refused for two days", block({ refusals: 6, failingSince: ago(48) }, { owed: 1 }), "run open"],
  ["nobody answered for three days", block({ tries: 12, failingSince: ago(72) }, { owed: 1 }), "give-up"],
  ["refused for three days", block({ refusals: 9, failingSince: ago(72) }, { owed: 1 }), "give-up"],
  ["nobody answers for a week", block({ tries: 40, nextTryAt: ago(0) }, { owed: 1 }), "run open"],
  ["done is done", block({ status: "done" }, { registered: 1 }), "wait"],
  ["withdrawing: rules first", block({ status: "withdrawing", begun: ["open"] }, { registered: 1 }), "withdraw-rules"],
  [
    "then its files",
    block({ status: "withdrawing", begun: ["open"], receipts: { "withdraw-rules": "" } }, { registered: 1, owed: 1 }),
    "withdraw-files registered",
  ],
  [
    "also those that may have been told",
    block({ status: "withdrawing", begun: ["open"], receipts: { "withdraw-rules": "" } }, { owed: 1, withdrawn: 1 }),
    "withdraw-files owed",
  ],
  ["nothing is left", block({ status: "withdrawing" }, { withdrawn: 2 }), "withdrawn"],
  [
    "refused for days while withdrawing: it goes on",
    block({ status: "withdrawing", refusals: 9, failingSince: ago(99) }),
    "withdrawn",
  ],
];

describe("a block of outputs", () => {
  test.each(TABLE)("%s", (_story, facts, decision) => {
    const made = decideBlock(facts, STEPS, PATIENCE, NOW);
    const more = made.kind === "run" ? made.step.name : made.kind === "withdraw-files" ? made.state : "";
    expect(`${made.kind} ${more}`.trim()).toBe(decision);
  });
});

test("a step at the end only: what is small is settled there", () => {
  const ledger = STEPS.filter(({ name }) => name === "replicas");
  const small = block({ isFirm: false, hasAllUnits: true }, { replicated: 1 });
  expect(decideBlock(small, ledger, PATIENCE, NOW)).toEqual({ kind: "settle" });
});

test("beside a unit that was refused nothing is closed, not even of a block that is full", () => {
  const full = block({ receipts: OPENED, isSealed: true, hasAllUnits: true }, { replicated: 1, registered: 5 });
  expect(decideBeside(new Set(["files"]), full, STEPS, PATIENCE, NOW)).toEqual({ kind: "wait", until: null });
});

test("a catalog that is asked in each pass: at once, and a person after some refusals", () => {
  const atOnce = patienceFor("each-pass", LIMITS);
  expect(nextTry({ tries: 0 }, true, atOnce, NOW)).toEqual(NOW);
  const refused = (refusals: number) => block({ refusals, failingSince: NOW }, { owed: 1 });
  expect(decideBlock(refused(2), STEPS, atOnce, NOW).kind).toBe("run");
  expect(decideBlock(refused(3), STEPS, atOnce, NOW).kind).toBe("give-up");
});

test("silence is answered with ever longer waits, a refusal with the longest", () => {
  const waits = [0, 1, 2, 3, 4, 5, 9].map(
    (tries) => (nextTry({ tries }, false, PATIENCE, NOW).getTime() - NOW.getTime()) / 1000,
  );
  expect(waits).toEqual([60, 300, 1800, 7200, 14_400, 28_800, 28_800]);
  expect(nextTry({ tries: 0 }, true, PATIENCE, NOW).getTime() - NOW.getTime()).toBe(28_800_000);
});
