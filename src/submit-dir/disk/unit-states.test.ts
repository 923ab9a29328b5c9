import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { toEnd } from "../../core/base/slices.ts";
import { makeUnitStates, unitStatesIn } from "./unit-states.ts";

const node = (name: string, status: number, detail = "") =>
  `[\n  Type = "NodeStatus";\n  Node = "${name}";\n  NodeStatus = ${status}; /* "S" */\n  StatusDetails = "${detail}";\n  RetryCount = 0;\n]\n`;

test("a letter for each unit: begun, done, failed; what was cut off waits", () => {
  const text = [node("mg_000000", 1), node("mg_000001", 3), node("mg_000002", 5), node("mg_000003", 6)].join("");
  const more = node("mg_000004", 6, "Was STATUS_SUBMITTED") + node("finish", 1);
  expect(toEnd(unitStatesIn(text + more, ""))).toEqual({
    names: ["mg_000000", "mg_000001", "mg_000002", "mg_000003", "mg_000004"],
    states: "wrdfw",
  });
});

test("a job of a graph that only counts as done has failed", () => {
  const ended = "part_000/job_000001 failed\npart_000/job_000002 blocked part_000/job_000001\n";
  const text = node("job_000000", 5) + node("job_000001", 5) + node("job_000002", 5);
  expect(toEnd(unitStatesIn(text, ended)).states).toBe("dfw");
});

test("a file that has not changed is read once; one that has is read again", async () => {
  const dir = mkdtempSync(join(tmpdir(), "wms2-states-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const unitStates = makeUnitStates();
  expect(await unitStates(dir)).toBeNull();
  writeFileSync(join(dir, "workflow.dag.status"), node("mg_000000", 3));
  const first = await unitStates(dir);
  expect(first?.states).toBe("r");
  expect(await unitStates(dir)).toBe(first);
  writeFileSync(join(dir, "workflow.dag.status"), node("mg_000000", 5, "longer"));
  expect((await unitStates(dir))?.states).toBe("d");
  rmSync(join(dir, "workflow.dag.status"));
  expect(await unitStates(dir)).toBeNull();
});
