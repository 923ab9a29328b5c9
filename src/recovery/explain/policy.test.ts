import { join } from "node:path";
import { expect, test } from "vitest";
import { NOW } from "../../../tests/support/attempts.ts";
import { builtinPolicy } from "../policy.ts";
import { readPolicy } from "../read-policy.ts";
import { explainCode, policyRows, type Question, showPolicy } from "./policy.ts";

const golden = (name: string) => join(import.meta.dirname, "../../../tests/golden/policy", name);
const ask = (code: number, changes: Partial<Question> = {}): Question => ({
  code,
  site: null,
  attempt: 1,
  role: "processing",
  maxRetries: 3,
  ...changes,
});

const read = readPolicy(
  {
    version: 1,
    settings: { fixed_delay_sec: 60 },
    rows: [
      { id: "read-failed", max_retries: 4 },
      {
        id: "license",
        exit_codes: ["200-220"],
        stderr: "license",
        action: "retry",
        delay_sec: 300,
        category: "transient",
        meaning: "no license was free",
      },
    ],
    handlers: [
      {
        name: "mine",
        roles: ["processing"],
        rules: [{ match_all_exit_codes: true, max_retries: 2, script: "./fix.sh" }],
      },
    ],
  },
  "/etc/wms2/policy.yaml",
);
if (!read.ok) throw new Error(JSON.stringify(read.error));
const layered = read.value;

test("policy show", async () => {
  await expect(showPolicy(builtinPolicy())).toMatchFileSnapshot(golden("show.txt"));
  const own = showPolicy(layered).split("\nBuilt in")[0] ?? "";
  await expect(own).toMatchFileSnapshot(golden("show-layers.txt"));
});

test("policy explain", async () => {
  const questions: Question[] = [
    ask(8021),
    ask(8021, { site: "T2_XX_Alpha", attempt: 2 }),
    ask(85),
    ask(137, { attempt: 2 }),
    ask(50660),
    ask(50660, { attempt: 3 }),
    ask(8009),
    ask(42),
    ask(71300),
    ask(-9),
    ask(-1001),
    ask(0),
    ask(60403, { attempt: 4 }),
  ];
  const text = questions.map((question) => {
    const words = `${question.code}${question.site ? ` --site ${question.site}` : ""} --attempt ${question.attempt}`;
    return `$ wms2 policy explain ${words}\n${explainCode(question, builtinPolicy(), NOW).text}`;
  });
  await expect(text.join("\n")).toMatchFileSnapshot(golden("explain.txt"));
  const own = [ask(8021), ask(205), ask(50660, { attempt: 3 })].map(
    (question) => explainCode(question, layered, NOW).text,
  );
  await expect(own.join("\n")).toMatchFileSnapshot(golden("explain-layers.txt"));
});

test("what the log says decides where a row looks there, and every row is told in words", () => {
  const license = { id: "license", exit_codes: [205], stderr: "license", action: "retry", delay_sec: 300 };
  const own = readPolicy({ version: 1, rows: [{ ...license, category: "transient" }] }, "policy.yaml");
  if (!own.ok) throw new Error(JSON.stringify(own.error));
  const row = (stderr: string) => explainCode(ask(205, { stderr }), own.value, NOW).decision.row?.id;
  expect([row(""), row("no license: 3 of 3 in use")]).toEqual(["unknown", "license"]);
  const rows = policyRows(own.value);
  expect(rows[0]).toMatchObject({ id: "license", layer: "installation", does: "retry after 5 min" });
  expect(rows.at(-1)).toMatchObject({ id: "unknown", match: "anything else", layer: "built-in" });
});
