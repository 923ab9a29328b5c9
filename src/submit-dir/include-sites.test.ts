import { expect, test } from "vitest";
import { adjusted, reelected } from "./include-file.ts";

test.each([
  ["the elected site is forgotten", 'My.DESIRED_Sites = "A"\n', ["A", "B"], [], 'My.DESIRED_Sites = "A,B"\n'],
  ["a site to avoid is left out", 'My.DESIRED_Sites = "A"\n', ["A", "B"], ["A"], 'My.DESIRED_Sites = "B"\n'],
  ["anywhere but there", 'My.DESIRED_Sites = "A"\n', [], ["A"], 'My.BANNED_Sites = "A"\n'],
  ["anywhere", 'My.DESIRED_Sites = "A"\n', [], [], ""],
  ["nowhere left: its own list stands", "", ["A"], ["A"], 'My.DESIRED_Sites = "A"\n'],
  [
    "what nodes were given stays",
    '+DESIRED_Sites = "A"\nproc_000001_memory = 3000\nMy.BANNED_Sites = "X"\n',
    ["A", "B"],
    ["A"],
    'My.DESIRED_Sites = "B"\nproc_000001_memory = 3000\n',
  ],
])("%s", (_story, text, possible, avoid, expected) => {
  expect(reelected(text, possible, avoid)).toBe(expected);
});

test("a name that is no site name never reaches the file", () => {
  expect(() => reelected("", [], ['A" || true'])).toThrow();
});

test("a node's new values replace its old ones and leave the others alone", () => {
  const text = 'My.DESIRED_Sites = "A"\nproc_000001_memory = 2000\nproc_000002_memory = 2500\n';
  expect(adjusted(text, { proc_000001: { memoryMb: 4000, wallMinutes: 90 } })).toBe(
    'My.DESIRED_Sites = "A"\nproc_000002_memory = 2500\nproc_000001_memory = 4000\nproc_000001_wall_minutes = 90\n',
  );
});
