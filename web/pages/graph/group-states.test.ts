import { expect, test } from "vitest";
import { groupState } from "./group-states.ts";

const group = (jobs: number, ...ranges: [number, number][]) => ({ name: "fit", layer: 0, jobs, ranges });
const map = {
  runs: [["job_", 0, 4] as [string, number, number], ["job_", 10, 3] as [string, number, number]],
  states: "ddfwrdd",
};

test.each([
  [group(2, [0, 1]), "done", "2 of 2 done"],
  [group(4, [0, 3]), "failed", "2 of 4 done, 1 failed, 1 waiting"],
  [group(3, [10, 12]), "running", "2 of 3 done, 1 running"],
  [group(2, [3, 3], [11, 11]), "waiting", "1 of 2 done, 1 waiting"],
  // 5 to 8 were done by an earlier version.
  [group(4, [5, 8]), "done", "4 of 4 done"],
])("of a group of jobs: %#", (one, state, text) => expect(groupState(one, map)).toEqual({ state, text }));
