import { expect, test } from "vitest";
import type { DagId, NodeName, UnitName } from "../../../core/names.ts";
import type { NodeView } from "../../../core/run.ts";
import { type SideNodes, withSideNodes } from "./side-nodes.ts";

const node = (name: string, state: NodeView["state"]): NodeView => {
  const [unit, own] = [name as UnitName, name as NodeName];
  return { unit, node: own, job: `fit ${name}`, state, retries: 3, held: false, idle: false, detail: "failed: 3" };
};
const side = (over: Partial<SideNodes>): SideNodes => {
  const usual = { dagId: "5ide" as DagId, status: "running", by: "ann", reason: "fixed", nodes: [] } as const;
  return { ...usual, jobs: ["a"], ...over };
};
const [A, B] = [node("a", "failed"), node("b", "failed")];
const look = (sides: readonly SideNodes[], finished: readonly string[] = []) =>
  withSideNodes([A, B], sides, new Set(finished)).map(({ state, side }) => [state, side?.dagId]);

test.each<[string, readonly SideNodes[], readonly string[], string]>([
  ["not yet with the engine", [side({ status: "planning" })], [], "waiting"],
  ["in its queue", [side({ nodes: [node("a", "queued")] })], [], "queued"],
  ["done, says the engine, and nobody has looked yet", [side({ nodes: [node("a", "done")] })], [], "post"],
  ["done", [side({ status: "completed" })], ["a"], "done"],
  ["failed once more, whatever the engine was told", [side({ status: "completed" })], [], "failed"],
  ["for the second time", [side({ dagId: "first" as DagId, status: "failed" }), side({})], [], "waiting"],
])("a job that runs again: %s", (_, sides, finished, state) => {
  expect(look(sides, finished)).toEqual([
    [state, "5ide"],
    ["failed", undefined],
  ]);
});

test("it says in which side run, by whom and why, and keeps its name", () => {
  const [again] = withSideNodes([A, B], [side({})], new Set());
  expect(again).toMatchObject({ job: "fit a", retries: 0, detail: "", side: { by: "ann", reason: "fixed" } });
  expect(withSideNodes([A, B], [], new Set())).toEqual([A, B]);
});
