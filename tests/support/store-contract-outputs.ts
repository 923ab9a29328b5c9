import { describe, expect, it } from "vitest";
import type { RequestName, UnitName, WorkflowId } from "../../src/core/names.ts";
import type { BlockError } from "../../src/core/output-block.ts";
import type { TestStore } from "./store-embedded.ts";
import { at, registerUnit, sampleOutput, sampleUnit, sampleWork } from "./store-fixtures.ts";

const W = "w-a" as WorkflowId;
/** Five of them make a block that stands alone, 25 fill it: its requests say 500 GB, or 100 units. */
const file = (lfn: string, change = {}) => sampleOutput(lfn, { sizeBytes: 20e9, ...change });
const unit = (name: string, change = {}) => sampleUnit(W, "d-a", name, { outputs: [file(`/x/${name}`)], ...change });
const two = (name: string) => [file(`/x/${name}`), file(`/y/${name}`, { dataset: "/A/B/RECO" })];
const named = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => `mg_${String(from + at).padStart(6, "0")}`);

export function outputContract(store: () => TestStore): void {
  const blocks = async () => (await store().outputs.list({ limit: 100, requestName: "a" as RequestName })).items;
  const only = async () => {
    const [block] = await blocks();
    if (!block) throw new Error("no block");
    return block;
  };
  const allUnits = async () => {
    const workflow = await store().workflows.get(W);
    await store().workflows.change(W, workflow?.version ?? 0, { hasAllUnits: true });
  };
  const replicated = (...units: string[]) => ({
    ...{ step: "replicas", receipt: null, units: units as UnitName[] },
    state: "replicated" as const,
  });
  const inTheEast = async () => {
    const [block] = (await blocks()).filter(({ site }) => site === "east");
    if (!block) throw new Error("no block in the east");
    return block;
  };
  /** A unit at each of two sites, told and protected; none else was planned. */
  async function twoSmall() {
    await sampleWork(store(), "a");
    await store().units.recordFinished([unit("mg_000000"), unit("mg_000001", { site: "south" })]);
    const found = await blocks();
    for (const block of found) {
      const [{ unit: name } = { unit: "" }] = await store().outputs.units(block, "owed", 1);
      await store().outputs.note(block, replicated(name), null, at(200));
    }
    const of = (site: string) => found.find((block) => block.site === site) as (typeof found)[number];
    return [of("north"), of("south")] as const;
  }
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
      await store().units.recordFinished(named(0, 5).map((name) => unit(name)));
      expect(await only()).toMatchObject({ isFirm: true, isSealed: false });
      await allUnits();
      expect(await store().outputs.seal(await only(), at(150))).toBe(false);
      for (const name of named(0, 5)) await registerUnit(store(), "a", name, at(160));
      expect(await store().outputs.due(at(171), 10)).toMatchObject([{ hasAllUnits: true }]);
      expect(await store().outputs.seal(await only(), at(171))).toBe(true);
      await store().units.recordFinished([unit("mg_000005")]);
      const parts = (await blocks()).map(({ part, isSealed, units }) => [part, isSealed, units.owed]).sort();
      expect(parts).toEqual([
        [0, true, 0],
        [1, false, 1],
      ]);
    });

    it("take units of any processing block until they are full, and then a next part does", async () => {
      await sampleWork(store(), "a");
      await store().units.createBlocks(W, [{ index: 1, dataset: "/A/B/GEN", units: 60 }], at(50));
      for (const [from, count] of [
        [0, 3],
        [3, 22],
        [25, 30],
        [55, 2],
      ] as const)
        await store().units.recordFinished(named(from, count).map((name, at) => unit(name, { block: at % 2 })));
      const found = (await blocks()).map(({ part, units, isFirm, isSealed }) => [part, units.owed, isFirm, isSealed]);
      expect(found.sort()).toEqual([
        [0, 25, true, true],
        [1, 25, true, true],
        [2, 7, true, false],
      ]);
      const large = unit("mg_000057", { outputs: [file("/x/large", { sizeBytes: 4e12 })] });
      await store().units.recordFinished([large, unit("mg_000058")]);
      const later = (await blocks()).filter(({ part }) => part > 1);
      expect(later.map(({ part, units, isSealed }) => [part, units.owed, isSealed]).sort()).toEqual([
        [2, 7, true],
        [3, 1, true],
        [4, 1, false],
      ]);
      expect(await store().outputs.sums()).toMatchObject({ blocks: 5, files: 59, bytes: 58 * 20e9 + 4e12 });
    });

    it("rest when they are small, until all units are there and all that is left over waits for that", async () => {
      const [north, south] = await twoSmall();
      expect(await store().outputs.due(at(300), 10)).toEqual([]);
      expect(await store().outputs.sums()).toMatchObject({ owedSince: null });
      expect(await store().outputs.settle(north, { into: north.name, from: [south.name] }, at(300))).toBe(false);
      await allUnits();
      await store().units.recordFinished([unit("mg_000009", { site: "east", finishedAt: at(310) })]);
      const east = await inTheEast();
      expect(await store().outputs.due(at(311), 10)).toMatchObject([{ name: east.name, hasAllUnits: false }]);
      await store().outputs.note(east, replicated("mg_000009"), null, at(312));
      expect(await store().outputs.due(at(313), 10)).toMatchObject([
        { hasAllUnits: true },
        { hasAllUnits: true },
        { hasAllUnits: true },
      ]);
      expect(await store().outputs.unsealed(east)).toHaveLength(3);
    });

    it("give their units to another when they are merged, once, and are counted no more", async () => {
      const [north, south] = await twoSmall();
      await store().outputs.note(south, { step: "place", receipt: "T2_South", units: [], state: null }, null, at(290));
      await allUnits();
      const merge = { into: north.name, from: [south.name] };
      const settled = await Promise.all([1, 2].map(() => store().outputs.settle(north, merge, at(300))));
      expect(settled.sort()).toEqual([false, true]);
      expect(await blocks()).toMatchObject([
        { name: north.name, isFirm: true, files: 2, units: { owed: 1, replicated: 1 } },
      ]);
      expect(await store().outputs.units(north, "owed", 9)).toMatchObject([
        { unit: "mg_000001", mergedFrom: { place: "T2_South" }, files: [{ lfn: "/x/mg_000001" }] },
      ]);
      expect(await store().outputs.units(north, "replicated", 9)).toMatchObject([
        { unit: "mg_000000", mergedFrom: null },
      ]);
      expect(await store().outputs.get(south.name)).toMatchObject({ status: "merged", isSealed: true, files: 0 });
      expect((await store().outputs.list({ limit: 9, status: "merged" })).items).toHaveLength(1);
      expect(await store().outputs.sums()).toMatchObject({ blocks: 1, files: 2, byStatus: { open: 1 } });
      expect((await store().outputs.summaries([W])).get(W)).toMatchObject({ blocks: 1, done: 0 });
      // What comes to that site later does not go where it was.
      await store().units.recordFinished([unit("mg_000003", { site: "south" })]);
      expect((await blocks()).map(({ site, part }) => `${site} ${part}`).sort()).toEqual(["north 0", "south 1"]);
      expect(await store().outputs.withdraw(W, at(400))).toBe(3);
    });

    it("are not merged with a unit that came since, or one that is registered already", async () => {
      const [north, south] = await twoSmall();
      await allUnits();
      await store().units.recordFinished([unit("mg_000002", { site: "south" })]);
      expect(await store().outputs.settle(north, { into: north.name, from: [south.name] }, at(300))).toBe(false);
      expect(await store().outputs.settle(north, { into: south.name, from: [north.name] }, at(301))).toBe(true);
      expect((await blocks()).map(({ site, units }) => [site, units.owed, units.replicated])).toEqual([
        ["south", 2, 1],
      ]);
    });

    it("end a processing block with the last of those that its units are in", async () => {
      const [north, south] = await twoSmall();
      await allUnits();
      for (const block of [north, south]) await store().outputs.settle(block, { into: block.name, from: [] }, at(300));
      for (const name of named(0, 2)) await registerUnit(store(), "a", name, at(310));
      const status = async () => (await store().units.blocks(W))[0]?.status;
      expect(await status()).toBe("complete");
      for (const [block, then] of [
        [north, "complete"],
        [south, "archived"],
      ] as const) {
        expect(await store().outputs.seal(block, at(320))).toBe(true);
        expect(await store().outputs.end(block, "done", "archived", at(321))).toBe(true);
        expect(await status()).toBe(then);
      }
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
