import { expect, test } from "vitest";
import { JOB_STATE, JOB_STATES, SHOWN_JOB_STATES, WORST_FIRST } from "../src/core/job-state.ts";
import { REQUEST_STATUSES } from "../src/core/request-status.ts";
import { CELL_GLYPHS } from "../src/recovery/explain/fill-grid.ts";
import { STATUS_LOOK } from "./words.ts";

test("every state has a letter of its own, and the same letter never means two states anywhere", () => {
  const meanings = new Map<string, Set<string>>();
  const say = (letter: string, state: string) =>
    meanings.set(letter, (meanings.get(letter) ?? new Set<string>()).add(state));
  for (const state of SHOWN_JOB_STATES) say(JOB_STATE[state].letter, state);
  for (const status of REQUEST_STATUSES) say(STATUS_LOOK[status][1], status === "completed" ? "done" : status);
  for (const [state, { glyph }] of Object.entries(CELL_GLYPHS)) say(glyph, state);
  const several = [...meanings].filter(([, states]) => states.size > 1).map(([letter, states]) => [letter, ...states]);
  expect(several).toEqual([]);
  expect([...WORST_FIRST].sort()).toEqual([...JOB_STATES].sort());
});
