import { describe, expect, test } from "vitest";
import { NOW } from "../../tests/support/attempts.ts";
import type { RememberedRule } from "../core/rule.ts";
import { NO_ATTEMPT } from "./attempt.ts";
import { decideAttempt } from "./decide.ts";
import { explainCode, showPolicy } from "./explain/policy.ts";
import { NO_HISTORY } from "./ledger-record.ts";
import {
  checkPolicy,
  handlerDocument,
  policyDocument,
  documentText as policyText,
  readPolicy,
  withRemembered,
} from "./read-policy.ts";

test("all problems are found, each with its place", () => {
  const problems = checkPolicy({
    version: 2,
    surprise: 1,
    settings: { execution_ceiling: 0, jitter: "much", unknown: 1 },
    rows: [
      7,
      { id: "no-match", action: "stop" },
      { id: "bad id!", exit_codes: [0, "9-1", "x"], causes: ["omm"], action: "explode", category: "odd" },
      { exit_codes: [1], stderr: "(", memory_factor: 0.5, delay_sec: -1, max_retries: 1.5 },
      { id: "twin", exit_codes: [2] },
      { id: "twin", signals: [99], holds: ["a/b"], stderr: "(a)\\1" },
      { id: "read-failed", delay_sec: 1 },
    ],
    handlers: [{ name: "h", rules: [{ max_retries: 2 }, { exit_codes: [1], delay: "5 min" }] }, 8],
  });
  expect(problems.map(({ path }) => path).sort()).toEqual(
    [
      "version",
      "surprise",
      "settings.unknown",
      "settings.execution_ceiling",
      "settings.jitter",
      "rows[0]",
      "rows[1]",
      "rows[2].id",
      "rows[2].exit_codes[0]",
      "rows[2].exit_codes[1]",
      "rows[2].exit_codes[2]",
      "rows[2].causes[0]",
      "rows[2]",
      "rows[2].category",
      "rows[2].action",
      "rows[3].stderr",
      "rows[3].memory_factor",
      "rows[3].delay_sec",
      "rows[3].max_retries",
      "rows[5].signals[0]",
      "rows[5].holds[0]",
      "rows[5].stderr",
      "rows[4].id",
      "handlers[0].rules[0]",
      "handlers[0].rules[1].delay",
      "handlers[1]",
    ].sort(),
  );
});

test("nothing said is the built-in policy; not an object is a problem", () => {
  expect(checkPolicy({})).toEqual([]);
  for (const wrong of [null, 3, "x", [], undefined]) expect(checkPolicy(wrong)).toHaveLength(1);
});

test("a request's handlers come through whole", () => {
  const document = handlerDocument({
    name: "flaky",
    roles: ["processing"],
    rules: [
      {
        exitCodes: [10],
        matchAllExitCodes: false,
        causes: ["oom"],
        stderr: "busy",
        maxRetries: 2,
        delaySec: 30,
        memoryFactor: 1.5,
        wallFactor: null,
        script: "./fix.sh",
      },
    ],
  });
  const read = readPolicy({ handlers: [document] });
  expect(read.ok && read.value.rows[0]).toMatchObject({
    id: "flaky#1",
    layer: "request",
    source: "handler flaky, rule 1",
    match: { roles: ["processing"], codes: [10], causes: ["oom"], stderr: "busy" },
    action: "retry",
    maxRetries: 2,
    delay: 30,
    memoryFactor: 1.5,
    script: "./fix.sh",
  });
});

test("policy.json of a submit directory is the installation's policy with the request's own", () => {
  const installation = {
    version: 1,
    settings: { loss_budget: 2, jitter: 0 },
    rows: [{ id: "a", exit_codes: [3], action: "stop" }],
  };
  const recovery = { pendingClassification: true, handlers: [] };
  const document = policyDocument(installation, recovery, { maxMemoryPerCoreMb: 4000, jitter: 0.5 });
  const read = readPolicy(JSON.parse(JSON.stringify(document)), "policy.json");
  expect(read.ok && read.value.settings).toMatchObject({
    lossBudget: 2,
    jitter: 0.5,
    maxMemoryPerCoreMb: 4000,
    pendingClassification: true,
  });
  expect(read.ok && read.value.rows[0]).toMatchObject({ id: "a", source: "policy.json rows[0]" });
  expect(checkPolicy(policyDocument(null, recovery))).toEqual([]);
});

test("a handler that jobs name is only for them and comes before those of all", () => {
  const rule = { matchAllExitCodes: false, causes: [], stderr: null, delaySec: null, memoryFactor: null };
  const handler = (name: string, maxRetries: number) => ({
    name,
    roles: ["job"],
    rules: [{ ...rule, exitCodes: [10], maxRetries, wallFactor: null, script: null }],
  });
  const handlers = [handler("of-all", 1), handler("licence", 7)];
  const document = policyDocument(null, { handlers, pendingClassification: false, named: ["licence"] });
  const read = readPolicy(JSON.parse(JSON.stringify(document)));
  if (!read.ok) throw new Error("refused");
  const ruling = (own: readonly string[] | null) => {
    const attempt = { ...NO_ATTEMPT, node: "job_000000", role: "job", dagReturn: 10, handlers: own };
    return decideAttempt(attempt, NO_HISTORY, read.value, new Date(0)).row?.id;
  };
  expect([ruling(null), ruling(["licence"]), ruling(["other"])]).toEqual(["of-all#1", "licence#1", "of-all#1"]);
});

const REMEMBERED: RememberedRule = {
  id: "rule-0123456789",
  action: "fail",
  cause: "exit",
  exitCode: 3,
  stderr: "license\\s+.*refused",
  lines: ["license <n> refused"],
  requestName: "muons",
  actor: "ada",
  reason: "the license is gone for good",
  createdAt: new Date("2026-11-16T10:00:00Z"),
};

describe("a remembered rule", () => {
  const failure = { ...NO_ATTEMPT, node: "proc_0", role: "processing", cluster: 1, dagReturn: 3, maxRetries: 3 };
  const decide = (document: object, attempt: Partial<typeof failure> = {}) => {
    const read = readPolicy(JSON.parse(JSON.stringify(document)), "policy.json");
    if (!read.ok) throw new Error(JSON.stringify(read.error));
    const { row, category, decision } = decideAttempt({ ...failure, ...attempt }, NO_HISTORY, read.value, NOW);
    return { id: row?.id, source: row?.source, category, decision };
  };
  const LOG = { stderrTail: "license 17 refused\n" };
  const row = { id: "file", exit_codes: [3], causes: ["exit"], stderr: "license", action: "retry" };
  const installation = { version: 1, rows: [row], settings: { pending_classification: true } };
  const handler = { name: "own", roles: ["processing"], rules: [{ match_all_exit_codes: true, max_retries: 1 }] };
  const own = { pendingClassification: true, handlers: [] };

  test("decides what the log shows, before the installation's file and after the request's handlers", () => {
    const document = policyDocument(installation, own, {}, [REMEMBERED]);
    const source = "remembered by ada on 2026-11-16, seen in muons";
    expect(decide(document, LOG)).toEqual({ id: REMEMBERED.id, source, category: "permanent", decision: "stop" });
    expect(decide(document).decision).toBe("unclassified");
    expect(decide({ ...document, handlers: [handler] }, LOG)).toMatchObject({ id: "own#1", decision: "retry" });
    const retry = policyDocument(installation, own, {}, [{ ...REMEMBERED, action: "retry" }]);
    expect(decide(retry, LOG)).toMatchObject({ id: REMEMBERED.id, decision: "retry" });
  });

  test("comes into the policy of a run that goes on, and leaves it; what is no policy stays as it is", () => {
    const before = policyText(policyDocument(installation, own));
    const after = withRemembered(before, [REMEMBERED]);
    expect(decide(JSON.parse(after), LOG)).toMatchObject({ id: REMEMBERED.id });
    expect(withRemembered(after, [])).toBe(before);
    expect(withRemembered(before, [])).toBe(before);
    expect(withRemembered("{ torn", [REMEMBERED])).toBe("{ torn");
  });

  test("is shown with its origin, and explained where the log brings it in", () => {
    const read = readPolicy(policyDocument(null, own, {}, [REMEMBERED]));
    if (!read.ok) throw new Error(JSON.stringify(read.error));
    expect(showPolicy(read.value)).toContain(
      "Remembered (1 row)\n  rule-0123456789            3 exit with stderr /license\\s+.*refused/   [remembered by ada on",
    );
    const question = { code: 3, site: null, attempt: 1, role: "processing", maxRetries: 3 };
    const line =
      "  with log   /license\\s+.*refused/: stop (rule-0123456789) [remembered by ada on 2026-11-16, seen in muons]";
    expect(explainCode(question, read.value, NOW).text).toContain(line);
    expect(explainCode({ ...question, code: 4 }, read.value, NOW).text).not.toContain("with log");
  });
});
