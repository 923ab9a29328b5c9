import { describe, expect, it } from "vitest";
import { InvariantError, WorldError } from "../../src/core/base/errors.ts";
import type { UnitName, WorkflowId } from "../../src/core/names.ts";
import type { InputFile, LedgerFile } from "../../src/core/workflow.ts";
import { summariseJobs } from "../../src/planning/sizing/metrics.ts";
import { sampleJobs } from "./sample-metrics.ts";
import type { TestStore } from "./store-embedded.ts";
import { at, registerUnit, sampleFile, sampleUnit, sampleWork } from "./store-fixtures.ts";

const W = "w-a" as WorkflowId;
const unit = (name: string, change = {}) => sampleUnit(W, "d-a", name, change);
const named = (name: string) => name as UnitName;
async function* page(files: readonly InputFile[]) {
  yield files;
}

export function unitContract(store: () => TestStore): void {
  describe("finished units", () => {
    it("are recorded once, and counted once, however often they are told", async () => {
      await sampleWork(store(), "a");
      const first = [unit("mg_000000"), unit("mg_000001", { events: 2n ** 60n, site: null })];
      expect(await store().units.recordFinished(first)).toBe(2);
      expect(await store().units.recordFinished([...first, unit("mg_000002", { block: 1 })])).toBe(1);
      const again = await Promise.all([first, first, first].map((units) => store().units.recordFinished(units)));
      expect(again).toEqual([0, 0, 0]);
      expect(await store().units.recordFinished([])).toBe(0);

      expect(await store().units.list(W)).toStrictEqual([...first, unit("mg_000002", { block: 1 })]);
      expect(await store().units.finishedNames(W)).toEqual(new Set(["mg_000000", "mg_000001", "mg_000002"]));
      expect(await store().workflows.get(W)).toMatchObject({
        unitsDone: 3,
        eventsDone: 2n ** 60n + 1000n,
        version: 1,
        updatedAt: at(100),
      });
      expect((await store().units.blocks(W)).map(({ unitsDone, status }) => [unitsDone, status])).toEqual([
        [2, "open"],
        [1, "open"],
      ]);
    });

    it("of a graph keep what they were made of, for a later version", async () => {
      await sampleWork(store(), "a");
      const made = { path: "d", sizeBytes: 2, mtime: 1763230012.5 };
      const proof = { name: "fit 1", digest: "d0", reads: [], makes: [made] };
      await store().units.recordFinished([unit("job_000000", { proof }), unit("job_000001", { proof: null })]);
      const pages = [];
      for await (const page of store().units.proofs(W)) pages.push(...page);
      expect(pages).toMatchObject([{ unit: "job_000000", proof }]);
    });

    it("told twice in one call are one unit", async () => {
      await sampleWork(store(), "a");
      expect(await store().units.recordFinished([unit("mg_000000"), unit("mg_000000")])).toBe(1);
      expect((await store().workflows.get(W))?.unitsDone).toBe(1);
    });

    it("of several workflows may come in one call, from several writers", async () => {
      await sampleWork(store(), "a");
      await sampleWork(store(), "b");
      const names = ["mg_000000", "mg_000001"];
      const both = names.flatMap((name) => [unit(name), sampleUnit("w-b", "d-b", name)]);
      const added = await Promise.all(
        [both, [...both].reverse(), both].map((units) => store().units.recordFinished(units)),
      );
      expect(added.reduce((sum, n) => sum + n, 0)).toBe(4);
      expect((await store().workflows.get("w-b" as WorkflowId))?.unitsDone).toBe(2);
    });

    it("a call that fails leaves nothing behind", async () => {
      await sampleWork(store(), "a");
      const bad = store().units.recordFinished([unit("mg_000000"), unit("mg_000001", { block: 77 })]);
      await expect(bad).rejects.toThrow(InvariantError);
      expect((await store().workflows.get(W))?.unitsDone).toBe(0);
      expect(await store().units.list(W)).toEqual([]);
    });

    it("keep what their jobs showed; of many units of a round, some that are spread over it are told", async () => {
      await sampleWork(store(), "a");
      const metrics = (memoryMb: number) => summariseJobs(sampleJobs(2, () => ({ memoryMb })));
      const names = Array.from({ length: 10 }, (_, at) => `mg_00000${at}`);
      const units = names.map((name, at) =>
        unit(name, { round: at < 9 ? 0 : 1, metrics: at === 3 ? null : metrics(at) }),
      );
      await store().units.recordFinished(units);
      const told = async (most: number) =>
        (await store().units.measured(W, most)).map(({ round, metrics: { memoryMb } }) => [round, memoryMb?.max]);
      expect(await told(100)).toEqual([...[0, 1, 2, 4, 5, 6, 7, 8].map((at) => [0, at]), [1, 9]]);
      expect(await told(4)).toEqual([...[1, 4, 6, 8].map((at) => [0, at]), [1, 9]]);
      expect((await store().units.measured(W, 1)).at(-1)).toMatchObject({ round: 1, metrics: metrics(9) });
    });

    it("are owed until registered, once; the block closes with its last", async () => {
      await sampleWork(store(), "a");
      await store().units.recordFinished(["mg_000000", "mg_000001"].map((name) => unit(name)));
      const block = async () => (await store().units.blocks(W))[0];
      await Promise.all([1, 2, 3].map(() => registerUnit(store(), "a", "mg_000000", at(200))));
      expect(await block()).toMatchObject({ status: "open", unitsDone: 2 });
      expect(await registerUnit(store(), "a", "mg_000001", at(201))).toBe(true);
      expect(await block()).toMatchObject({ status: "complete", unitsDone: 2, updatedAt: at(201) });
      expect(await store().units.countByStatus(W)).toEqual({ owed: 0, registered: 2, invalidated: 0 });
      expect(await store().units.blockCountByStatus()).toEqual({ complete: 1, open: 1 });
      expect((await store().units.list(W))[0]).toMatchObject({ registeredAt: at(200) });
    });

    it("blocks close when their units are registered at once by many", async () => {
      await sampleWork(store(), "a");
      const names = Array.from({ length: 20 }, (_, n) => `mg_1000${String(n).padStart(2, "0")}`);
      await store().units.createBlocks(W, [{ index: 2, dataset: "/A/B/C", units: 20 }], at(2));
      await store().units.recordFinished(names.map((name) => unit(name, { block: 2 })));
      await Promise.all(names.map((name) => registerUnit(store(), "a", name, at(3))));
      expect((await store().units.blocks(W))[2]).toMatchObject({ status: "complete", unitsTotal: 20, unitsDone: 20 });
    });

    it("blocks planned again take the later plan, unless something of them is done", async () => {
      await sampleWork(store(), "a");
      await store().units.recordFinished([unit("mg_000000")]);
      const again = [0, 1].map((index) => ({ index, dataset: "/A/B/NEW", units: 5 }));
      await store().units.createBlocks(W, again, at(9));
      expect((await store().units.blocks(W)).map(({ dataset, unitsTotal }) => [dataset, unitsTotal])).toEqual([
        ["/A/B/GEN", 2],
        ["/A/B/NEW", 5],
      ]);
    });

    it("page their outputs", async () => {
      await sampleWork(store(), "a");
      await store().units.recordFinished([unit("mg_000000"), unit("mg_000001"), unit("mg_000002", { outputs: [] })]);
      const seen: string[] = [];
      for (let cursor: string | undefined; ; ) {
        const page = await store().units.outputs(W, { limit: 3, ...(cursor === undefined ? {} : { cursor }) });
        seen.push(...page.items.map(({ unit, status, lfn }) => `${unit} ${status} ${lfn}`));
        if (page.nextCursor === null) break;
        cursor = page.nextCursor;
      }
      expect(seen).toEqual([
        "mg_000000 owed /out/mg_000000/a",
        "mg_000000 owed /out/mg_000000/b",
        "mg_000001 owed /out/mg_000001/a",
        "mg_000001 owed /out/mg_000001/b",
      ]);
    });
  });

  describe("what was planned, against what became of it", () => {
    const unaccounted = () => store().units.unaccounted(W);

    it("is accounted for when each unit is done or abandoned, and never below nothing", async () => {
      await sampleWork(store(), "a");
      await sampleWork(store(), "b");
      expect(await unaccounted()).toBe(4);
      await store().units.recordFinished([unit("mg_000000"), unit("mg_000001"), unit("mg_000002", { block: 1 })]);
      expect(await unaccounted()).toBe(1);
      const left = [{ name: named("mg_000003"), block: 1 }];
      expect([
        await store().units.abandonUnits(W, left, at(9)),
        await store().units.abandonUnits(W, left, at(9)),
      ]).toEqual([1, 0]);
      expect(await unaccounted()).toBe(0);
      expect(await store().units.abandonedNames(W)).toEqual(new Set(["mg_000003"]));
      // More than its block was planned for does not make up for another.
      await store().units.recordFinished([unit("mg_000004")]);
      expect(await unaccounted()).toBe(0);
      // It came after all.
      await store().units.recordFinished([unit("mg_000003", { block: 1 })]);
      expect([await unaccounted(), await store().units.abandonedNames(W)]).toEqual([0, new Set()]);
      expect(await store().units.unaccounted("w-b" as WorkflowId)).toBe(4);
      expect(await store().units.abandonedNames("w-b" as WorkflowId)).toEqual(new Set());
    });

    it("is forgotten from a block on, where nothing of it was done", async () => {
      await sampleWork(store(), "a");
      const more = [2, 3, 4].map((index) => ({ index, dataset: "/A/B/GEN", units: 2 }));
      await store().units.createBlocks(W, more, at(2));
      await store().units.recordFinished([unit("mg_000006", { block: 3 })]);
      await store().units.abandonUnits(W, [{ name: named("mg_000008"), block: 4 }], at(3));
      await store().units.dropBlocks(W, 1);
      expect((await store().units.blocks(W)).map(({ index }) => index)).toEqual([0, 3, 4]);
      expect(await unaccounted()).toBe(4);
    });

    it("counts files that were left out, but for those that were not asked for", async () => {
      await sampleWork(store(), "a");
      await store().files.sync(W, page(["/f/1", "/f/2", "/f/3", "/f/4"].map((lfn) => sampleFile(lfn))));
      await store().files.setState(W, ["/f/1"], "excluded", "not in the list");
      await store().files.setState(W, ["/f/2"], "excluded", "it cannot be read");
      await store().files.setState(W, ["/f/3"], "excluded", null);
      const count = (notWanted: string | null) => store().files.countLeftOut(W, notWanted);
      expect([await count("not in the list"), await count("another word"), await count(null)]).toEqual([2, 3, 2]);
    });
  });

  describe("input files", () => {
    const left = async (lumis = true) => {
      const files: LedgerFile[] = [];
      for await (const part of store().files.remaining(W, { lumis })) files.push(...part);
      return files;
    };

    it("keep of their lumis only the runs where nobody asks for more", async () => {
      await sampleWork(store(), "a");
      await store().files.sync(W, page([sampleFile("/f/a"), sampleFile("/f/b", { lumis: [] })]));
      expect((await left(false)).map(({ lumis }) => lumis)).toEqual([[{ run: 1, lumis: [] }], []]);
      expect((await left()).map(({ lumis }) => lumis)).toEqual([[{ run: 1, lumis: [1, 2] }], []]);
    });

    it("stay as they are when a list of them breaks off", async () => {
      await sampleWork(store(), "a");
      await store().files.sync(W, page([sampleFile("/f/a")]));
      const broken = async function* () {
        yield [sampleFile("/f/b")];
        throw new WorldError("catalog-unreachable", "DBS", "half an answer");
      };
      await expect(store().files.sync(W, broken())).rejects.toThrow("half an answer");
      expect((await left()).map(({ lfn }) => lfn)).toEqual(["/f/a"]);
      expect(await store().files.sync(W, page([sampleFile("/f/b")]))).toMatchObject({ added: 1, gone: ["/f/a"] });
    });

    it("are learned, refreshed, and missed when they vanish", async () => {
      await sampleWork(store(), "a");
      const files = ["/f/c", "/f/a", "/f/b"].map((lfn) => sampleFile(lfn));
      expect(await store().files.sync(W, page([...files, files[0]!]))).toEqual({
        added: 3,
        firstAdded: ["/f/a", "/f/b", "/f/c"],
        gone: [],
      });
      expect(await store().files.sync(W, page(files))).toEqual({ added: 0, firstAdded: [], gone: [] });
      await store().files.setState(W, ["/f/b"], "excluded", "corrupt");
      const grown = sampleFile("/f/a", { sizeBytes: 7, events: null, sites: [] });
      expect(await store().files.sync(W, page([grown, sampleFile("/f/d")]))).toEqual({
        added: 1,
        firstAdded: ["/f/d"],
        gone: ["/f/c"],
      });
      const remaining = await left();
      expect(remaining.map(({ lfn }) => lfn)).toEqual(["/f/a", "/f/c", "/f/d"]);
      expect(remaining[0]).toStrictEqual({ ...grown, state: "fresh" });
      expect(await store().files.countByState(W)).toEqual({ fresh: 3, attempted: 0, processed: 0, excluded: 1 });
    });

    it("fresh come before attempted", async () => {
      await sampleWork(store(), "a");
      await store().files.sync(W, page(["/f/a", "/f/b"].map((lfn) => sampleFile(lfn))));
      await store().files.setState(W, ["/f/a"], "attempted", "its unit failed");
      expect((await left()).map(({ lfn, state }) => [lfn, state])).toEqual([
        ["/f/b", "fresh"],
        ["/f/a", "attempted"],
      ]);
    });

    it("are processed with their unit, a split one with its last", async () => {
      await sampleWork(store(), "a");
      await store().files.sync(W, page(["/f/a", "/f/b", "/f/c"].map((lfn) => sampleFile(lfn))));
      const placed = [
        { lfn: "/f/a", unit: named("mg_000000") },
        { lfn: "/f/b", unit: named("mg_000000") },
        { lfn: "/f/b", unit: named("mg_000001") },
        { lfn: "/f/b", unit: named("mg_000001") },
      ];
      await store().files.assign(W, placed);
      await store().files.assign(W, placed);
      expect(await store().files.placed(W)).toEqual([
        { lfn: "/f/a", path: "/data/f/a", units: ["mg_000000"] },
        { lfn: "/f/b", path: "/data/f/b", units: ["mg_000000", "mg_000001"] },
      ]);
      expect(await store().files.countWaiting(W)).toBe(1);
      expect([...(await store().files.stillOpen(W, ["/f/b", "/f/x"]))]).toEqual(["/f/b"]);
      await store().units.recordFinished([unit("mg_000000")]);
      expect((await left()).map(({ lfn }) => lfn)).toEqual(["/f/b", "/f/c"]);
      await store().units.recordFinished([unit("mg_000001")]);
      expect((await left()).map(({ lfn }) => lfn)).toEqual(["/f/c"]);
      expect(await store().files.countByState(W)).toMatchObject({ processed: 2, fresh: 1 });
    });

    it("split over units that two writers finish at the same time are processed", async () => {
      await sampleWork(store(), "a");
      const lfns = Array.from({ length: 20 }, (_, n) => `/f/${n}`);
      await store().files.sync(W, page(lfns.map((lfn) => sampleFile(lfn))));
      const names = ["mg_000000", "mg_000001"];
      await store().files.assign(
        W,
        lfns.flatMap((lfn) => names.map((name) => ({ lfn, unit: named(name) }))),
      );
      await Promise.all(names.map((name) => store().units.recordFinished([unit(name)])));
      expect(await store().files.countByState(W)).toMatchObject({ processed: 20 });
    });

    it("planned again count for their new unit, not for the one that failed", async () => {
      await sampleWork(store(), "a");
      await store().files.sync(W, page([sampleFile("/f/a")]));
      await store().files.assign(W, [{ lfn: "/f/a", unit: named("mg_000000") }]);
      await store().files.assign(W, [{ lfn: "/f/a", unit: named("mg_000005") }]);
      await store().units.recordFinished([unit("mg_000005")]);
      expect(await store().files.countByState(W)).toMatchObject({ processed: 1 });
    });

    it("that nobody knows cannot be planned", async () => {
      await sampleWork(store(), "a");
      const unknown = store().files.assign(W, [{ lfn: "/f/x", unit: named("mg_000000") }]);
      await expect(unknown).rejects.toThrow(InvariantError);
    });

    it("go in bulk: 12,000 files in parts", async () => {
      await sampleWork(store(), "a");
      const files = Array.from({ length: 12_000 }, (_, n) => sampleFile(`/f/${String(n).padStart(6, "0")}`));
      expect(await store().files.sync(W, page(files))).toMatchObject({ added: 12_000, gone: [] });
      await store().files.assign(
        W,
        files.map(({ lfn }, n) => ({ lfn, unit: named(n < 11_000 ? "mg_000000" : "mg_000001") })),
      );
      await store().units.recordFinished([unit("mg_000000")]);
      expect(await left()).toHaveLength(1000);
      await store().files.setState(
        W,
        files.map(({ lfn }) => lfn),
        "attempted",
        null,
      );
      expect(await left()).toHaveLength(12_000);
    });
  });
}
