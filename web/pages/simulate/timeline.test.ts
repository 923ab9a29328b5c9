import { expect, test } from "vitest";
import { readStory, shareOf } from "./timeline.ts";

const TEXT = `    +0:00:00 » submitted
    +0:00:00   submitted → queued: accepted
   +12:05:30   active → completed: all work is done
 +1d 00:11:00 ! a pass failed

flaky: completed; 10 units done
expectations: 6 of 6 hold
`;

test("a story has moments, and a summary after them", () => {
  const story = readStory(TEXT);
  expect(story.moments).toEqual([
    { sec: 0, stamp: "+0:00:00", kind: "done to it", text: "submitted" },
    { sec: 0, stamp: "+0:00:00", kind: "told", text: "submitted → queued: accepted" },
    { sec: 43_530, stamp: "+12:05:30", kind: "told", text: "active → completed: all work is done" },
    { sec: 87_060, stamp: "+1d 00:11:00", kind: "trouble", text: "a pass failed" },
  ]);
  expect(story.summary).toBe("flaky: completed; 10 units done\nexpectations: 6 of 6 hold");
  expect(story.moments.map((moment) => shareOf(story, moment))).toEqual([0, 0, 50, 100]);
});

test("a text without moments is all summary", () => {
  expect(readStory("told a story")).toEqual({ moments: [], summary: "told a story" });
});
