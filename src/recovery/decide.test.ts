import { describe, expect, test } from "vitest";
import { attempt, ended, events, NOW, report, story } from "../../tests/support/attempts.ts";
import { rule, withHandlers } from "../../tests/support/failure-rules.ts";
import { decideAttempt } from "./decide.ts";
import { controlCode, decideGroup } from "./decision.ts";
import { NO_HISTORY } from "./ledger-record.ts";
import { builtinPolicy, type Policy, type PolicySettings } from "./policy.ts";
import { readPolicy } from "./read-policy.ts";
import { summariseGroup } from "./records.ts";

const first = (given: ReturnType<typeof attempt>, policy: Policy = builtinPolicy()) =>
  decideAttempt(given, NO_HISTORY, policy, NOW);
const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);
const heldBy = (code: number) => events({ held: { code, subcode: 0, reason: "x" } });
const free: Partial<PolicySettings> = { siteAffinity: false };

describe("the cases of the CRAB policy, in our terms", () => {
  test("8020 at A: 15 minutes, and away from A where the node may move", () => {
    const given = ended(8020, { site: "A", sites: ["A", "B"] });
    expect(first(given, builtinPolicy(free))).toMatchObject({
      decision: "retry",
      delaySec: 900,
      notBefore: "2026-11-15T10:15:00.000Z",
      avoidSites: ["A"],
      rrn: 1,
    });
  });
  test("with one site only, it stays", () => {
    const given = ended(8020, { site: "A", sites: ["A"] });
    expect(first(given, builtinPolicy(free)).avoidSites).toEqual([]);
    const pinned = story([given, given, given]).decisions;
    expect(pinned.map((decision) => decision.decision)).toEqual(["retry", "retry", "retry"]);
  });
  test("failed at A, then at B: only the last is avoided", () => {
    const at = (site: string) => ended(8020, { site, sites: ["A", "B", "C"] });
    expect(story([at("A"), at("B")], builtinPolicy(free)).decisions[1]?.avoidSites).toEqual(["B"]);
  });
  test("50115 asks for more memory each time, up to the cap, and goes on there: memory may not be its trouble", () => {
    const policy = builtinPolicy({ maxMemoryPerCoreMb: 7500 });
    const { decisions } = story(times(7, ended(50115, { memoryMb: 2000 })), policy);
    expect(decisions.map((decision) => decision.memoryMb)).toEqual([2600, 3380, 4394, 5712, 7425, 7500, 7500]);
    expect(decisions.at(-1)).toMatchObject({ decision: "retry", why: "row-retries", category: "transient" });
  });
  test("60403 asks for more time up to 47 hours", () => {
    const { decisions } = story(times(5, ended(60403, { wallMinutes: 1250 })));
    expect(decisions.map((decision) => decision.wallMinutes)).toEqual([1625, 2112, 2745, 2820, 2820]);
    expect(decisions.at(-1)).toMatchObject({ decision: "retry", why: "row-retries" });
  });
  test.each([
    ["50660", ended(50660, { memoryMb: 3000 }), "memory-cap"],
    ["50664", ended(50664, { wallMinutes: 2820 }), "wall-cap"],
    ["oom", attempt({ dagReturn: -1002, report: null, memoryMb: 3000, events: heldBy(34) }), "memory-cap"],
    ["walltime", attempt({ dagReturn: -1002, report: null, wallMinutes: 2820, events: heldBy(47) }), "wall-cap"],
  ])("%s at the cap stops: nothing is left to give, unless a rule says how often to try", (_, given, why) => {
    expect(first(given)).toMatchObject({ decision: "stop", why, category: "permanent" });
    const policy = withHandlers([rule({ matchAllExitCodes: true, maxRetries: 2 })]);
    const { decisions } = story([given, given, given], policy);
    expect(decisions.map((one) => one.why)).toEqual(["row-retries", "row-retries", "rule-retries"]);
  });
  test("a factor changed by the installation still stops at the cap", () => {
    const read = readPolicy({ rows: [{ id: "too-much-memory", memory_factor: 2 }] });
    expect(first(ended(50660, { memoryMb: 3000 }), read.ok ? read.value : builtinPolicy()).why).toBe("memory-cap");
  });
  test("50660 gets half as much again; a job above the cap is never lowered", () => {
    expect(first(ended(50660, { memoryMb: 1024 })).memoryMb).toBe(1536);
    expect(first(ended(50660, { memoryMb: 16000 }))).toMatchObject({ decision: "stop", memoryMb: 16000 });
    expect(first(ended(50660, { memoryMb: 16000, cores: 8 }))).toMatchObject({ decision: "retry", memoryMb: 24000 });
  });
  test("a memory boost stops at what the biggest place has, however many the cores", () => {
    const policy = builtinPolicy({ maxMemoryMb: 12_000 });
    expect(first(ended(50660, { memoryMb: 9000, cores: 8 }), policy).memoryMb).toBe(12_000);
    expect(first(ended(50660, { memoryMb: 12_000, cores: 8 }), policy)).toMatchObject({ why: "memory-cap" });
  });
  test("8009 is fatal", () => {
    expect(first(ended(8009))).toMatchObject({ decision: "stop", why: "row-stops", category: "permanent" });
  });
  test("the ceiling is a number of executions", () => {
    const policy = builtinPolicy({ executionCeiling: 3 });
    const { decisions } = story(times(3, ended(8036)), policy);
    expect(decisions.map((decision) => [decision.decision, decision.rrn])).toEqual([
      ["retry", 1],
      ["retry", 2],
      ["stop", 3],
    ]);
    expect(decisions[2]?.why).toBe("executions");
  });
  test("with no retries in the run the first failure ends it there", () => {
    expect(first(ended(8036, { maxRetries: 0 }))).toMatchObject({
      decision: "stop",
      why: "run-retries",
      category: "transient",
    });
  });
  test("removed for memory, with no report: boosted", () => {
    const given = attempt({
      dagReturn: -1002,
      report: null,
      memoryMb: 2000,
      events: events({ aborted: "Removed due to memory use" }),
    });
    expect(first(given)).toMatchObject({ decision: "retry", exitCode: 50660, memoryMb: 3000 });
  });
  test("report 0 and $RETURN 1 is tried again", () => {
    expect(first(attempt({ dagReturn: 1 }))).toMatchObject({ decision: "retry" });
  });
  test("137: 15 minutes, no boost; the second time more memory", () => {
    const { decisions } = story(times(2, ended(137, { memoryMb: 2000 })));
    expect(decisions.map(({ memoryMb, delaySec }) => [memoryMb, delaySec])).toEqual([
      [2000, 900],
      [2600, 900],
    ]);
  });
  test("a new epoch gives a fresh budget, and keeps the history", () => {
    const { records } = story(times(3, ended(8036)), builtinPolicy({ executionCeiling: 3 }));
    const again = decideAttempt(
      ended(8036, { cluster: 99 }),
      { epoch: 1, records },
      builtinPolicy({ executionCeiling: 3 }),
      NOW,
    );
    expect(again).toMatchObject({ decision: "retry", rrn: 1, epoch: 1 });
  });
  test("POST run twice for one attempt decides the same", () => {
    const { records, decisions } = story(times(2, ended(8036)));
    const again = decideAttempt(ended(8036, { cluster: 2 }), { epoch: 0, records }, builtinPolicy(), NOW);
    expect(again).toEqual(decisions[1]);
  });
});

describe("losses", () => {
  const lost = attempt({ dagReturn: -1001, cluster: null, report: null });
  const evicted = attempt({ dagReturn: -1002, report: null });
  test("have a budget of their own and are no executions", () => {
    const each = [lost, evicted, ended(8036), evicted, lost, evicted, ended(8036), evicted].map((given, at) => ({
      ...given,
      dagRetry: at,
      maxRetries: 99,
    }));
    const { decisions } = story(each);
    expect(decisions.map((decision) => decision.rrn)).toEqual([0, 0, 1, 1, 1, 1, 2, 2]);
    expect(decisions.map((decision) => decision.decision)).toEqual([...times(7, "retry"), "stop"]);
    expect(decisions.at(-1)).toMatchObject({ why: "losses", category: "infrastructure" });
  });
});

describe("sites and files", () => {
  const at = (site: string, file = "/store/a.root") => ended(8021, { site, inputs: [file], sites: ["A", "B", "C"] });
  test("a pinned unit tries twice, then stops so that it can be moved", () => {
    const { decisions } = story([at("A"), at("A")]);
    expect(decisions[0]).toMatchObject({ decision: "retry", avoidSites: [] });
    expect(decisions[1]).toMatchObject({
      decision: "stop",
      why: "site",
      category: "infrastructure",
      avoidSites: ["A"],
      badFiles: [],
    });
    expect(controlCode(decisions[1]!)).toBe(42);
  });
  test("the same file at two sites is bad data", () => {
    const { decisions } = story([at("A"), at("A"), at("B")]);
    expect(decisions[2]).toMatchObject({
      decision: "stop",
      why: "bad-file",
      category: "data",
      badFiles: ["/store/a.root"],
    });
    expect(decisions[2]?.reason).toContain("failed at A and now at B");
  });
  test("another file at another site is not, and both sites are left out", () => {
    const { decisions } = story([at("A"), at("B", "/store/b.root"), at("B", "/store/b.root")]);
    expect(decisions.at(-1)).toMatchObject({ decision: "stop", why: "site", avoidSites: ["A", "B"] });
  });
  test("a log that names corruption is proof at once", () => {
    const given = {
      ...at("A"),
      inputs: ["/store/a.root", "/store/bb.root"],
      stderrTail: "Fatal Root Error: file bb.root is truncated at 12 bytes\n",
    };
    expect(first(given)).toMatchObject({ decision: "stop", category: "data", badFiles: ["/store/bb.root"] });
  });
  test("without a named file nothing is blamed", () => {
    const given = { ...at("A"), inputs: ["/store/a.root", "/store/bb.root"] };
    const { decisions } = story([given, { ...given, site: "B" }]);
    expect(decisions[1]).toMatchObject({ category: "infrastructure", badFiles: [] });
  });
});

test("the payload's own 42, 43 and 44 are codes like any other", () => {
  for (const code of [42, 43, 44]) {
    expect(first(ended(code))).toMatchObject({ decision: "retry", exitCode: code, row: { id: "unknown" } });
    expect(first(attempt({ dagReturn: code, report: null }))).toMatchObject({ decision: "retry", exitCode: code });
  }
});

test("backoff grows, and its jitter is the same at every replay", () => {
  const { decisions } = story(times(8, ended(71300)));
  const delays = decisions.map((decision) => decision.delaySec);
  expect(story(times(8, ended(71300))).decisions.map((decision) => decision.delaySec)).toEqual(delays);
  for (const [at, delay] of delays.entries()) {
    const plain = Math.min(60 * 2 ** at, 3600);
    expect(delay).toBeGreaterThanOrEqual(plain);
    expect(delay).toBeLessThanOrEqual(plain * 1.25);
  }
  expect(
    new Set(
      ["a", "b", "c"].map(
        (node) => first({ ...ended(71300), node, report: report({ node, exitCode: 71300 }) }).delaySec,
      ),
    ).size,
  ).toBeGreaterThan(1);
});

test("workers that seem bad are avoided for the rest of the epoch", () => {
  const on = (host: string, code = 1) => ended(code, { host });
  const { decisions } = story([on("w1"), on("w2"), on("w3", 8036), on("w4"), on("w5")]);
  expect(decisions.map((decision) => decision.avoidHosts)).toEqual([
    ["w1"],
    ["w1", "w2"],
    ["w1", "w2"],
    ["w1", "w2", "w4"],
    ["w2", "w4", "w5"],
  ]);
});

test("a group whose nodes fail alike for good is ended early", () => {
  const stop = first(ended(8009));
  const group = (nodes: number, code = 8009, done = 0) => {
    const failed = Array.from({ length: nodes }, (_, at) =>
      story([ended(code)]).records.map((record) => ({ ...record, node: `n${at}`, cluster: at + 100 })),
    ).flat();
    const succeeded = Array.from({ length: done }, (_, at) =>
      story([attempt()]).records.map((record) => ({ ...record, node: `d${at}` })),
    ).flat();
    return summariseGroup([...failed, ...succeeded], "proc_000000");
  };
  expect(decideGroup(stop, group(1), 3).decision).toBe("stop");
  expect(decideGroup(stop, group(2), 3)).toMatchObject({ decision: "abort", why: "group-alike" });
  expect(controlCode(decideGroup(stop, group(2), 3))).toBe(43);
  expect(decideGroup(stop, group(2, 8006), 3).decision).toBe("stop");
  expect(decideGroup(stop, group(2, 8009, 5), 3).decision).toBe("stop");
  expect(decideGroup(stop, group(9), 0).decision).toBe("stop");
  expect(decideGroup(first(ended(8021)), group(9, 8021), 3).decision).toBe("retry");
});
