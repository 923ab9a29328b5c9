import { describe, expect, it } from "vitest";
import { WorldError } from "../../src/core/base/errors.ts";
import type { RequestName, SiteName, WorkflowId } from "../../src/core/names.ts";
import { ALERT_CHANGES, AUDIT_OUTCOMES, OUTPUT_STATES, WISH_KINDS } from "../../src/core/operator.ts";
import type { TestStore } from "./store-embedded.ts";
import { at, sampleSpec, sampleWork } from "./store-fixtures.ts";

const A = "a" as RequestName;
const why = { reason: "test", actor: "ada", at: at(10) };
const NORTH = "north" as SiteName;

export function operatorContract(store: () => TestStore): void {
  const create = (name: string, second = 0, change = {}) =>
    store().requests.create(sampleSpec(name, change), "queued", [], "ada", at(second));

  describe("requests in operators' hands", () => {
    it("keep the modifications of a release, the rescues used and the state of their outputs", async () => {
      await create("a");
      const modifications = {
        siteBans: [NORTH],
        excludedFiles: ["/f/ž"],
        memoryMb: 4000,
        retries: 0,
        holdThreshold: 0.5,
        topUp: false,
        maxRescues: null,
      };
      await store().requests.change(A, 1, { modifications, rescuesUsed: 2 }, why);
      expect(await store().requests.get(A)).toMatchObject({ modifications, rescuesUsed: 2, version: 2 });
      await store().requests.change(A, 2, { modifications: null, rescuesUsed: 0 }, why);
      expect(await store().requests.get(A)).toMatchObject({ modifications: null, rescuesUsed: 0 });
      let version = 3;
      for (const outputState of OUTPUT_STATES) {
        expect(await store().requests.change(A, version++, { outputState }, why)).toBe(true);
        expect((await store().requests.get(A))?.outputState).toBe(outputState);
      }
      expect(await store().requests.transitions(A)).toHaveLength(1);
    });

    it("carry wishes of every kind, with what they are about", async () => {
      await create("a");
      let version = 1;
      for (const kind of WISH_KINDS) {
        const wish = { kind, actor: "ada", reason: "now", at: at(3), detail: { units: ["mg_000001"], how: kind } };
        await store().requests.change(A, version++, { wish }, why);
        expect((await store().requests.get(A))?.wish).toStrictEqual(wish);
      }
    });

    it("name all their versions, whichever is asked and whichever link is set", async () => {
      await create("a", 1);
      await create("a-v2", 2, { previousVersion: "a" });
      await create("a-v3", 3, { previousVersion: "a-v2" });
      await create("lonely", 4);
      await store().requests.change(A, 1, { supersededBy: "a-v2" as RequestName }, why);
      const versions = async (name: string) =>
        (await store().requests.versions(name as RequestName)).map(({ spec }) => spec.name);
      for (const name of ["a", "a-v2", "a-v3"]) expect(await versions(name)).toEqual(["a", "a-v2", "a-v3"]);
      expect(await versions("lonely")).toEqual(["lonely"]);
      expect(await versions("nobody")).toEqual([]);
      // Linked from the old one only; and a circle, which nobody should make, ends.
      await store().requests.change("a-v3" as RequestName, 1, { supersededBy: "lonely" as RequestName }, why);
      await store().requests.change("lonely" as RequestName, 1, { supersededBy: A }, why);
      expect(await versions("lonely")).toEqual(["a", "a-v2", "a-v3", "lonely"]);
    });

    it("are named page by page while a bulk action changes them", async () => {
      for (let n = 0; n < 11; n++) await create(`r${String(n).padStart(2, "0")}`, n, n % 2 ? {} : { campaign: "Old" });
      const seen: string[] = [];
      for (let cursor: string | undefined; ; ) {
        const filter = { status: ["queued" as const], campaign: "Old", limit: 2 };
        const page = await store().requests.names({ ...filter, ...(cursor === undefined ? {} : { cursor }) });
        seen.push(...page.items);
        for (const name of page.items) await store().requests.change(name, 1, { status: "aborted" }, why);
        if (page.nextCursor === null) break;
        cursor = page.nextCursor;
      }
      expect(seen).toEqual(["r10", "r08", "r06", "r04", "r02", "r00"]);
    });
  });

  describe("audit", () => {
    const entry = (subject: string, n: number) => ({
      at: at(n),
      actor: "ada",
      action: "release",
      subject,
      reason: "site is back",
      detail: { n },
      outcome: "done" as const,
    });

    it("keeps every entry and pages newest first, by subject too", async () => {
      for (let n = 0; n < 7; n++) expect(await store().audit.add(entry(n % 2 ? "b" : "a", n))).toBe(true);
      for (const outcome of AUDIT_OUTCOMES) await store().audit.add({ ...entry("c", 9), outcome });
      const first = await store().audit.list({ subject: "a", limit: 3 });
      expect(first.items.map(({ detail }) => detail.n)).toEqual([6, 4, 2]);
      const { id, ...rest } = first.items[0]!;
      expect(rest).toStrictEqual(entry("a", 6));
      expect(id).toMatch(/^\d+$/);
      const second = await store().audit.list({ subject: "a", limit: 3, cursor: first.nextCursor ?? "" });
      expect(second).toMatchObject({ items: [{ detail: { n: 0 } }], nextCursor: null });
      expect((await store().audit.list({ limit: 100 })).items).toHaveLength(11);
    });

    it("notes what has a key once", async () => {
      const add = () => store().audit.add({ ...entry("north", 1), key: "expired 7" });
      expect((await Promise.all([add(), add(), add()])).filter(Boolean)).toHaveLength(1);
      expect((await store().audit.list({ limit: 9 })).items).toHaveLength(1);
    });

    it("refuses a cursor of another list", async () => {
      for (let n = 0; n < 2; n++) {
        await store().audit.add(entry("a", n));
        await store().alerts.raise({ key: `k${n}`, severity: "info", subject: "s", message: "m", at: at(n) });
      }
      const cursor = (await store().alerts.list({ limit: 1 })).nextCursor ?? "";
      await expect(store().audit.list({ limit: 1, cursor })).rejects.toThrow(WorldError);
    });
  });

  describe("site bans", () => {
    const ban = (until: number, change = {}) =>
      store().sites.ban({
        site: NORTH,
        workflowId: null,
        reason: `until ${until}`,
        evidence: { failed: until },
        until: at(until),
        actor: "ada",
        at: at(10),
        ...change,
      });
    const W = "w-a" as WorkflowId;

    it("make an unknown site known, and of several at once one", async () => {
      const answers = await Promise.all(Array.from({ length: 10 }, () => ban(100)));
      expect(answers.filter(({ kind }) => kind === "banned")).toHaveLength(1);
      expect(answers.filter(({ kind }) => kind === "already")).toHaveLength(9);
      expect(new Set(answers.map(({ ban }) => ban.id)).size).toBe(1);
      expect(answers[0]?.ban).toStrictEqual({
        id: answers[0]?.ban.id,
        site: "north",
        workflowId: null,
        reason: "until 100",
        evidence: { failed: 100 },
        createdBy: "ada",
        createdAt: at(10),
        expiresAt: at(100),
        removedAt: null,
        removedBy: null,
      });
      expect(await store().sites.get(NORTH)).toMatchObject({ status: "enabled", cores: null });
      expect(await store().sites.activeBans(at(50))).toHaveLength(1);
    });

    it("last as long as the longest says, and begin again after they ended", async () => {
      await ban(100);
      expect(await ban(60)).toMatchObject({ kind: "already", ban: { expiresAt: at(100), reason: "until 100" } });
      expect(await ban(200)).toMatchObject({ kind: "extended", ban: { expiresAt: at(200), reason: "until 200" } });
      expect((await ban(400, { at: at(300) })).kind).toBe("banned");
      expect(await store().sites.bans({ at: at(310) })).toMatchObject([{ createdAt: at(300) }]);
      expect(await store().sites.bans({ at: at(310), includePast: true })).toMatchObject([
        { expiresAt: at(400) },
        { expiresAt: at(200) },
      ]);
    });

    it("of a workflow are its own; they are counted and lifted apart", async () => {
      for (const name of ["a", "b", "c"]) {
        await sampleWork(store(), name);
        await ban(100, { workflowId: `w-${name}` });
      }
      await ban(50, { workflowId: "w-c", site: "south" });
      await ban(100);
      const count = async (second: number) => {
        const bans = await store().sites.bans({ sites: [NORTH], at: at(second) });
        return bans.filter(({ workflowId }) => workflowId !== null).length;
      };
      expect([await count(20), await count(100)]).toEqual([3, 0]);
      const everywhere = (await store().sites.bans({ at: at(20) })).map(({ workflowId }) => workflowId);
      for (const id of [W, null]) expect(everywhere.filter((one) => one === id)).toEqual([id]);
      expect(await store().sites.bans({ sites: ["south" as SiteName], at: at(20) })).toHaveLength(1);

      const lift = (workflowId: WorkflowId | null | "all") =>
        store().sites.unban({ site: NORTH, workflowId }, "bob", at(30));
      expect([await lift(null), await lift(null)]).toEqual([1, 0]);
      expect([await lift(W), await count(31)]).toEqual([1, 2]);
      expect([await lift("all"), await lift("all")]).toEqual([2, 0]);
      expect(await store().sites.bans({ sites: [NORTH], at: at(31) })).toEqual([]);
      expect(await store().sites.bans({ sites: [NORTH], at: at(31), includePast: true })).toMatchObject(
        Array.from({ length: 4 }, () => ({ removedBy: "bob", removedAt: at(30) })),
      );
      expect(await store().sites.unban({ site: "south" as SiteName, workflowId: "all" }, "bob", at(60))).toBe(0);
      expect((await ban(90, { workflowId: W, at: at(40) })).kind).toBe("banned");
    });
  });

  describe("alerts and those who are told", () => {
    const raise = (key: string, severity: "warning" | "critical" = "warning", second = 1) =>
      store().alerts.raise({ key, severity, subject: "s", message: `${key} ${second}`, at: at(second) });
    const idOf = async (key: string) =>
      (await store().alerts.list({ limit: 99 })).items.find((alert) => alert.key === key)?.id ?? "";
    const waiting = async (sink = "mail") =>
      (await store().alerts.undelivered(sink, 99)).map(({ alert, told }) => [
        alert.key,
        alert.lastChange,
        alert.revision,
        told,
      ]);
    const tell = async (sink = "mail") => {
      for (const { alert } of await store().alerts.undelivered(sink, 99))
        await store().alerts.delivered({ id: alert.id, sink, revision: alert.revision, at: at(50) });
    };

    it("are acknowledged once, found by id, and listed newest first", async () => {
      for (const key of ["x", "y", "z"]) await raise(key);
      const id = await idOf("y");
      const answers = await Promise.all(["ada", "bob"].map((actor) => store().alerts.acknowledge(id, actor, at(5))));
      expect(answers.filter(Boolean)).toHaveLength(1);
      expect(await store().alerts.get(id)).toMatchObject({
        acknowledgedBy: answers[0] ? "ada" : "bob",
        acknowledgedAt: at(5),
        lastChange: "acknowledged",
        revision: 2,
      });
      await store().alerts.close("x", at(6));
      expect(await store().alerts.acknowledge(await idOf("x"), "ada", at(7))).toBe(false);
      for (const nobody of ["", "x", "0", "-1", "99999999", "1e3", "9".repeat(30)]) {
        expect(await store().alerts.get(nobody)).toBeNull();
        expect(await store().alerts.acknowledge(nobody, "ada", at(7))).toBe(false);
      }
      const keys = async (filter: object) =>
        (await store().alerts.list({ limit: 2, ...filter })).items.map(({ key }) => key);
      const first = await store().alerts.list({ limit: 2 });
      expect(first.items.map(({ key }) => key)).toEqual(["z", "y"]);
      expect(await keys({ cursor: first.nextCursor })).toEqual(["x"]);
      expect([await keys({ open: true }), await keys({ open: false })]).toEqual([["z", "y"], ["x"]]);
    });

    it("each change goes once to each sink; counting up is no change", async () => {
      await raise("x");
      expect(await waiting()).toEqual([["x", "opened", 1, 0]]);
      await tell();
      await raise("x", "warning", 2);
      expect(await waiting()).toEqual([]);
      expect(await waiting("hook")).toEqual([["x", "opened", 1, 0]]);
      await raise("x", "critical", 3);
      expect(await waiting()).toEqual([["x", "severity", 2, 1]]);
      await tell();
      await store().alerts.acknowledge(await idOf("x"), "ada", at(4));
      await store().alerts.close("x", at(5));
      expect(await waiting()).toEqual([["x", "closed", 4, 2]]);
      await tell();
      expect(await waiting()).toEqual([]);
      expect(ALERT_CHANGES).toContain((await store().alerts.get(await idOf("x")))?.lastChange);
    });

    it("a change while a sink is being told is told too, and an older answer does not undo a newer", async () => {
      await raise("x");
      const id = await idOf("x");
      await raise("x", "critical", 2);
      await store().alerts.delivered({ id, sink: "mail", revision: 1, at: at(3) });
      expect(await waiting()).toEqual([["x", "severity", 2, 1]]);
      await store().alerts.delivered({ id, sink: "mail", revision: 2, at: at(4) });
      await store().alerts.delivered({ id, sink: "mail", revision: 1, at: at(5) });
      expect(await waiting()).toEqual([]);
    });

    it("failed tries are counted, come last, and keep a closed alert due; a new sink gets no past", async () => {
      await raise("x");
      await raise("y");
      const id = await idOf("x");
      for (const second of [2, 3])
        await store().alerts.deliveryFailed({ id, sink: "mail", error: "refused", at: at(second) });
      expect((await waiting()).map(([key]) => key)).toEqual(["y", "x"]);
      expect((await store().alerts.undelivered("mail", 99))[1]).toMatchObject({
        tries: 2,
        triedAt: at(3),
        lastError: "refused",
        told: 0,
      });
      expect(await store().alerts.undelivered("mail", 1)).toHaveLength(1);
      await store().alerts.close("x", at(4));
      expect((await waiting()).map(([key, change]) => [key, change])).toEqual([
        ["y", "opened"],
        ["x", "closed"],
      ]);
      expect((await waiting("new")).map(([key]) => key)).toEqual(["y"]);
      await tell();
      expect(await waiting()).toEqual([]);
    });
  });
}
