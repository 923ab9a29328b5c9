import { describe, expect, it } from "vitest";
import { InvariantError, WorldError } from "../../src/core/base/errors.ts";
import type { RequestName } from "../../src/core/names.ts";
import { REQUEST_STATUSES, TERMINAL_STATUSES } from "../../src/core/request-status.ts";
import type { Wait } from "../../src/core/wait.ts";
import type { TestStore } from "./store-embedded.ts";
import { at, sampleSpec } from "./store-fixtures.ts";

const A = "a" as RequestName;
const why = { reason: "test", actor: "ada", at: at(10) };
const held = { code: "no-site", message: "no site left", evidence: { sites: ["x"] }, actions: ["release"] };

export function requestContract(store: () => TestStore): void {
  const create = (name: string, second = 0, change = {}) =>
    store().requests.create(sampleSpec(name, change), "queued", [], "ada", at(second));

  describe("requests", () => {
    it("gives back what was stored, 64-bit numbers and bytes included", async () => {
      const file = { path: "gen.sh", executable: true, sha256: "ab", content: new Uint8Array([0, 1, 255]) };
      expect(await store().requests.create(sampleSpec("a"), "queued", [file], "ada", at(1))).toBe(true);
      const record = await store().requests.get(A);
      expect(record).toStrictEqual({
        spec: sampleSpec("a"),
        status: "queued",
        version: 1,
        priority: 100_000,
        urgent: false,
        productionSteps: [{ fraction: 0.5, priority: 90_000 }],
        hold: null,
        wish: null,
        error: null,
        waiting: null,
        supersededBy: null,
        modifications: null,
        rescuesUsed: 0,
        outputState: "active",
        createdAt: at(1),
        updatedAt: at(1),
        statusSince: at(1),
      });
      expect(await store().requests.files(A)).toStrictEqual([file]);
      expect(await store().requests.transitions(A)).toStrictEqual([
        { from: null, to: "queued", reason: "created", actor: "ada", at: at(1) },
      ]);
      expect(await store().requests.get("b" as RequestName)).toBeNull();
    });

    it("refuses a taken name and leaves the first request alone", async () => {
      await create("a");
      expect(await store().requests.create(sampleSpec("a", { requestor: "eve" }), "new", [], "eve", at(5))).toBe(false);
      expect((await store().requests.get(A))?.spec.requestor).toBe("ada");
      expect(await store().requests.transitions(A)).toHaveLength(1);
    });

    it("replaces a draft, seen by who had read the old one, and nothing but a draft", async () => {
      await store().requests.create(sampleSpec("a"), "new", [], "ada", at(0));
      expect((await store().requests.get(A))?.spec.campaign).toBe(sampleSpec("a").campaign);
      expect(await store().requests.replaceDraft(sampleSpec("a", { campaign: "later" }), [], at(1))).toBe(true);
      expect(await store().requests.get(A)).toMatchObject({ version: 2, status: "new", spec: { campaign: "later" } });
      await store().requests.change(A, 2, { status: "submitted" }, { reason: "ready", actor: "ada", at: at(2) });
      expect(await store().requests.replaceDraft(sampleSpec("a"), [], at(3))).toBe(false);
      expect((await store().requests.get(A))?.spec.campaign).toBe("later");
    });

    it("moves by compare-and-set and leaves a transition with each move", async () => {
      await create("a");
      expect(await store().requests.change(A, 1, { status: "planning" }, why)).toBe(true);
      expect(await store().requests.change(A, 1, { status: "held", hold: held }, why)).toBe(false);
      expect(await store().requests.change(A, 2, { priority: 7, urgent: true }, { ...why, at: at(11) })).toBe(true);
      expect(await store().requests.change(A, 3, { status: "held", hold: held }, { ...why, at: at(12) })).toBe(true);
      expect(await store().requests.get(A)).toMatchObject({
        status: "held",
        version: 4,
        priority: 7,
        urgent: true,
        hold: held,
        statusSince: at(12),
        updatedAt: at(12),
      });
      expect((await store().requests.transitions(A)).map(({ from, to }) => [from, to])).toEqual([
        [null, "queued"],
        ["queued", "planning"],
        ["planning", "held"],
      ]);
      expect(await store().requests.change("nobody" as RequestName, 1, { priority: 1 }, why)).toBe(false);
    });

    it("keeps wishes and clears them", async () => {
      await create("a");
      const wish = { kind: "abort" as const, actor: "ada", reason: "wrong", at: at(3) };
      await store().requests.change(A, 1, { wish }, why);
      expect((await store().requests.get(A))?.wish).toStrictEqual(wish);
      await store().requests.change(A, 2, { wish: null, status: "aborted" }, why);
      expect(await store().requests.get(A)).toMatchObject({ wish: null, status: "aborted" });
    });

    it("refuses an illegal move loudly, and a hold without a reason", async () => {
      await create("a");
      await expect(store().requests.change(A, 1, { status: "completed" }, why)).rejects.toThrow(InvariantError);
      await expect(store().requests.change(A, 1, { status: "held" }, why)).rejects.toThrow(InvariantError);
      expect(await store().requests.get(A)).toMatchObject({ status: "queued", version: 1 });
      expect(await store().requests.transitions(A)).toHaveLength(1);
    });

    it("lets exactly one of many concurrent writers win", async () => {
      await create("a");
      for (let version = 1; version <= 5; version++) {
        const wins = await Promise.all(
          Array.from({ length: 12 }, (_, priority) => store().requests.change(A, version, { priority }, why)),
        );
        expect(wins.filter(Boolean)).toHaveLength(1);
      }
      const moves = await Promise.all(
        Array.from({ length: 12 }, () => store().requests.change(A, 6, { status: "planning" }, why)),
      );
      expect(moves.filter(Boolean)).toHaveLength(1);
      expect(await store().requests.transitions(A)).toHaveLength(2);
    });

    it("remarks do not touch the version", async () => {
      await create("a");
      const waiting: Wait = {
        ...{
          code: "admission",
          reason: "second in the queue",
          since: at(1),
          until: null,
          who: "time",
          details: ["and more"],
        },
      };
      const error = { code: "engine-unreachable", message: "no\0schedd \ud800", hint: "wait", since: at(2), count: 3 };
      await store().requests.remark(A, { error, waiting });
      const record = await store().requests.get(A);
      expect(record).toMatchObject({ version: 1, waiting, updatedAt: at(0) });
      expect(record?.error).toStrictEqual({ ...error, message: "no\uFFFDschedd \uFFFD" });
      await store().requests.remark(A, { error: null });
      expect(await store().requests.get(A)).toMatchObject({ error: null, waiting });
      expect(await store().requests.countByWait()).toEqual({ admission: 1 });
      // What it waited for belongs to its status.
      await store().requests.change(
        A,
        1,
        { status: "planning" },
        { reason: "a place is free", actor: "wms2", at: at(3) },
      );
      expect(await store().requests.get(A)).toMatchObject({ status: "planning", waiting: null });
    });

    it("pages newest first and stays stable while requests are added", async () => {
      for (let n = 0; n < 25; n++) await create(`r${String(n).padStart(2, "0")}`, Math.floor(n / 3));
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await store().requests.list({ limit: 7, ...(cursor === undefined ? {} : { cursor }) });
        seen.push(...page.items.map(({ spec }) => spec.name));
        await create(`late${seen.length}`, 1000);
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
      const expected = Array.from({ length: 25 }, (_, n) => `r${String(24 - n).padStart(2, "0")}`);
      expect(seen).toEqual(expected);
    });

    it("filters by status, requestor, campaign and a part of the name taken literally", async () => {
      await create("Muons_1", 1);
      await create("muonsX1", 2, { requestor: "bob", campaign: "Old" });
      await create("jets", 3, { requestor: "bob" });
      await store().requests.change("jets" as RequestName, 1, { status: "planning" }, why);
      const names = async (filter: object) =>
        (await store().requests.list({ limit: 10, ...filter })).items.map(({ spec }) => spec.name);
      expect(await names({ nameContains: "MUONS" })).toEqual(["muonsX1", "Muons_1"]);
      expect(await names({ nameContains: "s_1" })).toEqual(["Muons_1"]);
      expect(await names({ requestor: "bob" })).toEqual(["jets", "muonsX1"]);
      expect(await names({ campaign: "Old", status: ["queued", "active"] })).toEqual(["muonsX1"]);
      expect(await names({ status: ["planning"] })).toEqual(["jets"]);
      expect(await names({ status: [] })).toEqual([]);
      expect(await store().requests.countByStatus()).toEqual({ queued: 2, planning: 1 });
    });

    it("refuses a cursor it never gave", async () => {
      for (const cursor of ["", "rubbish", Buffer.from('["x","y"]').toString("base64url")]) {
        await expect(store().requests.list({ limit: 1, cursor })).rejects.toThrow(WorldError);
      }
    });

    it("open requests are those that are not over", async () => {
      await create("a", 2);
      await create("b", 1);
      await create("c", 0);
      await store().requests.change("c" as RequestName, 1, { status: "aborted" }, why);
      expect((await store().requests.open()).map(({ spec }) => spec.name)).toEqual(["b", "a"]);
    });

    it("the schema knows the statuses of the domain, and walks open ones by index", async () => {
      for (const status of REQUEST_STATUSES) {
        await store().sql.query(
          `INSERT INTO requests (name, kind, requestor, campaign, spec, status, priority, urgent, production_steps, hold,
             created_at, updated_at, status_since)
           VALUES ($1, 'process', '', '', '{}', $1, 0, false, '[]', '{}', now(), now(), now())`,
          [status],
        );
      }
      const rest = await store().requests.open();
      expect(rest).toHaveLength(REQUEST_STATUSES.length - TERMINAL_STATUSES.length);
      const [index] = await store().sql.query<{ indexdef: string }>(
        "SELECT indexdef FROM pg_indexes WHERE indexname = 'requests_open'",
      );
      for (const status of TERMINAL_STATUSES) expect(index?.indexdef).toContain(`'${status}'`);
    });
  });
}
