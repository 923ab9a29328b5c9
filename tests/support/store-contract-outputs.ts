import { describe, expect, it } from "vitest";
import type { RequestName, UnitName, WorkflowId } from "../../src/domain/names.ts";
import type { BlockError } from "../../src/domain/output-block.ts";
import type { TestStore } from "./store-embedded.ts";
import { at, registerUnit, sampleOutput, sampleUnit, sampleWork } from "./store-fixtures.ts";

const W = "w-a" as WorkflowId;
const unit = (name: string, change = {}) => sampleUnit(W, "d-a", name, change);
const two = (name: string) => [sampleOutput(`/x/${name}`), sampleOutput(`/y/${name}`, { dataset: "/A/B/RECO" })];

export function outputContract(store: () => TestStore): void {
  const blocks = async () => (await store().outputs.list({ limit: 100, requestName: "a" as RequestName })).items;
  const only = async () => {
    const [block] = await blocks();
    if (!block) throw new Error("no block");
    return block;
  };
  const error: BlockError = { step: "files", code: "310", message: "another size", fix: "ask", unit: null };
  const refusal = { error, isRefused: true, units: [], nextTryAt: at(9000) };

  describe("output blocks", () => {
    it("come into being with finished units: one for each dataset and site, and are due at once", async () => {
      await sampleWork(store(), "a");
      await store().units.recordFinished([
        unit("mg_000000", { outputs: two("0") }),
        unit("mg_000001", { outputs: two("1"), site: null }),
      ]);
      const found = (await blocks())
        .map(({ dataset, site, files, units }) => [dataset, site, files, units.owed])
        .sort();
      expect(found).toEqual([
        ["/A/B/GEN", "", 1, 1],
        ["/A/B/GEN", "north", 1, 1],
        ["/A/B/RECO", "", 1, 1],
        ["/A/B/RECO", "north", 1, 1],
      ]);
      expect(await store().outputs.due(at(100), 10)).toHaveLength(4);
      // A clock that has been set back since does not put them off.
      expect(await store().outputs.due(at(-7200), 10)).toHaveLength(4);
    });

    it("a unit is registered with the last of its outputs, also when both come at once", async () => {
      await sampleWork(store(), "a");
      await store().units.recordFinished([unit("mg_000000", { outputs: two("0") })]);
      const taken = { step: "files", receipt: null, units: ["mg_000000" as UnitName], state: "registered" as const };
      await Promise.all((await blocks()).map((block) => store().outputs.note(block, taken, null, at(200))));
      expect(await store().units.countByStatus(W)).toMatchObject({ owed: 0, registered: 1 });
      expect(await store().outputs.due(at(300), 10)).toHaveLength(0);
    });

    it("are sealed only when nothing is owed and nothing comes; what comes all the same goes into the next part", async () => {
      await sampleWork(store(), "a");
      await store().units.recordFinished([unit("mg_000000")]);
      expect(await store().outputs.seal(await only(), at(150))).toBe(false);
      await registerUnit(store(), "a", "mg_000000", at(160));
      expect(await store().outputs.seal(await only(), at(161))).toBe(false);
      await store().units.abandonUnits(W, [{ name: "mg_000001" as UnitName, block: 0 }], at(170));
      expect(await store().outputs.due(at(171), 10)).toMatchObject([{ hasAllUnits: true }]);
      expect(await store().outputs.seal(await only(), at(171))).toBe(true);
      await store().units.recordFinished([unit("mg_000001")]);
      const parts = (await blocks()).map(({ part, isSealed, units }) => [part, isSealed, units.owed]).sort();
      expect(parts).toEqual([
        [0, true, 0],
        [1, false, 1],
      ]);
    });

    it("keep what was refused, and since when; a retry forgets it; another unit brings a try of its own", async () => {
      await sampleWork(store(), "a");
      await store().units.recordFinished([unit("mg_000000")]);
      await store().outputs.note(await only(), null, refusal, at(200));
      await store().outputs.note(await only(), null, { ...refusal, isRefused: false }, at(300));
      expect(await only()).toMatchObject({ tries: 2, refusals: 1, failingSince: at(200), lastError: error });
      expect(await store().outputs.due(at(400), 10)).toHaveLength(0);
      const summary = (await store().outputs.summaries([W])).get(W);
      expect(summary).toEqual({
        blocks: 1,
        done: 0,
        failed: 0,
        trouble: { block: (await only()).name, error, nextTryAt: at(9000) },
      });
      await store().units.recordFinished([unit("mg_000001", { finishedAt: at(500) })]);
      expect(await store().outputs.due(at(500), 10)).toHaveLength(1);
      expect(await store().outputs.end(await only(), "failed", "registered", at(600))).toBe(true);
      expect(await store().outputs.due(at(10_000), 10)).toHaveLength(0);
      expect(await store().outputs.retry({ workflowId: W }, at(700))).toEqual([(await only()).name]);
      expect(await only()).toMatchObject({
        status: "open",
        tries: 0,
        refusals: 0,
        failingSince: null,
        nextTryAt: at(700),
      });
    });

    it("are withdrawn whatever became of them, and a retry does not bring them back", async () => {
      await sampleWork(store(), "a");
      await store().units.recordFinished([unit("mg_000000")]);
      expect([await store().outputs.withdraw(W, at(200)), await store().outputs.withdraw(W, at(201))]).toEqual([1, 0]);
      await store().outputs.note(await only(), null, refusal, at(210));
      await store().outputs.retry({ workflowId: W }, at(220));
      expect(await only()).toMatchObject({ status: "withdrawing", nextTryAt: at(220) });
      expect((await store().outputs.summaries([W])).get(W)).toMatchObject({ blocks: 0 });
    });
  });
}
