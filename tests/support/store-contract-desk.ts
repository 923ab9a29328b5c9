import { describe, expect, it } from "vitest";
import type { FailureRow } from "../../src/core/failure-row.ts";
import type { DagId, RequestName, SiteName, UnitName, WorkflowId } from "../../src/core/names.ts";
import type { RequestStatus } from "../../src/core/request-status.ts";
import { REQUEST_SORTS, type RequestFilter } from "../../src/store/port.ts";
import type { TestStore } from "./store-embedded.ts";
import { at, sampleDag, sampleSpec, sampleWorkflow } from "./store-fixtures.ts";

const names = (...list: string[]) => list as RequestName[];
const HOLD = { code: "no-site", message: "no site is left", evidence: {}, actions: [] };

/** Lists, counts, history and failures over many requests. */
export function deskContract(store: () => TestStore): void {
  /** A request with a run: so many units of ten are done. */
  async function running(name: string, second: number, done: number, change = {}) {
    await store().requests.create(sampleSpec(name, change), "queued", [], "ada", at(second));
    const id = `w-${name}` as WorkflowId;
    await store().workflows.create(sampleWorkflow(id, name, { unitsPlanned: 10, unitsDone: done, round: 1 }));
    const dag = sampleDag(`d-${name}`, id, { status: "running", submittedAt: at(second), round: 1 });
    const units = { total: 10, waiting: 0, running: 2, done, failed: 1 };
    await store().dags.create({ ...dag, units });
    await store().workflows.change(id, 1, { currentDagId: `d-${name}` as DagId });
  }
  const move = (name: string, version: number, status: RequestStatus, more = {}) =>
    store().requests.change(
      name as RequestName,
      version,
      { status, ...more },
      { reason: "t", actor: "ada", at: at(500) },
    );
  const listed = async (filter: Partial<RequestFilter>) =>
    (await store().requests.list({ limit: 100, ...filter })).items.map(({ spec }) => spec.name as string);
  const failure = (change: Partial<FailureRow> = {}): FailureRow => ({
    exitCode: 8021,
    rule: "open-file",
    cause: "exit",
    category: "infrastructure",
    site: "north",
    file: null,
    failures: 3,
    retrying: 1,
    unclassified: 0,
    units: 2,
    firstAt: at(10),
    lastAt: at(20),
    example: { unit: "mg_000001", node: "proc_000007", cluster: 4711, reason: "cannot open" },
    ...change,
  });
  const look = (rows: FailureRow[], hours: { site: SiteName; hour: Date; done?: number }[] = []) => ({
    stamp: "s",
    failing: 4,
    rows,
    hours: hours.map((hour) => ({ done: 5, failed: 2, blamed: 1, busySec: 30, ...hour })),
  });

  describe("requests at the desk", () => {
    it("are paged in every order without one being left out or met twice", async () => {
      for (let i = 0; i < 7; i++) await running(`r${i}`, i % 3, i % 4, { priority: i % 2, urgent: i === 3 });
      for (const sort of REQUEST_SORTS) {
        const all = await listed({ sort });
        const pieces: string[] = [];
        for (let cursor: string | undefined; ; ) {
          const page = await store().requests.list({ limit: 2, sort, ...(cursor !== undefined && { cursor }) });
          pieces.push(...page.items.map(({ spec }) => spec.name));
          if (page.nextCursor === null) break;
          cursor = page.nextCursor;
        }
        expect(pieces, sort).toEqual(all);
        expect(new Set(all).size, sort).toBe(7);
      }
      expect((await listed({ sort: "priority" }))[0]).toBe("r3");
      expect(await listed({ sort: "name" })).toEqual(["r0", "r1", "r2", "r3", "r4", "r5", "r6"]);
      expect((await listed({ sort: "progress" })).slice(0, 2)).toEqual(["r0", "r4"]);
    });

    it("are chosen by hold, kind, text, and by what failed where", async () => {
      for (const name of ["a", "b", "c_d"]) await running(name, 1, 0);
      await move("a", 1, "held", { hold: HOLD });
      await store().desk.keepLook(names("b")[0]!, look([failure({ site: "south", file: "/f/1" })]), at(30));
      await store().desk.keepLook(names("c_d")[0]!, look([], [{ site: "south" as SiteName, hour: at(0) }]), at(30));
      expect(await listed({ holdCode: ["no-site", "x"] })).toEqual(["a"]);
      expect(await listed({ text: "site is LEFT" })).toEqual(["a"]);
      expect(await listed({ text: "c_d" })).toEqual(["c_d"]);
      expect(await listed({ text: "a%" })).toEqual([]);
      expect(await listed({ kind: "generate", status: ["queued"], sort: "name" })).toEqual(["b", "c_d"]);
      expect(await listed({ site: "south", sort: "name" })).toEqual(["b", "c_d"]);
      expect(await listed({ site: "south", code: 8021 })).toEqual(["b"]);
      expect(await listed({ file: "/f/1" })).toEqual(["b"]);
      expect(await listed({ site: "north", code: 8021 })).toEqual([]);
      expect((await store().requests.names({ limit: 9, code: 8021 })).items).toEqual(["b"]);
    });

    it("say how far they are, and how far they were", async () => {
      await running("a", 0, 4);
      await store().requests.create(sampleSpec("new"), "queued", [], "ada", at(0));
      await store().desk.sample(at(0));
      await store().desk.keepLook(names("a")[0]!, look([]), at(30));
      const found = await store().desk.progress(names("a", "new"), [at(400), at(-600)]);
      expect([...found.keys()]).toEqual(["a"]);
      expect(found.get(names("a")[0]!)).toStrictEqual({
        round: 1,
        total: 10,
        done: 4,
        failed: 1,
        running: 2,
        expected: 10,
        lastDoneAt: null,
        failing: 4,
        run: { since: at(0), done: 4 },
        samples: [{ at: at(400), total: 10, done: 4, failed: 1, running: 2 }],
      });
    });

    it("are counted by what they have in common, each facet without its own filter", async () => {
      for (const name of ["a", "b", "c"]) await running(name, 1, 5, { campaign: name === "c" ? "other" : "Run2026" });
      await move("a", 1, "held", { hold: HOLD });
      await store().desk.keepLook(names("b")[0]!, look([failure()]), at(30));
      const { counts, requests, units } = await store().desk.facets({ status: ["held"] });
      expect(requests).toBe(1);
      expect(units).toEqual({ total: 10, done: 5, failed: 1, running: 2 });
      expect(counts).toMatchObject({
        status: { held: 1, queued: 2 },
        hold: { "no-site": 1 },
        campaign: { Run2026: 1 },
      });
      expect((await store().desk.facets({})).counts).toMatchObject({ site: { north: 1 }, kind: { generate: 3 } });
      expect(await store().desk.facets({ campaign: "nobody's" })).toMatchObject({
        requests: 0,
        counts: { status: {} },
      });
    });
  });

  describe("history", () => {
    it("keeps one sample in five minutes, nothing for who stands still, and hours only after two days", async () => {
      await running("a", 0, 4);
      const minute = 60;
      for (const min of [0, 2, 6, 11]) await store().desk.sample(at(min * minute));
      expect(await store().desk.history(names("a")[0]!, at(0))).toHaveLength(1);
      await store().workflows.change("w-a" as WorkflowId, 2, { unitsDone: 6 });
      await store().desk.sample(at(12 * minute));
      const own = await store().desk.history(names("a")[0]!, at(0));
      expect(own.map((one) => [one.at, one.done])).toEqual([
        [at(0), 4],
        [at(600), 6],
      ]);
      const all = await store().desk.history(null, at(0));
      expect(all.map((one) => [one.at, one.done])).toEqual([
        [at(0), 4],
        [at(300), 4],
        [at(600), 6],
      ]);
      const day = 86_400;
      await store().desk.sample(at(3 * day));
      expect((await store().desk.history(null, at(0))).map((one) => one.at)).toEqual([at(0), at(3 * day)]);
      await store().desk.sample(at(40 * day));
      expect(await store().desk.history(null, at(0))).toHaveLength(1);
    });
  });

  describe("failures over all requests", () => {
    it("are added up by code, place and file, of requests that still fail", async () => {
      for (const name of ["a", "b", "c"]) await running(name, 1, 0);
      await move("a", 1, "held", { hold: HOLD });
      await move("b", 1, "planning");
      await move("b", 2, "active");
      await store().desk.keepLook(names("a")[0]!, look([failure(), failure({ site: null, rule: null })]), at(30));
      await store().desk.keepLook(names("b")[0]!, look([failure({ failures: 5, firstAt: at(5) })]), at(31));
      await store().desk.keepLook(names("c")[0]!, look([failure()]), at(32));
      const causes = await store().desk.causes({ limit: 10 });
      expect(causes).toHaveLength(2);
      expect(causes[0]).toMatchObject({
        exitCode: 8021,
        site: "north",
        failures: 8,
        retrying: 2,
        requests: 2,
        held: 1,
      });
      expect(causes[0]).toMatchObject({ names: ["b", "a"], firstAt: at(5), lastAt: at(20), file: null });
      expect(causes[0]?.example).toMatchObject({ requestName: "b", cluster: 4711 });
      expect(causes[1]).toMatchObject({ site: null, rule: null, failures: 3 });
      expect(await store().desk.causes({ limit: 10, site: "south" })).toEqual([]);
      await store().desk.keepLook(names("b")[0]!, look([]), at(40));
      expect((await store().desk.causes({ limit: 10, site: "north", code: 8021 }))[0]).toMatchObject({ requests: 1 });
      expect((await store().desk.lastLooks()).get(names("b")[0]!)).toEqual({ stamp: "s", lookedAt: at(40) });
      const times = [...(await store().desk.lastLooks()).values()].map(({ lookedAt }) => lookedAt.getTime());
      expect((await store().desk.oldestLook(at(900)))?.getTime()).toBe(Math.min(...times));
      await move("a", 2, "failed");
      expect(await store().desk.causes({ limit: 10 })).toEqual([]);
      expect(await store().desk.causes({ limit: 10, overSince: at(400) })).toHaveLength(2);
      expect(await store().desk.causes({ limit: 10, overSince: at(600) })).toEqual([]);
    });

    it("are one cause wherever they happen, but for sites that are told apart by how much ends well there", async () => {
      for (const name of ["a", "b"]) {
        await running(name, 1, 0);
        await move(name, 1, "held", { hold: HOLD });
      }
      const hour = (site: string, done: number) => ({ site: site as SiteName, hour: at(3600), done });
      const south = failure({ site: "south", failures: 2, retrying: 0 });
      await store().desk.keepLook(names("a")[0]!, look([failure(), south], [hour("south", 40)]), at(30));
      await store().desk.keepLook(names("b")[0]!, look([failure()], [hour("east", 7)]), at(31));
      const rates = await store().desk.siteRates({});
      const told = rates.map(({ site, failed, done }) => `${site} ${failed} ${done}`).toSorted();
      expect(told).toEqual(["east 0 7", "north 8 0", "south 2 40"]);
      expect(rates[0]).toMatchObject({ exitCode: 8021, category: failure().category });
      const sites = async (apart: readonly string[]) =>
        (await store().desk.causes({ limit: 10, apart: rates.filter(({ site }) => apart.includes(site)) })).map(
          ({ site, failures, requests }) => `${site} ${failures} ${requests}`,
        );
      expect(await sites([])).toEqual(["null 8 2"]);
      expect(await sites(["north"])).toEqual(["north 6 2", "null 2 1"]);
    });

    it("at sites are counted by the hour, and dropped after a week", async () => {
      await running("a", 1, 0);
      await running("b", 1, 0);
      const hour = { site: "north" as SiteName, hour: at(3600) };
      for (const name of names("a", "b")) await store().desk.keepLook(name, look([], [hour]), at(4000));
      expect(await store().desk.siteHours(at(0))).toStrictEqual([
        { ...hour, done: 10, failed: 4, blamed: 2, busySec: 60 },
      ]);
      await store().desk.keepLook(names("a")[0]!, look([]), at(9 * 86_400));
      expect(await store().desk.siteHours(at(0))).toEqual([]);
    });
  });

  describe("what happened", () => {
    it("is one feed, oldest first, in pages and by kind", async () => {
      await running("a", 1, 0);
      await move("a", 1, "held", { hold: HOLD });
      await store().audit.add({
        at: at(2),
        actor: "ann",
        action: "hold",
        subject: "a",
        reason: "look",
        detail: {},
        outcome: "done",
      });
      await store().alerts.raise({ key: "k", severity: "critical", subject: "disk", message: "full", at: at(3) });
      await store().alerts.close("k", at(4));
      const ban = { site: "north" as SiteName, workflowId: null, reason: "broken", evidence: {}, until: at(9000) };
      await store().sites.ban({ ...ban, actor: "ann", at: at(5) });
      await store().dags.addEvent({ dagId: "d-a" as DagId, type: "ended", detail: { text: "lost" }, at: at(6) });
      const all = await store().desk.feed({ since: at(0), limit: 100 });
      expect(all.items.map(({ kind, subject, what }) => `${kind} ${subject} ${what}`)).toEqual([
        "transition a queued",
        "action a hold",
        "alert disk critical",
        "alert disk closed",
        "ban north banned",
        "run a ended",
        "transition a queued → held",
      ]);
      const seen: string[] = [];
      for (let cursor: string | undefined; ; ) {
        const page = await store().desk.feed({ since: at(0), limit: 2, ...(cursor !== undefined && { cursor }) });
        seen.push(...page.items.map(({ what }) => what));
        if (page.nextCursor === null) break;
        cursor = page.nextCursor;
      }
      expect(seen).toEqual(all.items.map(({ what }) => what));
      expect((await store().desk.feed({ since: at(0), limit: 9, kinds: ["alert"] })).items).toHaveLength(2);
      expect((await store().desk.feed({ since: at(3), limit: 9, subject: "a" })).items).toHaveLength(2);
    });

    it("is found by a part of a name, or by the engine's number", async () => {
      await running("muons-1", 1, 0);
      await store().dags.change("d-muons-1" as DagId, 1, { engineId: "815" }, { reason: "t", at: at(2) });
      const found = async (text: string) =>
        (await store().desk.search(text, 5)).map(({ kind, name }) => `${kind} ${name}`);
      expect(await found("UON")).toEqual(["request muons-1"]);
      expect(await found("815")).toEqual(["run d-muons-1"]);
      expect(await found("%")).toEqual([]);
      expect(await store().desk.unitEnds("w-muons-1" as WorkflowId)).toEqual(new Map<UnitName, never>());
    });

    it("knows which runs may have a job of a number: those in the engine when it was given", async () => {
      const hour = 3600;
      const submit = async (name: string, number: number, from: number, to: number | null) => {
        await running(name, from * hour, 0);
        const over = to === null ? {} : { status: "completed" as const, endedAt: at(to * hour) };
        const change = { engineId: String(number), submittedAt: at(from * hour), ...over };
        await store().dags.change(`d-${name}` as DagId, 1, change, { reason: "t", at: at(from * hour) });
      };
      await submit("old", 100, 1, 2);
      await submit("long", 200, 3, null);
      await submit("short", 300, 4, 5);
      await submit("new", 900, 8, null);
      const around = async (number: number) =>
        (await store().desk.runsAround(number, 9)).map(({ requestName }) => requestName as string).sort();
      expect(await around(100)).toEqual([]);
      expect(await around(150)).toEqual(["old"]);
      expect(await around(250)).toEqual(["long"]);
      expect(await around(400)).toEqual(["long", "short"]);
      expect(await around(901)).toEqual(["long", "new"]);
    });

    it("is a report that counts all of it: who waits for a person, open alerts, what happened", async () => {
      for (const name of ["a", "b", "c", "d"]) await running(name, 1, 0);
      const held = (name: string, failed: number) =>
        store().requests.change(
          names(name)[0]!,
          1,
          { status: "held", hold: { ...HOLD, code: "units-failed", message: `${failed} of 8` } },
          { reason: `units-failed: ${failed} of 8`, actor: "wms2", at: at(10 + failed) },
        );
      await held("a", 3);
      await held("b", 5);
      const waiting = { reason: "1 held", since: at(20), until: null, who: "operator" as const, details: [] };
      await store().requests.remark(names("c")[0]!, { waiting: { ...waiting, code: "products-held" } });
      await store().requests.remark(names("d")[0]!, { waiting: { ...waiting, code: "sweep-off" } });
      const needs = await store().desk.inNeed();
      expect(needs).toEqual([
        { kind: "held", code: "units-failed", count: 2, since: at(13), text: "3 of 8", names: ["a", "b"] },
        { kind: "wait", code: "products-held", count: 1, since: at(20), text: "1 held", names: ["c"] },
      ]);
      expect(await listed({ needs: "person", sort: "name" })).toEqual(["a", "b", "c"]);
      expect(await listed({ waitCode: ["products-held"] })).toEqual(["c"]);
      expect((await store().desk.facets({ needs: "person" })).requests).toBe(3);
      // Neither has anything to do, until c is asked for something.
      expect([...(await store().requests.resting(at(30)))].sort()).toEqual(["c", "d"]);
      const fill = { choice: {}, actor: "ann", reason: "now", askedAt: at(30) };
      await store().segmentNodes.askFill("w-c" as WorkflowId, fill as never);
      expect([...(await store().requests.resting(at(30)))]).toEqual(["d"]);
      const due = { ...waiting, code: "sweep-off" as const, until: at(31) };
      await store().requests.remark(names("d")[0]!, { waiting: due });
      expect((await store().requests.resting(at(30))).size).toBe(1);
      expect((await store().requests.resting(at(32))).size).toBe(0);
      expect(await store().desk.inNeed(names("b")[0]!)).toMatchObject([{ count: 1, names: ["b"] }]);

      const alert = { severity: "warning" as const, message: "waits", at: at(30) };
      for (const subject of ["a", "b"]) await store().alerts.raise({ ...alert, key: `wait:${subject}`, subject });
      await store().alerts.raise({ ...alert, key: "held:a", subject: "a" });
      await store().alerts.raise({ ...alert, key: "disk:spool", subject: "spool", severity: "critical" });
      expect(await store().desk.openAlerts()).toMatchObject([
        { family: "disk", severity: "critical", count: 1, subjects: ["spool"] },
        { family: "wait", severity: "warning", count: 2, subjects: ["a", "b"], actor: null, since: at(30) },
      ]);
      expect(await store().desk.openAlerts("a")).toMatchObject([{ family: "wait", count: 1 }]);
      expect(await store().alerts.countOpen()).toEqual({ open: 4, ofHeld: 1, critical: 1 });
    });

    it("groups all that happened: reasons that differ in numbers are one, what is noted twice is said once", async () => {
      for (let i = 0; i < 12; i++) await running(`r${i}`, 1, 0);
      const change = (name: string, version: number, status: RequestStatus, reason: string, actor = "wms2") =>
        store().requests.change(
          names(name)[0]!,
          version,
          { status, ...(status === "held" && { hold: HOLD }) },
          { reason, actor, at: at(100 + version) },
        );
      for (let i = 0; i < 12; i++) await change(`r${i}`, 1, "planning", "a slot is free");
      for (let i = 0; i < 12; i++) await change(`r${i}`, 2, "active", `r${i} runs`);
      for (let i = 0; i < 12; i++) await change(`r${i}`, 3, "held", `units-failed: ${i} of r${i}`);
      const audit = { actor: "ann", subject: "north", reason: "broken", detail: {}, outcome: "done" as const };
      await store().audit.add({ ...audit, at: at(200), action: "ban" });
      const ban = { site: "north" as SiteName, workflowId: null, reason: "broken", evidence: {}, until: at(9000) };
      await store().sites.ban({ ...ban, actor: "ann", at: at(200) });
      await store().sites.ban({ ...ban, site: "south" as SiteName, actor: "wms2", at: at(201) });
      await store().alerts.raise({ key: "held:r1", severity: "warning", subject: "r1", message: "held", at: at(202) });
      const { groups, totals } = await store().desk.happened({ since: at(0), most: 5 });
      expect(
        groups.map(({ kind, what, count, texts, subjectsTotal }) => [kind, what, count, texts, subjectsTotal]),
      ).toEqual([
        ["action", "ban", 1, 1, 1],
        ["ban", "banned", 1, 1, 1],
        ["transition", "held", 12, 12, 12],
        ["transition", "active", 12, 1, 12],
      ]);
      expect(groups[2]?.subjects).toHaveLength(10);
      expect(groups[1]).toMatchObject({ subjects: ["south"], firstAt: at(201), lastAt: at(201), actor: "wms2" });
      expect(totals.find(({ what }) => what === "held")).toEqual({
        ...{ kind: "transition", what: "held", count: 12, subjects: 12 },
      });
      const one = await store().desk.happened({ since: at(0), most: 1, kinds: ["transition"], subject: "r3" });
      expect(one.groups).toMatchObject([
        { what: "held", text: "units-failed: 3 of r3", count: 1, linesOfKind: 2 },
        { what: "active", count: 1 },
      ]);
      expect((await store().desk.happened({ since: at(150), most: 5, kinds: ["transition"] })).groups).toEqual([]);
    });
  });

  describe("sessions", () => {
    it("stand for a token until they end, it goes, or they are signed out", async () => {
      const { settings } = store();
      for (const sha256 of ["t1", "t2"]) await settings.addToken({ sha256, name: `name-${sha256}`, at: at(0) });
      const add = (sha256: string, tokenSha256: string) =>
        settings.addSession({ sha256, tokenSha256, at: at(0), until: at(100) });
      await add("s1", "t1");
      await add("s2", "t2");
      expect(await settings.findSession("s1", at(99), at(199))).toStrictEqual({ name: "name-t1", until: at(100) });
      expect(await settings.findSession("s1", at(100), at(200))).toBeNull();
      // The clock was set back: it ends no later than one that begins now, whatever the clock does next.
      expect(await settings.findSession("s1", at(-60), at(40))).toStrictEqual({ name: "name-t1", until: at(40) });
      expect(await settings.findSession("s1", at(41), at(141))).toBeNull();
      await settings.removeToken("t1");
      expect(await settings.findSession("s1", at(1), at(101))).toBeNull();
      expect([await settings.removeSession("s2"), await settings.removeSession("s2")]).toEqual([true, false]);
    });
  });
}
