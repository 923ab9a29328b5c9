import { describe, expect, it } from "vitest";
import type { WorkflowId } from "../../src/core/names.ts";
import type { FillChoice, NodeRow, NodeState } from "../../src/core/segments.ts";
import type { TestStore } from "./store-embedded.ts";
import { at, sampleWork } from "./store-fixtures.ts";

const row = (id: string, change: Partial<NodeRow> = {}): NodeRow => ({
  ...{
    id,
    state: "failed",
    epoch: 0,
    executions: 1,
    losses: 0,
    overruns: 0,
    transfers: 0,
    reason: "exit code 1",
    cause: null,
  },
  ...{ unit: null, dagId: null, job: null, retryAt: null, madeSum: null, madeOfSum: null, version: 0 },
  changedAt: at(1),
  ...change,
});
const ALL: FillChoice = { component: null, from: null, to: null, mode: "failed", recurse: true };

export function segmentContract(store: () => TestStore): void {
  const workflow = async (): Promise<WorkflowId> => (await sampleWork(store(), "run")).workflowId;
  const all = async (id: WorkflowId, state?: NodeState) => {
    const found: NodeRow[] = [];
    for await (const rows of store().segmentNodes.rows(id, state)) found.push(...rows);
    return found;
  };

  describe("products of a model run", () => {
    it("have a row from the first thing that happens to them on, and all come by id", async () => {
      const id = await workflow();
      const rows = Array.from({ length: 5_001 }, (_, at) => row(`atmos/ts/${String(at).padStart(4, "0")}`));
      expect(await store().segmentNodes.write(id, rows.toReversed())).toEqual(new Set());
      expect(await all(id)).toStrictEqual(rows.map((one) => ({ ...one, version: 1 })));
      expect(await store().segmentNodes.countByState(id)).toEqual({ failed: 5_001 });
      const some = await store().segmentNodes.getMany(id, ["atmos/ts/0007", "atmos/ts/9999"]);
      expect([...some.keys()]).toEqual(["atmos/ts/0007"]);
    });

    it("are changed by who saw them last, one by one", async () => {
      const id = await workflow();
      const { segmentNodes } = store();
      await segmentNodes.write(id, [row("a"), row("b")]);
      await segmentNodes.write(id, [row("a", { version: 1, state: "done", madeSum: "1", retryAt: at(9) })]);
      const late = [
        row("a", { version: 1 }),
        row("b", { version: 1, state: "held" }),
        row("b2"),
        row("c", { version: 3 }),
      ];
      expect(await segmentNodes.write(id, late)).toEqual(new Set(["a", "c"]));
      expect(await segmentNodes.write(id, [row("b")])).toEqual(new Set(["b"]));
      expect((await all(id)).map(({ id, state, version }) => [id, state, version])).toEqual([
        ["a", "done", 2],
        ["b", "held", 2],
        ["b2", "failed", 1],
      ]);
      expect(await all(id, "done")).toMatchObject([{ id: "a", retryAt: at(9) }]);
    });

    it("are written with what belongs to it, or not at all", async () => {
      const id = await workflow();
      const broken = store().transaction(async (tx) => {
        await tx.segmentNodes.write(id, [row("a")]);
        throw new Error("crash");
      });
      await expect(broken).rejects.toThrow("crash");
      expect(await all(id)).toEqual([]);
    });
  });

  it("of two who ask for a fill the first stands, until it is carried out", async () => {
    const id = await workflow();
    const { segmentNodes } = store();
    const ada = { choice: ALL, actor: "ada", reason: "holes", askedAt: at(1) };
    const bob = { choice: { ...ALL, mode: "all" as const }, actor: "bob", reason: "again", askedAt: at(2) };
    expect(await Promise.all([segmentNodes.askFill(id, ada), segmentNodes.askFill(id, ada)])).toStrictEqual([ada, ada]);
    expect(await segmentNodes.askFill(id, bob)).toStrictEqual(ada);
    await segmentNodes.endFill(id, bob);
    expect(await segmentNodes.pendingFill(id)).toStrictEqual(ada);
    await segmentNodes.endFill(id, ada);
    expect(await segmentNodes.pendingFill(id)).toBeNull();
    expect(await segmentNodes.askFill(id, bob)).toStrictEqual(bob);
  });
}
