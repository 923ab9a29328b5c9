import fc from "fast-check";
import { expect, test } from "vitest";
import { attempt, ended, events, NOW, report } from "../../tests/support/attempts.ts";
import { type Attempt, CAUSES, LOSSES, readAttempt, readReport } from "./attempt.ts";
import { decideAttempt } from "./decide.ts";
import { mayBeRescued } from "./decision.ts";
import { replay } from "./explain/replay.ts";
import { readJobEvents } from "./job-events.ts";
import { type AttemptRecord, historyOf, NO_HISTORY, parseLedger } from "./ledger-record.ts";
import { builtinPolicy, type Policy } from "./policy.ts";
import { checkPolicy, readPolicy } from "./read-policy.ts";
import { attemptRecord, ledgerText, postJson } from "./records.ts";

const RUNS = { numRuns: 1000 };

const codes = fc.oneof(
  fc.integer({ min: 1, max: 99_999 }),
  fc.constantFrom(1, 42, 85, 127, 137, 8001, 8020, 8021, 8036, 50115, 50660, 50664, 60403, 71300),
);
const outcomes: fc.Arbitrary<Partial<Attempt>> = fc.oneof(
  codes.map((code) => ({ dagReturn: 1, report: report({ cluster: null, exitCode: code }) })),
  fc.integer({ min: -64, max: 255 }).map((dagReturn) => ({ dagReturn, report: null })),
  fc.constantFrom(-1001, -1002, -1003, -1004).map((dagReturn) => ({ dagReturn, report: null })),
  fc
    .tuple(fc.constantFrom(1, 3, 6, 12, 13, 34, 46, 47), fc.constantFrom(0, 2, 50660, 50664))
    .map(([code, subcode]) => ({
      dagReturn: -1002,
      report: null,
      events: events({ held: { code, subcode, reason: "x" } }),
    })),
);
const attempts = fc
  .record({
    what: outcomes,
    site: fc.constantFrom(null, "A", "B", "C"),
    host: fc.constantFrom(null, "w1", "w2"),
    cores: fc.integer({ min: 1, max: 8 }),
    memoryMb: fc.option(fc.integer({ min: 1, max: 30_000 })),
    wallMinutes: fc.option(fc.integer({ min: 1, max: 4000 })),
    inputs: fc.subarray(["/store/aaaa.root", "/store/bbbb.root"]),
    stderrTail: fc.constantFrom("", "file aaaa.root is truncated", "license server busy"),
  })
  .map(({ what, ...rest }): Attempt => attempt({ ...rest, ...what, maxRetries: 1000 }));

const policies: fc.Arbitrary<Policy> = fc
  .record({
    ceiling: fc.integer({ min: 1, max: 12 }),
    losses: fc.integer({ min: 0, max: 6 }),
    affinity: fc.boolean(),
    pending: fc.boolean(),
    handlers: fc.array(
      fc.record(
        {
          exit_codes: fc.array(codes, { minLength: 1, maxLength: 3 }),
          causes: fc.subarray([...CAUSES]),
          match_all_exit_codes: fc.boolean(),
          stderr: fc.constant("license"),
          max_retries: fc.integer({ min: 0, max: 20 }),
          memory_factor: fc.double({ min: 1, max: 3, noNaN: true }),
          time_factor: fc.double({ min: 1, max: 3, noNaN: true }),
        },
        { requiredKeys: ["exit_codes"] },
      ),
      { maxLength: 3 },
    ),
  })
  .map(({ ceiling, losses, affinity, pending, handlers }) => {
    const read = readPolicy({
      settings: {
        execution_ceiling: ceiling,
        loss_budget: losses,
        site_affinity: affinity,
        pending_classification: pending,
      },
      handlers: [{ name: "h", rules: handlers }],
    });
    if (!read.ok) throw new Error(JSON.stringify(read.error));
    return read.value;
  });

/** Plays outcomes until the node is left alone, as DAGMan and rescues would; `stubborn` goes on after stops. */
function play(list: readonly Attempt[], policy: Policy): { records: AttemptRecord[]; starts: number } {
  const records: AttemptRecord[] = [];
  let memoryMb: number | null = null;
  let wallMinutes: number | null = null;
  for (const [at, next] of list.entries()) {
    const given = {
      ...next,
      cluster: at + 1,
      dagRetry: at,
      memoryMb: memoryMb ?? next.memoryMb,
      wallMinutes: wallMinutes ?? next.wallMinutes,
    };
    const decision = decideAttempt(given, { epoch: 0, records: [...records] }, policy, NOW);
    records.push(attemptRecord(given, decision, NOW));
    memoryMb = decision.memoryMb;
    wallMinutes = decision.wallMinutes;
    if (decision.decision !== "retry") break;
  }
  return { records, starts: records.length };
}

test("no sequence of outcomes exceeds the budget", () => {
  fc.assert(
    fc.property(fc.array(attempts, { minLength: 1, maxLength: 40 }), policies, (list, policy) => {
      const { records, starts } = play(list, policy);
      const { executionCeiling, lossBudget } = policy.settings;
      expect(Math.max(...records.map((record) => record.rrn))).toBeLessThanOrEqual(executionCeiling);
      expect(starts).toBeLessThanOrEqual(executionCeiling + lossBudget + 1);
      for (const row of policy.rows) {
        const retries = records.filter(({ rule, decision }) => rule === row.id && decision === "retry").length;
        expect(retries).toBeLessThanOrEqual(row.maxRetries ?? Number.POSITIVE_INFINITY);
      }
      const spent = { ...list[0]!, dagRetry: 3, maxRetries: 3 };
      expect(decideAttempt(spent, NO_HISTORY, policy, NOW).decision).not.toBe("retry");
    }),
    RUNS,
  );
});

/**
 * What a person, the loop and DAGMan may do with a node, in any order: run it (with so many retries of the run), cut the
 * run off before POST could speak, rescue it, ask for one more attempt, resubmit it in a new epoch.
 */
const moves = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("run" as const), retries: fc.integer({ min: 0, max: 4 }) }) },
    fc.constantFrom({ kind: "retry" as const }, { kind: "resubmit" as const }),
  ),
  { maxLength: 12 },
);

test("executions of a node in an epoch stay within rule and ceiling, whatever runs, rescues and calls there are", () => {
  fc.assert(
    fc.property(moves, fc.array(attempts, { minLength: 1, maxLength: 8 }), policies, (list, failures, policy) => {
      const records: AttemptRecord[] = [];
      let epoch = 0;
      let isStopped = false;
      for (const move of list) {
        const last = records.at(-1);
        if (move.kind === "resubmit") {
          epoch += 1;
          isStopped = false;
        } else if (move.kind === "retry") {
          if (last?.retriesLeft !== 0) isStopped = false;
        } else if (!isStopped)
          for (let dagRetry = 0; dagRetry <= move.retries && !isStopped; dagRetry++) {
            const next = failures[records.length % failures.length] as Attempt;
            const given = { ...next, cluster: records.length + 1, dagRetry, maxRetries: move.retries };
            const decision = decideAttempt(given, { epoch, records: [...records] }, policy, NOW);
            const record = attemptRecord(given, decision, NOW);
            records.push(record);
            isStopped = !mayBeRescued(record);
            if (decision.decision !== "retry") break;
          }
      }
      for (let at = 0; at <= epoch; at++) {
        const mine = records.filter((record) => record.epoch === at);
        const genuine = mine.filter(({ cause }) => !LOSSES.includes(cause ?? ""));
        expect(genuine.length).toBeLessThanOrEqual(policy.settings.executionCeiling);
        for (const { id, maxRetries } of policy.rows)
          if (maxRetries !== undefined)
            expect(mine.filter(({ rule }) => rule === id).length).toBeLessThanOrEqual(maxRetries + 1);
      }
    }),
    RUNS,
  );
});

test("memory and wall time never decrease and never pass the cap", () => {
  fc.assert(
    fc.property(fc.array(attempts, { minLength: 1, maxLength: 20 }), policies, (list, policy) => {
      const { records } = play(list, policy);
      const { maxMemoryPerCoreMb, maxWallMinutes } = policy.settings;
      for (const [at, record] of records.entries()) {
        const cap = maxMemoryPerCoreMb * (list[at]?.cores ?? 1);
        if (record.memoryMb !== null) {
          expect(record.nextMemoryMb).toBeGreaterThanOrEqual(record.memoryMb);
          expect(record.nextMemoryMb).toBeLessThanOrEqual(Math.max(record.memoryMb, cap));
        }
        if (record.wallMinutes !== null) {
          expect(record.nextWallMinutes).toBeGreaterThanOrEqual(record.wallMinutes);
          expect(record.nextWallMinutes).toBeLessThanOrEqual(Math.max(record.wallMinutes, maxWallMinutes));
        }
      }
    }),
    RUNS,
  );
});

test("a replay from what was recorded gives the same decision", () => {
  fc.assert(
    fc.property(fc.array(attempts, { minLength: 1, maxLength: 6 }), policies, (list, policy) => {
      const { records } = play(list, policy);
      const last = { ...list[records.length - 1]!, cluster: records.length, dagRetry: records.length - 1 };
      const before = { epoch: 0, records: records.slice(0, -1) };
      const decision = decideAttempt(last, before, policy, NOW);
      const stored = JSON.parse(JSON.stringify(postJson(last, decision, attemptRecord(last, decision, NOW))));
      const again = readAttempt(stored);
      const ledger = parseLedger(records.map(ledgerText).join(""));
      expect(ledger.problems).toEqual([]);
      expect(again).toEqual({ ok: true, value: last });
      if (again.ok)
        expect(decideAttempt(again.value, historyOf(ledger.lines, last.node), policy, NOW)).toEqual(decision);
    }),
    RUNS,
  );
});

test("every code 0–99999 and every signal gets a decision with a reason; 10,000 take less than a second", () => {
  const policy = builtinPolicy();
  for (let signal = 1; signal <= 64; signal++) {
    const decision = decideAttempt(attempt({ dagReturn: -signal, report: null }), NO_HISTORY, policy, NOW);
    expect(decision.decision).toMatch(/^(retry|stop)$/);
    expect(decision.reason.length).toBeGreaterThan(20);
  }
  const started = performance.now();
  const kinds = new Set<string>();
  for (let code = 0; code <= 99_999; code++) {
    const decision = decideAttempt(ended(code), NO_HISTORY, policy, NOW);
    if (decision.reason === "" || (decision.decision === "succeed") !== (code === 0)) expect(code).toBe("decided");
    kinds.add(decision.decision);
  }
  const perTenThousand = (performance.now() - started) / 10;
  console.log(`10,000 attempts decided in ${perTenThousand.toFixed(0)} ms`);
  expect([...kinds].sort()).toEqual(["retry", "stop", "succeed"]);
  expect(perTenThousand).toBeLessThan(1000);
});

test("a success is never retried", () => {
  fc.assert(
    fc.property(fc.array(attempts, { maxLength: 12 }), policies, attempts, (list, policy, given) => {
      const { records } = play(list, policy);
      const good = { ...given, cluster: 1000, dagReturn: 0, events: null, report: report({ cluster: 1000 }) };
      expect(decideAttempt(good, { epoch: 0, records }, policy, NOW)).toMatchObject({
        decision: "succeed",
        delaySec: 0,
      });
    }),
    RUNS,
  );
});

const garbage = fc.oneof(fc.string(), fc.json(), fc.string({ unit: "binary" }));

test("garbage in any input is an error value, never an exception", () => {
  fc.assert(
    fc.property(garbage, garbage, fc.anything(), fc.date(), (one, two, thing, now) => {
      expect(typeof replay({ attempt: one, history: two, policy: thing }, now).ok).toBe("boolean");
      const valid = JSON.stringify(ended(71300));
      expect(replay({ attempt: valid, history: two, policy: null }, now).ok).toBe(!Number.isNaN(now.getTime()));
      expect(Array.isArray(checkPolicy(thing))).toBe(true);
      expect(typeof readAttempt(thing).ok).toBe("boolean");
      readReport(one);
      readJobEvents(`001 (123.\n${one}\n...\n012 (123.000.000)\n${two}\n...`, 123);
      parseLedger(`${one}\n${two}`);
    }),
    RUNS,
  );
});

test("attempts with one field broken are refused with its place, or understood", () => {
  const sample = JSON.parse(
    JSON.stringify(ended(8021, { events: events({ held: { code: 3, subcode: 1, reason: "" } }) })),
  );
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(sample)), fc.jsonValue(), (key, value) => {
      const read = readAttempt({ ...sample, [key]: value });
      if (read.ok) decideAttempt(read.value, NO_HISTORY, builtinPolicy(), NOW);
      else expect(read.error.every(({ path }) => path.startsWith(key))).toBe(true);
    }),
    RUNS,
  );
});
