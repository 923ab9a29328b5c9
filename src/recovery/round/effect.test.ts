import { expect, test } from "vitest";
import { describeEffect, describeEffects, type Effect, killsJobs, seenIn } from "./effect.ts";

const effect = (over: Partial<Effect>): Effect => ({
  ...{ action: "stop", jobsKilled: 3, secondsLost: 9000, unitsKept: 4, unitsLeft: 6, unitWord: "unit" },
  ...{ requestor: "ann", readers: [] },
  ...over,
});

test.each<[Partial<Effect>, string]>([
  [
    {},
    "stops it; 3 running jobs are killed, 2.5 h of work is lost; 4 of 10 units stay done; 6 units left to run; it stays stopped until: wms2 resume gen; requested by ann",
  ],
  [
    { action: "hold", jobsKilled: 0 },
    "stops it for somebody to look at; 4 of 10 units stay done; 6 units left to run; it waits until: wms2 resume gen; requested by ann",
  ],
  [
    { action: "requeue", jobsKilled: 1, secondsLost: 80, unitsKept: 0 },
    "takes it out of the engine and puts it back into the queue; 1 running job is killed, 80 s of work is lost; none of 6 units is done yet; 6 units left to run; it goes on from there when it is its turn; requested by ann",
  ],
  [
    { action: "abort", secondsLost: null, unitsKept: 1, readers: ["next", "other"] },
    "ends it for good; 3 running jobs are killed, what they did so far is lost; 1 of 7 units stays done; 6 units will not run; only a restart starts it again; requested by ann; next, other read what it makes",
  ],
  [
    { action: "fail", jobsKilled: 0, unitsLeft: 0 },
    "gives it up for good; 4 of 4 units stay done; a list of its outputs is kept for withdrawing them; requested by ann",
  ],
])("what people are told: %o", (over, words) => {
  expect(describeEffect(effect(over), "gen", null)).toBe(words);
});

test("what was decided comes first where an action has several ways", () => {
  const release = effect({ action: "release", jobsKilled: 0 });
  expect(describeEffect(release, "gen", "released: the run goes on")).toBe(
    "released: the run goes on; 4 of 10 units stay done; requested by ann",
  );
});

test("of many, together", () => {
  const one = { jobs_killed: 3, hours_lost: 1.25, units_kept: 4, units_left: 6, unit_word: "unit", requestor: "ann" };
  expect(describeEffects([one, { ...one, unit_word: "job", requestor: "bob" }])).toBe(
    "6 running jobs are killed, 2.5 h of work is lost; 8 of 20 units stay done; requested by ann, bob",
  );
  expect(describeEffects([one, { ...one, hours_lost: null }])).toContain("what they did so far is lost");
});

test("who kills jobs, and what an action after a preview is about", () => {
  expect([killsJobs("stop", null), killsJobs("release", null), killsJobs("release", "disk-unwritable")]).toEqual([
    true,
    false,
    true,
  ]);
  const item = { request_name: "a", outcome: "would", version: 3 };
  expect(seenIn([item, { ...item, request_name: "b", outcome: "refused" }])).toEqual({ a: 3 });
});
