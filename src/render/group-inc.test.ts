import { expect, test } from "vitest";
import { reelectedInc } from "./group-inc.ts";

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
  expect(reelectedInc(text, possible, avoid)).toBe(expected);
});

test("a name that is no site name never reaches the file", () => {
  expect(() => reelectedInc("", [], ['A" || true'])).toThrow();
});
