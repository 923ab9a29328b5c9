import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { describeDetail, JOB_STATE, jobStateOf, SHOWN_JOB_STATES } from "./job-state.ts";

const node = (state: string, more: object = {}) =>
  ({ state, held: false, idle: false, retries: 0, ...more }) as Parameters<typeof jobStateOf>[0];

test.each([
  [node("waiting"), "waiting"],
  [node("ready"), "waiting"],
  [node("ready", { retries: 1 }), "retrying"],
  [node("queued", { idle: true }), "waiting"],
  [node("queued", { idle: true, retries: 2 }), "retrying"],
  [node("queued"), "running"],
  [node("queued", { retries: 2 }), "running"],
  [node("queued", { held: true, idle: true }), "held"],
  [node("post"), "running"],
  [node("futile"), "blocked"],
  [node("failed", { retries: 3 }), "failed"],
  [node("done", { retries: 3 }), "done"],
])("%o is %s", (facts, state) => {
  expect(jobStateOf(facts)).toBe(state);
});

test("the glossary explains each state in the words of the table", () => {
  const glossary = readFileSync(new URL("../../docs/glossary.md", import.meta.url), "utf8");
  for (const state of SHOWN_JOB_STATES)
    expect(glossary).toContain(`| ${state} | ${JOB_STATE[state].letter} | ${JOB_STATE[state].meaning} |`);
});

test.each([
  ["POST script failed with status 42", ""],
  ["not_idle", ""],
  ["idle", "waits for a free place"],
  ["idle: it asks for 8 cores, and this machine has 2", "it asks for 8 cores, and this machine has 2"],
  ["Job was removed", "Job was removed"],
])("of %s people read %s", (detail, text) => {
  expect(describeDetail({ detail })).toBe(text);
});
