import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { holdFor } from "../../core/holds.ts";
import { type RecoverWanted, USUAL_RECOVERY } from "../../core/recover.ts";
import { CAUSES } from "../attempt.ts";
import { type AttemptRecord, NO_RECORD } from "../ledger-record.ts";
import { decideRecovery, type FailedNode, type RecoverFacts } from "./recover.ts";
import { recoverAlone } from "./recover-alone.ts";

const failed = (node: string, record: Partial<AttemptRecord>): FailedNode => ({
  unit: "mg_000000",
  node,
  record: { ...NO_RECORD, node, decision: "stop", cores: 2, memoryMb: 2000, wallMinutes: 60, ...record },
});
const factsOf = (...nodes: FailedNode[]): RecoverFacts => ({
  name: "muons",
  nodes,
  limits: { maxMemoryPerCoreMb: 3000, maxMemoryMb: null, maxWallMinutes: 600 },
  cores: 1,
});
function recovered(nodes: readonly FailedNode[], wanted: Partial<RecoverWanted> = {}) {
  const decided = decideRecovery(factsOf(...nodes), { ...USUAL_RECOVERY, ...wanted });
  if (!decided.ok) throw new Error(JSON.stringify(decided.error));
  return decided.value;
}
const one = (record: Partial<AttemptRecord>, wanted: Partial<RecoverWanted> = {}) => {
  const { action, changes, reason } = recovered([failed("proc_1", record)], wanted).nodes[0]!;
  return { action, ...changes, reason };
};

describe("what a failed job gets", () => {
  test.each<[string, Partial<AttemptRecord>, Partial<RecoverWanted>, object]>([
    ["out of memory", { cause: "oom" }, {}, { action: "raise", memoryMb: 3000 }],
    ["1 GB becomes 1.5 GB", { cause: "oom", memoryMb: 1024 }, {}, { action: "raise", memoryMb: 1536 }],
    ["by a factor of its own", { cause: "oom" }, { memoryFactor: 2 }, { action: "raise", memoryMb: 4000 }],
    ["a factor of 1 is at least a step", { cause: "oom" }, { memoryFactor: 1 }, { action: "raise", memoryMb: 2001 }],
    ["it was seen to use more", { cause: "oom", peakMemoryMb: 3500 }, {}, { action: "raise", memoryMb: 5250 }],
    ["its next try was promised more", { cause: "oom", nextMemoryMb: 3900 }, {}, { action: "raise", memoryMb: 3900 }],
    ["not above memory per core × cores", { cause: "oom", memoryMb: 5000 }, {}, { action: "raise", memoryMb: 6000 }],
    [
      "not above what the person allows",
      { cause: "oom" },
      { maxMemoryMb: 2500 },
      { action: "raise", memoryMb: 2500, reason: "out of memory: 2000 → 2500 MB" },
    ],
    [
      "a person does not lift the installation's limit",
      { cause: "oom", memoryMb: 6000, peakMemoryMb: 7100 },
      { maxMemoryMb: 99_000 },
      { action: "ceiling", reason: "out of memory with 6000 MB, used 7100 MB; the most is 6000 MB (2 × 3000 MB)" },
    ],
    [
      "nor is it lowered to theirs",
      { cause: "oom", memoryMb: 2600 },
      { maxMemoryMb: 2500 },
      { action: "ceiling", reason: "out of memory with 2600 MB; the most is 2500 MB as asked" },
    ],
    [
      "out of time",
      { cause: "walltime" },
      {},
      { action: "raise", wallMinutes: 84, reason: "out of time: 60 → 84 min" },
    ],
    ["not above the longest job", { cause: "walltime", wallMinutes: 590 }, {}, { action: "raise", wallMinutes: 600 }],
    ["at the longest job", { cause: "walltime", wallMinutes: 600 }, {}, { action: "ceiling" }],
    ["not above what the person allows", { cause: "walltime" }, { maxWallMinutes: 70 }, { wallMinutes: 70 }],
    ["host lost", { cause: "node_lost", host: "w12" }, {}, { action: "again", reason: /host was lost \(w12\)/ }],
    ["evicted", { cause: "evicted" }, {}, { action: "again" }],
    [
      "137 without a known cause",
      { cause: "signal", exitCode: 137 },
      {},
      { action: "unknown", reason: /wms2 resubmit/ },
    ],
    ["never submitted", { cause: "submit_failed", exitCode: -1001 }, {}, { action: "unknown" }],
    ["no rule knows it", { cause: "exit", exitCode: 7, decision: "unclassified" }, {}, { reason: /wms2 groups muons/ }],
    ["for good", { cause: "exit", exitCode: 8, category: "permanent" }, {}, { reason: /release muons --from/ }],
    ["bad input", { cause: "exit", exitCode: 8021, badFiles: ["/a"] }, {}, { reason: /bad input \(\/a\)/ }],
    ["nobody knows what it had", { cause: "oom", memoryMb: null }, {}, { action: "ceiling" }],
  ])("%s", (_, record, wanted, expected) => {
    const got = one(record, wanted);
    for (const [key, value] of Object.entries(expected))
      if (value instanceof RegExp) expect(got.reason).toMatch(value);
      else expect(got).toMatchObject({ [key]: value });
  });
});

describe("who is recovered", () => {
  const nodes = [
    failed("proc_2", { cause: "exit", exitCode: 3 }),
    failed("proc_1", { cause: "oom" }),
    { ...failed("proc_9", { cause: "walltime" }), unit: "mg_000007" },
    failed("proc_0", { cause: "oom", memoryMb: 6000 }),
  ];
  test("only those that qualify, listed first; the others with what to do", () => {
    const { rerun, counts, reason, nodes: listed } = recovered(nodes);
    expect([...rerun]).toEqual([
      ["mg_000000/proc_1", { memoryMb: 3000 }],
      ["mg_000007/proc_9", { wallMinutes: 84 }],
    ]);
    expect(listed.map(({ node }) => node)).toEqual(["proc_1", "proc_9", "proc_0", "proc_2"]);
    expect(counts).toEqual({ raise: 2, again: 0, ceiling: 1, unknown: 1 });
    expect(reason).toBe(
      "recovered: 1 job with more memory, 1 job with more time; left alone: 1 at the ceiling, 1 for other reasons",
    );
  });
  test.each([
    [["proc_1"], ["mg_000000/proc_1"]],
    [
      ["mg_000000:proc_1", "mg_000007"],
      ["mg_000000/proc_1", "mg_000007/proc_9"],
    ],
    [["proc_2"], []],
  ])("only %j of them", (only, expected) => {
    expect([...recovered(nodes, { only }).rerun.keys()]).toEqual(expected);
  });
  test("a name that did not fail is said, and nothing is done", () => {
    const decided = decideRecovery(factsOf(...nodes), { ...USUAL_RECOVERY, only: ["proc_1", "proc_77"] });
    expect(decided).toMatchObject({ ok: false, error: [{ path: "only[1]", message: "proc_77 has not failed" }] });
  });
  test("nothing to recover says so", () => {
    expect(recovered([])).toMatchObject({ nodes: [], reason: "nothing to recover: no job has failed" });
    expect(recovered([nodes[0]!]).reason).toBe("nothing to recover; left alone: 1 for other reasons");
  });

  test("laws: never less than it had, never above the limits, and a job that gets nothing is not run again", () => {
    const amount = fc.option(fc.integer({ min: 1, max: 20_000 }));
    const record = fc.record({
      cause: fc.constantFrom(...CAUSES),
      cores: fc.option(fc.integer({ min: 1, max: 8 })),
      memoryMb: amount,
      nextMemoryMb: amount,
      peakMemoryMb: amount,
      wallMinutes: amount,
      nextWallMinutes: amount,
    });
    const factor = fc.double({ min: 1, max: 10, noNaN: true });
    fc.assert(
      fc.property(record, factor, factor, amount, (record, memoryFactor, timeFactor, maxMemoryMb) => {
        const { nodes, rerun } = recovered([failed("n", record)], { memoryFactor, timeFactor, maxMemoryMb });
        const [{ action, changes }] = nodes as [(typeof nodes)[0]];
        expect(rerun.size).toBe(action === "raise" || action === "again" ? 1 : 0);
        const { memoryMb, wallMinutes } = changes;
        if (memoryMb !== undefined) {
          expect(memoryMb).toBeGreaterThan(record.memoryMb!);
          expect(memoryMb).toBeLessThanOrEqual(Math.min(3000 * (record.cores ?? 1), maxMemoryMb ?? 1e9));
          expect(Number.isInteger(memoryMb)).toBe(true);
        }
        if (wallMinutes !== undefined) {
          expect(wallMinutes).toBeGreaterThan(record.wallMinutes!);
          expect(wallMinutes).toBeLessThanOrEqual(600);
        }
        expect(action === "raise").toBe(memoryMb !== undefined || wallMinutes !== undefined);
      }),
    );
  });
});

describe("recovery.auto", () => {
  const held = (code: "failure-threshold" | "unclassified-failures") => {
    const round = {
      verdict: "",
      words: "",
      unitsTotal: 1,
      unitsDone: 0,
      failedUnits: [],
      codes: [],
      sites: [],
      first: null,
    };
    return holdFor(code, "3 of 4 units failed", round);
  };
  const facts = { ...factsOf(failed("proc_1", { cause: "oom" })), used: 1, most: 3 };
  const others = { ...factsOf(failed("proc_1", { cause: "exit", exitCode: 3 })), used: 0, most: 3 };
  test.each([
    ["what qualifies is recovered", facts, "failure-threshold", { kind: "recover" }],
    ["and counted", facts, "failure-threshold", { reason: expect.stringContaining("(2 of 3 by itself)") }],
    ["as often as it may", { ...facts, used: 3 }, "failure-threshold", { kind: "hold" }],
    ["not at all with a limit of 0", { ...facts, used: 0, most: 0 }, "failure-threshold", { kind: "hold" }],
    ["other failures are held", others, "failure-threshold", null],
    ["failures no rule knows are for a person", facts, "unclassified-failures", null],
  ] as const)("%s", (_, facts, code, expected) => {
    const alone = recoverAlone(facts, held(code));
    if (expected === null) expect(alone).toBeNull();
    else expect(alone).toMatchObject(expected);
  });
});
