import { describe, expect, it } from "vitest";
import { DAG_STATUSES } from "../../src/core/dag.ts";
import type { DagId, RequestName, WorkflowId } from "../../src/core/names.ts";
import { BLOCK_STATUSES, UNIT_STATUSES, WORKFLOW_STATUSES } from "../../src/core/workflow.ts";
import { sampleMetrics } from "./sample-metrics.ts";
import type { TestStore } from "./store-embedded.ts";
import { at, sampleDag, sampleSpec, sampleWork, sampleWorkflow } from "./store-fixtures.ts";

const W = "w-a" as WorkflowId;
const D = "d-a" as DagId;

export function workContract(store: () => TestStore): void {
  describe("workflows", () => {
    it("gives back what was stored and changes by compare-and-set", async () => {
      await store().requests.create(sampleSpec("a"), "queued", [], "ada", at(0));
      const workflow = sampleWorkflow(W, "a", { nextFirstEvent: 2n ** 62n, stepMetrics: sampleMetrics() });
      await store().workflows.create(workflow);
      expect(await store().workflows.get(W)).toStrictEqual(workflow);
      expect(await store().workflows.forRequest("a" as RequestName)).toStrictEqual(workflow);
      await store().dags.create(sampleDag(D, W));
      const change = { status: "active" as const, currentDagId: D, nextUnit: 5, eventsDone: 7n, updatedAt: at(9) };
      expect(await store().workflows.change(W, 1, change)).toBe(true);
      expect(await store().workflows.change(W, 1, { nextUnit: 99 })).toBe(false);
      expect(await store().workflows.get(W)).toStrictEqual({ ...workflow, ...change, version: 2 });
      expect(await store().workflows.countByStatus()).toEqual({ active: 1 });
    });

    it("pages newest first", async () => {
      for (const name of ["a", "b", "c"]) await sampleWork(store(), name);
      const first = await store().workflows.list({ limit: 2 });
      expect(first.items.map(({ id }) => id)).toEqual(["w-c", "w-b"]);
      const second = await store().workflows.list({ limit: 2, cursor: first.nextCursor ?? "" });
      expect(second.items.map(({ id }) => id)).toEqual(["w-a"]);
      expect(second.nextCursor).toBeNull();
    });
  });

  describe("dags", () => {
    it("gives back what was stored; a move leaves history, another change does not", async () => {
      await sampleWork(store(), "a");
      const rescue = sampleDag("d-2", W, { parentDagId: D, engineId: "77.0", stopReason: "asked", createdAt: at(5) });
      await store().dags.create(rescue);
      expect(await store().dags.get("d-2" as DagId)).toStrictEqual(rescue);
      const why = { reason: "written", at: at(6) };
      expect(await store().dags.change(D, 1, { status: "ready" }, why)).toBe(true);
      expect(await store().dags.change(D, 1, { status: "failed" }, why)).toBe(false);
      expect(await store().dags.change(D, 2, { engineId: "78.0", submittedAt: at(7) }, why)).toBe(true);
      await store().dags.addEvent({ dagId: D, type: "noted", detail: { n: 1 }, at: at(8) });
      expect(await store().dags.get(D)).toMatchObject({
        status: "ready",
        version: 3,
        engineId: "78.0",
        submittedAt: at(7),
      });
      expect(await store().dags.history(D)).toStrictEqual([
        { dagId: D, type: "moved", detail: { from: "planning", to: "ready", reason: "written" }, at: at(6) },
        { dagId: D, type: "noted", detail: { n: 1 }, at: at(8) },
      ]);
    });

    it("progress counts without a version and writes only what differs", async () => {
      await sampleWork(store(), "a");
      const nodes = { total: 14, waiting: 3, queued: 4, idle: 0, held: 1, done: 5, failed: 1 };
      const units = { total: 2, waiting: 0, running: 1, done: 1, failed: 0 };
      const place = async () => (await store().sql.query<{ ctid: string }>("SELECT ctid::text FROM dags"))[0]?.ctid;
      await store().dags.progress(D, nodes, units);
      const before = await place();
      await store().dags.progress(D, { ...nodes }, { ...units });
      expect(await place()).toBe(before);
      expect(await store().dags.get(D)).toMatchObject({ version: 1, nodes, units });
    });

    it("lists by workflow and status; open ones are those an engine may have", async () => {
      await sampleWork(store(), "a");
      await sampleWork(store(), "b");
      for (const [n, status] of DAG_STATUSES.entries()) {
        await store().dags.create(sampleDag(`x-${status}`, W, { status, createdAt: at(n + 1) }));
      }
      const ids = (page: { items: readonly { id: string }[] }) => page.items.map(({ id }) => id);
      expect(ids(await store().dags.list({ workflowId: W, status: ["halted", "stopped"], limit: 9 }))).toEqual([
        "x-stopped",
        "x-halted",
      ]);
      const first = await store().dags.list({ limit: 8 });
      const second = await store().dags.list({ limit: 8, cursor: first.nextCursor ?? "" });
      expect(new Set([...ids(first), ...ids(second)]).size).toBe(12);
      expect((await store().dags.open()).map(({ id }) => id)).toEqual([
        "d-a",
        "d-b",
        "x-planning",
        "x-ready",
        "x-submitted",
        "x-running",
      ]);
      expect(await store().dags.countOpen()).toBe(6);
    });

    it("the schema knows the statuses of the domain", async () => {
      const rows = await store().sql.query<{ conrelid: string; text: string }>(
        `SELECT conrelid::regclass::text AS conrelid, pg_get_constraintdef(oid) AS text FROM pg_constraint
         WHERE contype = 'c' AND conname LIKE '%status_known'`,
      );
      const statuses = (table: string) =>
        [...(rows.find(({ conrelid }) => conrelid === table)?.text ?? "").matchAll(/'([a-z_]+)'/g)].map(
          (found) => found[1],
        );
      expect(statuses("workflows").toSorted()).toEqual(WORKFLOW_STATUSES.toSorted());
      expect(statuses("dags")).toEqual([...DAG_STATUSES]);
      expect(statuses("processing_blocks")).toEqual([...BLOCK_STATUSES]);
      expect(statuses("work_units")).toEqual([...UNIT_STATUSES]);
    });
  });

  describe("tickets", () => {
    it("go to one of several who saw the same DAG, ever higher, and to nobody once it moved on", async () => {
      await sampleWork(store(), "a");
      await store().dags.change(D, 1, { status: "ready" }, { reason: "test", at: at(1) });
      const taken = await Promise.all([1, 2, 3].map(() => store().dags.takeTicket({ id: D, version: 2 })));
      const [first, ...others] = taken.filter((ticket) => ticket !== null);
      expect(others).toEqual([]);
      // Whoever looked before it was taken can neither end the DAG nor submit it.
      const over = { status: "stopped" } as const;
      expect(await store().dags.change(D, 2, over, { reason: "test", at: at(2) })).toBe(false);
      expect(await store().dags.takeTicket({ id: D, version: 3 })).toBeGreaterThan(first ?? Number.NaN);
      expect(await store().dags.change(D, 4, over, { reason: "test", at: at(3) })).toBe(true);
      expect(await store().dags.takeTicket({ id: D, version: 5 })).toBeNull();
    });
  });

  describe("intents", () => {
    it("begins once, counts tries, and the first answer stands", async () => {
      await sampleWork(store(), "a");
      const intent = async () => (await store().intents.getMany([D], "submit")).get(D);
      await Promise.all([1, 2, 3].map(() => store().intents.begin(D, "submit", "wms2-d-a", at(1))));
      expect(await intent()).toStrictEqual({
        dagId: D,
        kind: "submit",
        batchName: "wms2-d-a",
        status: "pending",
        tries: 0,
        lastError: null,
        createdAt: at(1),
        settledAt: null,
      });
      await store().intents.tried(D, "submit", "time-out");
      await store().intents.tried(D, "submit", null);
      expect(await intent()).toMatchObject({ tries: 2, lastError: null });
      await store().intents.close(D, "submit", "settled", at(5));
      await store().intents.close(D, "submit", "refused", at(6));
      await store().intents.begin(D, "submit", "wms2-d-a", at(9));
      expect(await intent()).toMatchObject({ status: "settled", settledAt: at(5), createdAt: at(1) });
      expect((await store().intents.getMany([D], "stop")).size).toBe(0);
    });
  });
}
