import { describe, expect, it } from "vitest";
import { type ImportRecord, newImport } from "../../src/core/import.ts";
import type { RequestName, SiteName } from "../../src/core/names.ts";
import type { RememberedRule } from "../../src/core/rule.ts";
import type { TestStore } from "./store-embedded.ts";
import { at, sampleWork } from "./store-fixtures.ts";

const NORTH = "north" as SiteName;
const learned = (name: string, cores = 4, memoryMb = 8000) => ({ name: name as SiteName, cores, memoryMb });

export function restContract(store: () => TestStore): void {
  describe("imports", () => {
    const record = (name: string, outcome: ImportRecord["outcome"], seconds = 1) =>
      newImport(
        { name: name as RequestName, outcome, reasons: [], document: { RequestStatus: "assigned" } },
        at(seconds),
      );

    it("are kept by name, the last word stands, and what was not taken can be forgotten", async () => {
      const { imports } = store();
      for (const [name, outcome] of [
        ["a", "refused"],
        ["b", "passed-over"],
        ["c", "imported"],
      ] as const)
        await imports.record(record(name, outcome));
      await imports.record(record("a", "imported", 2));
      expect(await imports.get("a" as RequestName)).toStrictEqual(record("a", "imported", 2));
      expect([...(await imports.known(["a", "b", "x"]))].sort()).toEqual(["a", "b"]);
      const first = await imports.list({ limit: 2 });
      const rest = await imports.list({ limit: 2, cursor: first.nextCursor! });
      expect([...first.items, ...rest.items].map(({ name }) => name)).toEqual(["a", "c", "b"]);
      expect((await imports.list({ limit: 5, outcome: "passed-over" })).items).toHaveLength(1);
      expect(await imports.forget(["c"])).toBe(1);
      expect([...(await imports.known(["a", "b", "c"]))].sort()).toEqual(["a", "c"]);
    });

    it("are owed the status of their request until they were told of it", async () => {
      const { imports } = store();
      const name = "a" as RequestName;
      await sampleWork(store(), name);
      await imports.record(record(name, "imported"));
      await imports.record(record("no-request", "imported"));
      const [owed, ...more] = await imports.untold(at(5), 10);
      expect([owed?.record.name, more.length]).toEqual([name, 0]);
      await imports.change(name, { tries: 1, lastError: "away", nextTryAt: at(60) });
      expect(await imports.untold(at(59), 10)).toEqual([]);
      expect(await imports.untold(at(60), 10)).toHaveLength(1);
      expect((await imports.trouble()).map((one) => one.name)).toEqual([name]);
      await imports.change(name, { toldStatus: owed!.status, lastError: null, tries: 0, nextTryAt: null });
      expect(await imports.untold(at(99), 10)).toEqual([]);
      expect(await imports.leastLookedAt(10)).toMatchObject([{ name, toldStatus: owed!.status }]);
      await imports.change(name, { changes: ["Memory: 1 → 2"], lookedAt: at(70) });
      expect(await imports.trouble()).toHaveLength(1);
    });
  });

  describe("sites", () => {
    it("are learned from engines without touching an operator's word", async () => {
      await store().sites.learn([learned("south"), learned("north"), learned("north")], at(1));
      expect(await store().sites.get(NORTH)).toStrictEqual({
        name: "north",
        status: "enabled",
        cores: 4,
        memoryMb: 8000,
        drainUntil: null,
        note: null,
        statusFrom: null,
        rses: null,
        isActive: true,
        updatedAt: at(1),
      });
      const change = { status: "draining" as const, drainUntil: at(500), note: "disks" };
      expect(await store().sites.change(NORTH, change, "ada", at(2))).toBe(true);
      await store().sites.learn([learned("north", 8, 3_000_000_000)], at(3));
      await store().sites.learn([learned("south")], at(4));
      expect(await store().sites.list()).toMatchObject([
        { name: "north", ...change, cores: 8, memoryMb: 3_000_000_000, updatedAt: at(3) },
        { name: "south", status: "enabled", updatedAt: at(1) },
      ]);
      expect(await store().sites.change("nowhere" as SiteName, change, "ada", at(2))).toBe(false);
      await store().sites.learn([], at(5));
    });

    it("are taken over from a catalog without touching an operator's word", async () => {
      const synced = (status: "enabled" | "draining", isActive = true) =>
        [NORTH, "south" as SiteName].map((name) => ({
          ...{ name, status, statusFrom: "source" as const, rses: ["R1"], isActive, what: "" },
        }));
      await store().sites.sync(synced("enabled"), at(1));
      await store().sites.change(NORTH, { status: "disabled", note: "ours" }, "ada", at(2));
      await store().sites.sync(synced("draining", false), at(3));
      expect(await store().sites.list()).toMatchObject([
        { name: "north", status: "disabled", statusFrom: "operator", rses: ["R1"], isActive: false, note: "ours" },
        { name: "south", status: "draining", statusFrom: "source", rses: ["R1"], isActive: false },
      ]);
      await store().sites.change(NORTH, { status: "enabled" }, "ada", at(4));
      await store().sites.sync(synced("draining"), at(5));
      expect(await store().sites.get(NORTH)).toMatchObject({ status: "draining", isActive: true });
    });

    it("bans hold from their beginning until they expire or are removed", async () => {
      await sampleWork(store(), "a");
      await store().sites.learn([learned("north")], at(0));
      const ban = (reason: string, expires: number, removed: Date | null, workflow: string | null) =>
        store().sql.query(
          `INSERT INTO site_bans (site, workflow_id, reason, evidence, created_at, expires_at, removed_at)
           VALUES ('north', $1, $2, '{"failed": 9}', $3, $4, $5)`,
          [workflow, reason, at(10), at(expires), removed],
        );
      await ban("here", 100, null, "w-a");
      await ban("everywhere", 200, null, null);
      await ban("removed", 200, at(20), null);
      const active = async (second: number) =>
        (await store().sites.activeBans(at(second))).map(({ reason, workflowId }) => [reason, workflowId]).sort();
      expect(await active(5)).toEqual([]);
      expect(await active(50)).toEqual([
        ["everywhere", null],
        ["here", "w-a"],
      ]);
      expect(await active(100)).toEqual([["everywhere", null]]);
      expect((await store().sites.activeBans(at(100)))[0]).toMatchObject({
        evidence: { failed: 9 },
        expiresAt: at(200),
      });
    });
  });

  describe("alerts", () => {
    it("of one key are one until closed", async () => {
      const raise = (second: number, message: string) =>
        store().alerts.raise({ key: "db", severity: "warning", subject: "store", message, at: at(second) });
      await raise(1, "slow");
      await Promise.all([2, 2, 2].map((second) => raise(second, "slower")));
      const [open] = await store().alerts.open();
      expect(open).toMatchObject({
        key: "db",
        count: 4,
        message: "slower",
        firstAt: at(1),
        lastAt: at(2),
        closedAt: null,
      });
      expect(typeof open?.id).toBe("string");
      await store().alerts.close("db", at(3));
      await store().alerts.close("db", at(4));
      expect(await store().alerts.open()).toEqual([]);
      await raise(5, "again");
      expect(await store().alerts.open()).toMatchObject([{ count: 1, firstAt: at(5) }]);
    });
  });

  describe("remembered rules", () => {
    const rule: RememberedRule = {
      id: "rule-1",
      action: "retry",
      cause: "exit",
      exitCode: 3,
      stderr: "license\\s+refused",
      lines: ["license <n> refused"],
      requestName: "a",
      actor: "ada",
      reason: "restarts at night",
      createdAt: at(1),
    };
    it("of any number who remember the same, one makes the row; the opposite is a conflict", async () => {
      const { rules } = store();
      const all = await Promise.all(["ada", "bob", "eve"].map((actor) => rules.remember({ ...rule, actor })));
      expect(all.map((answer) => answer?.kind).sort()).toEqual(["already", "already", "remembered"]);
      const [kept] = await rules.list();
      expect(all.every((answer) => answer?.rule.actor === kept?.actor)).toBe(true);
      expect(kept).toStrictEqual({ ...rule, actor: kept?.actor });
      expect(await rules.remember({ ...rule, action: "fail" })).toEqual({ kind: "conflict", rule: kept });
    });
    it("are listed oldest first, and withdrawn once", async () => {
      const { rules } = store();
      const older = { ...rule, id: "rule-9", createdAt: at(2) };
      await rules.remember(older);
      await rules.remember({ ...rule, id: "rule-8", createdAt: at(3) });
      expect((await rules.list()).map(({ id }) => id)).toEqual(["rule-1", "rule-9", "rule-8"]);
      expect(await rules.forget("rule-9")).toEqual(older);
      expect(await rules.forget("rule-9")).toBeNull();
      expect(await rules.remember({ ...older, action: "fail" })).toMatchObject({ kind: "remembered" });
    });
  });

  describe("settings, leases and tokens", () => {
    it("settings keep any JSON value", async () => {
      expect(await store().settings.get("limits")).toBeNull();
      for (const value of [{ maxActive: 5 }, [1, "2"], "text", 0, false, null]) {
        await store().settings.set("limits", value, "ada", at(1));
        expect(await store().settings.get("limits")).toStrictEqual(value);
      }
    });

    it("a lease has one owner until it expires or is dropped", async () => {
      const { settings } = store();
      const contenders = await Promise.all(
        ["one", "two", "three"].map((owner) => settings.takeLease("loop", owner, at(0), at(30))),
      );
      expect(contenders.filter(Boolean)).toHaveLength(1);
      const owner = (await settings.lease("loop"))?.owner ?? "";
      const other = owner === "one" ? "two" : "one";
      expect(await settings.takeLease("loop", other, at(29), at(59))).toBe(false);
      expect(await settings.takeLease("loop", owner, at(20), at(50))).toBe(true);
      expect(await settings.takeLease("loop", other, at(49), at(80))).toBe(false);
      expect(await settings.takeLease("loop", other, at(50), at(80))).toBe(true);
      expect(await settings.takeLease("loop", owner, at(51), at(81))).toBe(false);
      expect(await settings.lease("loop")).toStrictEqual({ owner: other, until: at(80) });
      await settings.dropLease("loop", owner);
      expect((await settings.lease("loop"))?.owner).toBe(other);
      await settings.dropLease("loop", other);
      expect(await settings.lease("loop")).toBeNull();
      expect(await settings.takeLease("loop", owner, at(52), at(82))).toBe(true);
    });

    it("tokens are found by their hash", async () => {
      await store().settings.addToken({ sha256: "abc", name: "operator", at: at(1) });
      await store().settings.addToken({ sha256: "abc", name: "other", at: at(2) });
      expect(await store().settings.findToken("abc")).toStrictEqual({ name: "operator" });
      expect(await store().settings.findToken("abd")).toBeNull();
    });

    it("tokens are listed and withdrawn, but for the last one", async () => {
      const { settings } = store();
      await settings.addToken({ sha256: "a", name: "operator", at: at(1) });
      await settings.addToken({ sha256: "b", name: "ann", at: at(2) });
      expect(await settings.listTokens()).toStrictEqual([
        { sha256: "a", name: "operator", createdAt: at(1) },
        { sha256: "b", name: "ann", createdAt: at(2) },
      ]);
      expect(await settings.removeToken("c")).toBe(false);
      expect(await settings.removeToken("a")).toBe(true);
      expect(await settings.removeToken("b")).toBe(false);
      expect(await settings.findToken("b")).toStrictEqual({ name: "ann" });
    });
  });
}
