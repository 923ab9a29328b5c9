import { resolve } from "node:path";
import { expect, test } from "vitest";
import { ACTION } from "../recovery/round/actions.ts";
import { HOLDS, holdFor, isHoldCode, releaseOf } from "./holds.ts";

const RELEASE = {
  rescue: "the same run goes on",
  "next-round": "the rest of the round is planned again",
  plan: "planning goes on where it was",
} as const;

const row = ([code, { meaning, who, help, release, actions }]: [string, (typeof HOLDS)[keyof typeof HOLDS]]) =>
  `| \`${code}\` | ${meaning} | ${who} | ${help} | ${actions.some((a) => a === "release") ? RELEASE[release] : "—"} |`;

const PAGE = `# A request is held

\`held\` means: the program cannot go on without a person, and says why. \`wms2 show NAME\` prints the reason, the evidence and what may be done, as it is typed; \`wms2 errors NAME\` what failed, where and how often. All that an operator can do: [operators.md](operators.md).

| Reason | What it means | Who can help | What to do | After a release |
|---|---|---|---|---|
${Object.entries(HOLDS).map(row).join("\n")}

A held request uses no slot of the queue. Whatever finished stays finished.

This page comes from \`src/core/holds.ts\`: \`npx vitest run --project fast src/core/holds.test.ts -u\` writes it. A new reason: [adding-a-hold.md](adding-a-hold.md).
`;

test("docs/guides/held.md shows the table", async () => {
  await expect(PAGE).toMatchFileSnapshot(resolve(import.meta.dirname, "../../docs/guides/held.md"));
});

test("every hold says what it carries, and allows only what operators can do", () => {
  for (const [code, { meaning, help, actions }] of Object.entries(HOLDS)) {
    expect([code, meaning, help].every((text) => text.length > 0)).toBe(true);
    for (const action of actions) expect(Object.keys(ACTION)).toContain(action);
    expect(actions).toContain("abort");
  }
  const hold = holdFor("engine-rejected", "the engine refused it", { submitDir: "/spool/x" });
  expect(hold).toMatchObject({
    code: "engine-rejected",
    evidence: { submitDir: "/spool/x" },
    actions: ["release", "abort"],
  });
});

test("a hold of an older or a newer version is released by planning on", () => {
  expect([isHoldCode("units-failed"), releaseOf("units-failed"), releaseOf(null)]).toEqual([false, "plan", "plan"]);
  expect([releaseOf("run-lost"), releaseOf("failure-threshold")]).toEqual(["rescue", "next-round"]);
});
