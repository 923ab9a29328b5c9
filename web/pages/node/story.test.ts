import { expect, test } from "vitest";
import type { AttemptView } from "../../../src/operations/attempts.ts";
import { compared, megabytes, nearestGood, seconds, storySentence, usedOf } from "./story.ts";

const attempt = (more: Partial<AttemptView> = {}): AttemptView =>
  ({
    ...{ unit: "mg_000003", node: "proc_000021", at: "2026-11-16T02:10:00Z", cause: "exit", exit_code: 3 },
    ...{ decision: "stop", site: "T1_CH_North", host: "n1", rrn: 1, memory_mb: 2000, peak_memory_mb: 1500 },
    ...{ wall_minutes: 60, wall_sec: 120, cpu_sec: 60, ...more },
  }) as AttemptView;
const good = (more: Partial<AttemptView> = {}) => attempt({ cause: null, exit_code: 0, decision: "done", ...more });

test.each([
  [[], "It was not tried yet"],
  [[good()], "Tried once: it is done"],
  [[attempt()], "Tried once, 1 failed with exit 3 at T1_CH_North: no more retries"],
  [
    [attempt({ decision: "retry" }), attempt({ decision: "retry", site: null, exit_code: 137 }), good()],
    "Tried 3 times, 2 failed with exit 3, 137 at T1_CH_North, an unknown site: it is done",
  ],
])("what was tried, in one sentence (%#)", (attempts, expected) => {
  expect(storySentence(attempts)).toBe(expected);
});

test.each([
  [2000, 1500, "1,500 MB of 2,000 MB (75 %)"],
  [2000, 4000, "4,000 MB of 2,000 MB (200 %)"],
  [2000, null, "2,000 MB asked"],
  [null, 1500, "1,500 MB used"],
  [null, null, "not measured"],
])("asked %s, used %s", (asked, used, expected) => {
  expect(usedOf(asked, used, megabytes)).toBe(expected);
});

test("time is told as people do", () => {
  expect(usedOf(5400, 2700, seconds)).toBe("45 min of 1 h 30 min (50 %)");
});

test("the nearest good one: of the same node, then host, then site, then the newest; never of another role", () => {
  const other = { unit: "mg_000004", node: "proc_000030" };
  const far = good({ ...other, site: "T2", host: "n9", at: "2026-11-16T05:00:00Z" });
  const sameSite = good({ ...other, host: "n2" });
  const sameHost = good({ ...other, at: "2026-11-16T01:00:00Z" });
  const sameNode = good({ site: "T2", host: "n7" });
  const merge = good({ node: "merge" });
  const bad = attempt();
  expect(nearestGood(bad, [merge, bad])).toBeNull();
  expect(nearestGood(bad, [merge, far])).toBe(far);
  expect(nearestGood(bad, [far, sameSite])).toBe(sameSite);
  expect(nearestGood(bad, [far, sameSite, sameHost])).toBe(sameHost);
  expect(nearestGood(bad, [far, sameHost, sameNode])).toBe(sameNode);
});

test("side by side, and what differs; numbers only by more than half", () => {
  const rows = compared(attempt({ cpu_sec: null }), good({ site: "T2_DE_South", peak_memory_mb: 900, wall_sec: 100 }));
  expect(rows.map(({ what, bad, good: fine, differs }) => `${what}: ${bad} | ${fine}${differs ? " !" : ""}`)).toEqual([
    "Site: T1_CH_North | T2_DE_South !",
    "Host: n1 | n1",
    "Memory used: 1,500 MB | 900 MB !",
    "Time: 2 min | 1 min",
    "Processor time: not measured | 1 min",
    "Execution: 1 | 1",
  ]);
});
