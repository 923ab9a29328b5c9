import { expect, test } from "vitest";
import { type Group, sectionsOf } from "./sections.ts";

const group = (kind: Group["kind"], what: string, subjects: string[]): Group => ({
  ...{ kind, what, actor: null, text: "", texts: 1, count: subjects.length, first_at: "", last_at: "" },
  ...{ subjects, subjects_total: subjects.length },
});

test("parts come in the order in which they are read; empty ones do not come", () => {
  const parts = sectionsOf([group("run", "ended", ["a"]), group("action", "ban", ["s"])]);
  expect(parts.map(({ title }) => title)).toEqual(["What was done", "Runs of the engine"]);
});
