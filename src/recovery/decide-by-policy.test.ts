import { describe, expect, test } from "vitest";
import { attempt, ended, NOW, story } from "../../tests/support/attempts.ts";
import { rule, withHandlers } from "../../tests/support/failure-rules.ts";
import { decideAttempt } from "./decide.ts";
import { NO_HISTORY } from "./ledger-record.ts";
import { builtinPolicy, type Policy, type PolicySettings } from "./policy.ts";
import { readPolicy } from "./read-policy.ts";

const first = (given: ReturnType<typeof attempt>, policy: Policy = builtinPolicy()) =>
  decideAttempt(given, NO_HISTORY, policy, NOW);
const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

describe("failure handlers", () => {
  test("a rule that lists the code comes before a catch-all, whatever their order", () => {
    const policy = withHandlers([
      rule({ matchAllExitCodes: true, maxRetries: 2 }),
      rule({ exitCodes: [10, 11], maxRetries: 3, script: "./fix.sh", delaySec: 30 }),
    ]);
    expect(first(ended(10), policy)).toMatchObject({
      row: { id: "mine#2", source: "handler mine, rule 2" },
      recoveryScript: "./fix.sh",
      delaySec: 30,
    });
    expect(first(ended(12), policy)).toMatchObject({ row: { id: "mine#1" }, recoveryScript: null });
  });
  test("max_retries 3 is 3 retries, 4 executions", () => {
    const { decisions } = story(times(4, ended(10)), withHandlers([rule({ exitCodes: [10] })]));
    expect(decisions.map((decision) => decision.decision)).toEqual(["retry", "retry", "retry", "stop"]);
    expect(decisions.at(-1)?.why).toBe("rule-retries");
  });
  test("retries of a rule count over runs: one that ended for want of DAGMan's retries was one too", () => {
    const policy = withHandlers([rule({ exitCodes: [10], maxRetries: 1, delaySec: 8 })]);
    const last = ended(10, { maxRetries: 0 });
    const { decisions } = story([last, last], policy);
    expect(decisions.map(({ why, delaySec }) => [why, delaySec])).toEqual([
      ["run-retries", 8], // a rescue may go on, and not before these have passed
      ["rule-retries", 0],
    ]);
  });
  test("counters are per rule", () => {
    const policy = withHandlers([rule({ exitCodes: [10], maxRetries: 1 }), rule({ exitCodes: [11], maxRetries: 1 })]);
    const { decisions } = story([ended(10), ended(11), ended(10)], policy);
    expect(decisions.map((decision) => decision.decision)).toEqual(["retry", "retry", "stop"]);
  });
  test("137 matches both forms of a SIGKILL, and 85 matches what is read as 8021", () => {
    const policy = withHandlers([rule({ exitCodes: [137, 85] })]);
    for (const given of [
      attempt({ dagReturn: -9, report: null }),
      attempt({ dagReturn: 137, report: null }),
      attempt({ dagReturn: 85, report: null }),
    ])
      expect(first(given, policy).row?.id).toBe("mine#1");
  });
  test("causes and stderr match; text is stronger than a code; other roles are left alone", () => {
    const policy = withHandlers([
      rule({ exitCodes: [10] }),
      rule({ stderr: "license server busy", delaySec: 300, maxRetries: 10 }),
      rule({ causes: ["oom"], memoryFactor: 2 }),
    ]);
    expect(first(ended(10, { stderrTail: "x\nlicense server busy\n" }), policy)).toMatchObject({
      row: { id: "mine#2" },
      delaySec: 300,
    });
    expect(first(ended(50660, { memoryMb: 1000 }), policy)).toMatchObject({ row: { id: "mine#3" }, memoryMb: 2000 });
    expect(first(ended(10, { role: "merge" }), policy).row?.id).toBe("unknown");
  });
  test("what a rule does not say is taken from the row beneath", () => {
    const policy = withHandlers([rule({ matchAllExitCodes: true, maxRetries: 2 })]);
    expect(first(ended(50660, { memoryMb: 1000 }), policy)).toMatchObject({
      row: { id: "mine#1" },
      memoryMb: 1500,
      category: "transient",
    });
    expect(first(ended(127), policy)).toMatchObject({ decision: "retry", category: "permanent" });
    expect(first(attempt({ dagReturn: -1001, report: null }), policy).row?.id).toBe("submit-failed");
  });
  test("max_retries 0 stops at once", () => {
    expect(first(ended(10), withHandlers([rule({ exitCodes: [10], maxRetries: 0 })]))).toMatchObject({
      decision: "stop",
      why: "rule-retries",
    });
  });
  test("an installation's row changes a built-in one by its id, and a request's rule stands above", () => {
    const rows = [
      { id: "read-failed", delay_sec: 5, max_retries: 1 },
      { id: "ours", exit_codes: ["200-220"], action: "abort", category: "permanent" },
    ];
    const policy = withHandlers([rule({ exitCodes: [205] })], { rows });
    expect(first(ended(8021), policy)).toMatchObject({
      delaySec: 5,
      row: { id: "read-failed", source: "installation rows[0]" },
      category: "infrastructure",
    });
    expect(first(ended(210), policy)).toMatchObject({ decision: "abort" });
    expect(first(ended(205), policy)).toMatchObject({ decision: "retry", row: { id: "mine#1" } });
  });
});

test("with pending_classification on, only what no rule knows waits", () => {
  const policy = withHandlers([rule({ exitCodes: [10] })], { settings: { pending_classification: true } });
  const decided = (given: ReturnType<typeof attempt>) => first(given, policy).decision;
  expect([decided(ended(10)), decided(ended(77)), decided(ended(1)), decided(ended(8021))]).toEqual([
    "retry",
    "unclassified",
    "unclassified",
    "retry",
  ]);
  expect(decided(attempt({ dagReturn: -1001, report: null }))).toBe("retry");
});

describe("a declared output that is not there", () => {
  const missing = ended(60302);
  test("is code 1 to a rule of the request, by number and by range", () => {
    for (const exitCodes of [[1], ["1-5"]]) {
      const read = readPolicy({
        version: 1,
        handlers: [{ name: "mine", rules: [{ exit_codes: exitCodes, max_retries: 3 }] }],
      });
      if (!read.ok) throw new Error(JSON.stringify(read.error));
      expect(first(missing, read.value)).toMatchObject({ row: { source: expect.stringContaining("mine") } });
    }
  });
  test("is what it is to everybody else", () => {
    expect(first(missing, builtinPolicy({ cmsCodes: false }))).toMatchObject({ row: { id: "output-missing" } });
    expect(first(missing, withHandlers([rule({ exitCodes: [2] })]))).toMatchObject({ row: { id: "output-missing" } });
  });
});

describe("on a laptop", () => {
  const laptop: Partial<PolicySettings> = {
    backoffBaseSec: 1,
    fixedDelaySec: 15,
    firstRetryAtOnce: true,
    avoidHosts: false,
  };

  test("the first retry does not wait, the next ones a few seconds", () => {
    const { decisions } = story(times(3, ended(8901)), builtinPolicy(laptop));
    expect(decisions.map(({ decision, delaySec }) => [decision, delaySec])).toEqual([
      ["retry", 0],
      ["retry", 15],
      ["retry", 15],
    ]);
  });
  test("a rule that names its delay is obeyed at the first retry too", () => {
    const policy = withHandlers([rule({ exitCodes: [8901], delaySec: 30 })], {
      settings: { first_retry_at_once: true },
    });
    expect(first(ended(8901), policy).delaySec).toBe(30);
  });
  test("no retry looks for a worker that does not exist", () => {
    const given = ended(8033, { host: "here" });
    expect(first(given).avoidHosts).toEqual(["here"]);
    expect(first(given, builtinPolicy(laptop)).avoidHosts).toEqual([]);
  });
});
