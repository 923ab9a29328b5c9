import { expect, test } from "vitest";
import { blockedBy } from "./blocked.ts";

const DAG = `JOB a x
PARENT a b CHILD barrier_0
PARENT barrier_0 CHILD c d
PARENT c CHILD e
PARENT f CHILD g
PARENT x y CHILD z
SCRIPT DEFER 44 5 PRE h ../bin/pre $JOB $RETRY ended part_000/f
PARENT f CHILD h
PARENT h CHILD i
`;

test("tells how many jobs each failed one keeps from running, through what joins them; not those that wait for its end", () => {
  const waits = new Set(["c", "d", "e", "g", "h", "i", "z"]);
  const blocked = (failed: string[]) => blockedBy(DAG, failed, (unit) => waits.has(unit));
  expect(blocked(["a"])).toEqual([{ by: "a", units: 3 }]);
  expect(blocked(["f", "a", "b"])).toEqual([
    { by: "a", units: 3 },
    { by: "f", units: 1 },
  ]);
  expect(blocked(["e"])).toEqual([]);
  expect(blocked([])).toEqual([]);
});
