import { expect, test } from "vitest";
import { type Group, type Handover, handoverSentence, sectionsOf } from "./sections.ts";

const group = (kind: Group["kind"], what: string, subjects: string[], count = subjects.length): Group => ({
  kind,
  what,
  actor: null,
  text: "",
  count,
  first_at: "",
  last_at: "",
  subjects,
});
const open = (kind: "held" | "alert" | "site") => ({ kind, subject: "x", since: "", text: "", actor: null });
const report = (over: Partial<Handover>): Handover => ({ open: [], groups: [], ...over }) as Handover;

test.each<[Partial<Handover>, string]>([
  [{}, "Nothing waits for a person. In this time: nothing."],
  [{ open: [open("held"), open("site")] }, "1 request is held, 1 other matter is open. In this time: nothing."],
  [
    { groups: [group("transition", "completed", ["a", "b"]), group("action", "ban", ["s"], 2)] },
    "Nothing waits for a person. In this time: 2 completed, 2 actions.",
  ],
  [
    { groups: [group("transition", "held", ["a"]), group("transition", "held", ["b"]), group("run", "ended", ["b"])] },
    "Nothing waits for a person. In this time: 2 were held.",
  ],
])("%o", (over, text) => {
  expect(handoverSentence(report(over))).toBe(text);
});

test("parts come in the order in which they are read; empty ones do not come", () => {
  const parts = sectionsOf([group("run", "ended", ["a"]), group("action", "ban", ["s"])]);
  expect(parts.map(({ title }) => title)).toEqual(["What was done", "Runs of the engine"]);
});
