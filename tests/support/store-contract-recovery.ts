import { describe, expect, it } from "vitest";
import { InvariantError } from "../../src/core/base/errors.ts";
import { RESCUE_KINDS } from "../../src/core/dag.ts";
import type { DagId, NodeName, RequestName, UnitName, WorkflowId } from "../../src/core/names.ts";
import type { NewNodeAction, NODE_ACTION_KINDS, NodeReservation } from "../../src/core/operator.ts";
import type { TestStore } from "./store-embedded.ts";
import { at, registerUnit, sampleAction, sampleDag, sampleUnit, sampleWork } from "./store-fixtures.ts";

const W = "w-a" as WorkflowId;
const D = "d-a" as DagId;
const unit = (name: string, change = {}) => sampleUnit(W, "d-a", name, change);
const gone = (name: string, block = 0) => ({ name: name as UnitName, block });
const named = (...names: string[]) => names as UnitName[];

export function recoveryContract(store: () => TestStore): void {
  const blocks = async () =>
    (await store().units.blocks(W)).map(({ status, unitsDone, unitsAbandoned }) => [status, unitsDone, unitsAbandoned]);

  describe("abandoned units", () => {
    it("let their block close, once what finished is registered; saying it twice counts once", async () => {
      await sampleWork(store(), "a");
      await store().units.recordFinished([unit("mg_000000")]);
      const say = () => store().units.abandonUnits(W, [gone("mg_000000"), gone("mg_000001")], at(150));
      expect((await Promise.all([say(), say(), say()])).sort()).toEqual([0, 0, 1]);
      expect(await blocks()).toEqual([
        ["open", 1, 1],
        ["open", 0, 0],
      ]);
      await registerUnit(store(), "a", "mg_000000", at(160));
      expect((await blocks())[0]).toEqual(["complete", 1, 1]);
      expect(await store().units.abandonUnits(W, [gone("mg_000002", 1), gone("mg_000003", 1)], at(170))).toBe(2);
      expect((await blocks())[1]).toEqual(["complete", 0, 2]);
      expect(await store().units.abandonUnits(W, [], at(171))).toBe(0);
      expect((await store().workflows.get(W))?.unitsDone).toBe(1);
    });

    it("that are the last of a registered block close it", async () => {
      await sampleWork(store(), "a");
      await store().units.recordFinished([unit("mg_000000")]);
      await registerUnit(store(), "a", "mg_000000", at(160));
      await store().units.abandonUnits(W, [gone("mg_000001")], at(170));
      expect((await store().units.blocks(W))[0]).toMatchObject({ status: "complete", updatedAt: at(170) });
    });

    it("that finish after all are taken back, and the block waits for them", async () => {
      await sampleWork(store(), "a");
      await store().units.recordFinished([unit("mg_000000", { status: "registered" })]);
      await store().units.abandonUnits(W, [gone("mg_000001")], at(150));
      expect((await blocks())[0]).toEqual(["complete", 1, 1]);
      await store().units.recordFinished([unit("mg_000001")]);
      expect((await blocks())[0]).toEqual(["open", 2, 0]);
      expect(await store().units.abandonUnits(W, [gone("mg_000001")], at(151))).toBe(0);
      await registerUnit(store(), "a", "mg_000001", at(160));
      expect((await blocks())[0]).toEqual(["complete", 2, 0]);
    });

    it("of a block that does not exist are refused whole; a block planned again keeps what it lost", async () => {
      await sampleWork(store(), "a");
      await expect(store().units.abandonUnits(W, [gone("mg_000000"), gone("mg_000009", 9)], at(1))).rejects.toThrow(
        InvariantError,
      );
      expect((await blocks())[0]).toEqual(["open", 0, 0]);
      await store().units.abandonUnits(W, [gone("mg_000000")], at(2));
      await store().units.createBlocks(W, [{ index: 0, dataset: "/A/B/NEW", units: 5 }], at(3));
      expect((await store().units.blocks(W))[0]).toMatchObject({ dataset: "/A/B/GEN", unitsTotal: 2 });
    });
  });

  describe("invalidation", () => {
    const finish = async () => {
      await sampleWork(store(), "a");
      await store().units.recordFinished([
        unit("mg_000000"),
        unit("mg_000001", { status: "registered", registeredAt: at(101) }),
        unit("mg_000002", { block: 1 }),
      ]);
    };

    it("withdraws units once, owed ones too, and their block with its last", async () => {
      await finish();
      const withdraw = (...names: string[]) => store().units.invalidate(W, named(...names), "bad calibration", at(200));
      expect(await withdraw("mg_000000", "nobody")).toBe(1);
      expect(await withdraw("mg_000000")).toBe(0);
      await registerUnit(store(), "a", "mg_000000", at(201));
      expect(await store().units.countByStatus(W)).toEqual({ owed: 1, registered: 1, invalidated: 1 });
      expect((await blocks())[0]).toEqual(["complete", 2, 0]);
      expect(await withdraw("mg_000001", "mg_000002")).toBe(2);
      // More of the second block is to come.
      expect(await blocks()).toEqual([
        ["invalidated", 2, 0],
        ["open", 1, 0],
      ]);
      const withdrawn = await store().sql.query(
        `SELECT name AS unit, block_index AS block, invalidated_reason AS reason, invalidated_at AS at FROM work_units
         WHERE status = 'invalidated' ORDER BY name`,
      );
      expect(withdrawn).toStrictEqual(
        ["mg_000000", "mg_000001", "mg_000002"].map((name) => ({
          unit: name,
          block: name === "mg_000002" ? 1 : 0,
          reason: "bad calibration",
          at: at(200),
        })),
      );
      expect(await store().units.finishedNames(W)).toEqual(new Set(["mg_000000", "mg_000001", "mg_000002"]));
      expect(await store().units.recordFinished([unit("mg_000000")])).toBe(0);
    });

    it("of all withdraws every block that has something in it, and no other workflow's", async () => {
      await finish();
      await sampleWork(store(), "b");
      await store().units.recordFinished([sampleUnit("w-b", "d-b", "mg_000000")]);
      const calls = [1, 2].map(() => store().units.invalidate(W, "all", "superseded", at(200)));
      expect((await Promise.all(calls)).sort()).toEqual([0, 3]);
      expect(await blocks()).toEqual([
        ["invalidated", 2, 0],
        ["invalidated", 1, 0],
      ]);
      expect(await store().units.countByStatus("w-b" as WorkflowId)).toMatchObject({ owed: 1, invalidated: 0 });
    });

    it("while units are being registered counts each for its block once", async () => {
      await sampleWork(store(), "a");
      const names = Array.from({ length: 30 }, (_, n) => `mg_1000${String(n).padStart(2, "0")}`);
      await store().units.createBlocks(W, [{ index: 2, dataset: "/A/B/C", units: 31 }], at(2));
      await store().units.recordFinished(names.map((name) => unit(name, { block: 2 })));
      await Promise.all([
        ...names.map((name) => registerUnit(store(), "a", name, at(3))),
        store().units.invalidate(W, named(...names.slice(10)), "x", at(3)),
      ]);
      const [row] = await store().sql.query<{ done: number }>(
        "SELECT units_registered AS done FROM processing_blocks WHERE block_index = 2",
      );
      expect(row?.done).toBe(30);
      expect(await store().units.countByStatus(W)).toEqual({ owed: 0, registered: 10, invalidated: 20 });
    });

    it("blocks are failed while open", async () => {
      await finish();
      await registerUnit(store(), "a", "mg_000000", at(201));
      expect([await store().units.failBlocks(W, at(302)), await store().units.failBlocks(W, at(303))]).toEqual([1, 0]);
      expect((await store().units.blocks(W)).map(({ status, updatedAt }) => [status, updatedAt])).toEqual([
        ["complete", at(201)],
        ["failed", at(302)],
      ]);
      expect(await store().units.invalidate(W, "all", "failed by ada", at(400))).toBe(3);
      expect((await blocks()).map(([status]) => status)).toEqual(["invalidated", "invalidated"]);
    });
  });

  describe("rescues and abandoned ranges", () => {
    it("are counted by round and kind", async () => {
      await sampleWork(store(), "a");
      const kinds = [...RESCUE_KINDS, "failure" as const];
      for (const [n, rescueKind] of kinds.entries()) {
        const rescue = sampleDag(`d-${n}`, W, { parentDagId: D, round: 1, rescueKind, createdAt: at(n + 1) });
        await store().dags.create(rescue);
        expect(await store().dags.get(rescue.id)).toStrictEqual(rescue);
      }
      const count = (round: number, kind: (typeof RESCUE_KINDS)[number]) => store().dags.countRescues(W, round, kind);
      expect([await count(1, "failure"), await count(1, "stop"), await count(0, "failure")]).toEqual([2, 1, 0]);
    });

    it("of generated events are summed in 64 bits", async () => {
      await sampleWork(store(), "a");
      expect((await store().workflows.get(W))?.abandonedEvents).toBe(0n);
      expect(await store().workflows.change(W, 1, { abandonedEvents: 2n ** 61n })).toBe(true);
      expect((await store().workflows.get(W))?.abandonedEvents).toBe(2n ** 61n);
    });
  });

  describe("bulk reads", () => {
    it("answer for many requests at once", async () => {
      for (const name of ["a", "b", "c"]) await sampleWork(store(), name);
      await store().units.recordFinished([unit("mg_000000"), unit("mg_000001")]);
      await store().intents.begin(D, "submit", "wms2-d-a", at(1));
      const names = ["a", "b", "nobody"] as RequestName[];
      const workflows = await store().workflows.forRequests(names);
      expect([...workflows.keys()].sort()).toEqual(["a", "b"]);
      expect(workflows.get("a" as RequestName)).toStrictEqual(await store().workflows.get(W));
      const dags = await store().dags.getMany(["d-a", "d-c", "nobody"] as DagId[]);
      expect([...dags.keys()].sort()).toEqual(["d-a", "d-c"]);
      expect(dags.get(D)).toStrictEqual(await store().dags.get(D));
      const summaries = await store().outputs.summaries(["w-a", "w-b"] as WorkflowId[]);
      expect([...summaries].map(([id, { blocks, done }]) => [id, blocks, done])).toEqual([
        ["w-a", 2, 0],
        ["w-b", 0, 0],
      ]);
      expect([...(await store().intents.getMany(["d-a", "d-b"] as DagId[], "submit")).keys()]).toEqual([D]);
      expect((await store().workflows.forRequests([])).size).toBe(0);
      expect((await store().dags.getMany([])).size).toBe(0);
      expect((await store().outputs.summaries([])).size).toBe(0);
    });
  });

  describe("node actions", () => {
    const reserve = async (action: NewNodeAction) =>
      (await store().nodeActions.reserveMany([action]))[0] as NodeReservation;

    it("50 calls at once reserve one, and all get the same answer", async () => {
      await sampleWork(store(), "a");
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, n) => reserve(sampleAction({ actor: `caller ${n}` }))),
      );
      expect(answers.filter(({ kind }) => kind === "reserved")).toHaveLength(1);
      expect(answers.filter(({ kind }) => kind === "already")).toHaveLength(49);
      for (const { action } of answers) expect(action).toStrictEqual(answers[0]?.action);
      expect(answers[0]?.action).toStrictEqual({
        ...sampleAction({ actor: answers[0]?.action.actor ?? "" }),
        id: answers[0]?.action.id,
        appliedAt: null,
      });
      expect(await store().nodeActions.ofWorkflow(W)).toHaveLength(1);
    });

    it("retry and fail exclude each other for an attempt; a resubmit and the next attempt do not", async () => {
      await sampleWork(store(), "a");
      const said = async (kind: (typeof NODE_ACTION_KINDS)[number], attempt = 1) =>
        (await reserve(sampleAction({ kind, attempt }))).kind;
      const race = await Promise.all(
        Array.from({ length: 20 }, (_, n) => reserve(sampleAction({ kind: n % 2 ? "retry" : "fail" }))),
      );
      expect(race.filter(({ kind }) => kind === "reserved")).toHaveLength(1);
      expect(race.filter(({ kind }) => kind === "conflict")).toHaveLength(10);
      expect(new Set(race.map(({ action }) => action.id)).size).toBe(1);
      expect([await said("resubmit"), await said("resubmit"), await said("retry", 2)]).toEqual([
        "reserved",
        "already",
        "reserved",
      ]);
      await expect(reserve(sampleAction({ dagId: "nobody" as DagId }))).rejects.toThrow(InvariantError);
    });

    it("go in bulk, from several callers in any order, and answer in the order given", async () => {
      await sampleWork(store(), "a");
      const many = Array.from({ length: 6_000 }, (_, n) =>
        sampleAction({ unit: `mg_${n % 50}` as UnitName, node: `proc_${n}` as NodeName, changes: {} }),
      );
      const both = await Promise.all([
        store().nodeActions.reserveMany(many),
        store().nodeActions.reserveMany([...many].reverse()),
      ]);
      expect(both.flat().filter(({ kind }) => kind === "reserved")).toHaveLength(6_000);
      expect(both[0].map(({ action }) => action.node)).toEqual(many.map(({ node }) => node));
      const twice = await store().nodeActions.reserveMany([
        sampleAction({ attempt: 7 }),
        sampleAction({ attempt: 7, reason: "again" }),
        sampleAction({ attempt: 7, kind: "fail" }),
      ]);
      expect(twice.map(({ kind }) => kind)).toEqual(["reserved", "already", "conflict"]);
      expect(await store().nodeActions.reserveMany([])).toEqual([]);
      expect(await store().nodeActions.ofWorkflow(W)).toHaveLength(6_001);
    });

    it("are pending until applied, once, and stay to be read", async () => {
      await sampleWork(store(), "a");
      await sampleWork(store(), "b");
      await store().dags.create(sampleDag("d-2", W, { parentDagId: D, rescueKind: "failure", createdAt: at(5) }));
      const first = await reserve(sampleAction());
      for (const change of [
        { node: "merge" as NodeName },
        { dagId: "d-2" as DagId, unit: "mg_000001" as UnitName },
        { dagId: "d-b" as DagId },
      ])
        await reserve(sampleAction(change));
      const pending = async () =>
        (await store().nodeActions.ofWorkflow(W))
          .filter(({ appliedAt }) => appliedAt === null)
          .map(({ dagId, node }) => `${dagId} ${node}`);
      expect(await pending()).toEqual(["d-a proc_000000", "d-a merge", "d-2 proc_000000"]);
      const id = first.action.id;
      expect(await store().nodeActions.markApplied([id, "rubbish", "999999"], at(20))).toBe(1);
      expect(await store().nodeActions.markApplied([id], at(21))).toBe(0);
      expect(await pending()).toEqual(["d-a merge", "d-2 proc_000000"]);
      expect(await reserve(sampleAction())).toMatchObject({ kind: "already", action: { appliedAt: at(20) } });
      const list = async (...of: [UnitName?, NodeName?]) =>
        (await store().nodeActions.list(D, ...of)).map(({ node }) => node);
      expect(await list()).toEqual(["merge", "proc_000000"]);
      expect(await list("mg_000000" as UnitName, "merge" as NodeName)).toEqual(["merge"]);
      expect(await list("mg_000001" as UnitName)).toEqual([]);
    });
  });
}
