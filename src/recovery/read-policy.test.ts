import { expect, test } from "vitest";
import { checkPolicy, handlerDocument, policyDocument, readPolicy } from "./read-policy.ts";

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
