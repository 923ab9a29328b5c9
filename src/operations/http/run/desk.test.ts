import { describe, expect, test } from "vitest";
import { fakeApi, fakeCommands, fakeEngine, fakeStore } from "../../../../tests/support/api-fakes.ts";
import {
  at,
  healthyLoop,
  heldRequest,
  NO_EFFECT,
  NOW,
  sampleRequest,
  sampleSite,
} from "../../../../tests/support/api-samples.ts";
import type { Queue, QueueEntry } from "../../../core/admission.ts";
import type { RequestName, SiteName } from "../../../core/names.ts";
import type { HappenedGroup, NeedGroup } from "../../../store/port.ts";
import type { Choice } from "../../handlers/port.ts";

const get = async (parts: Parameters<typeof fakeApi>[0], path: string, accept = "application/json") => {
  const { app } = fakeApi(parts);
  return app.inject({ url: `/api/v1${path}`, headers: { accept } });
};

describe("the shift report", () => {
  const group = (kind: HappenedGroup["kind"], what: string, subjects: string[], linesOfKind = 1): HappenedGroup => ({
    ...{
      kind,
      what,
      actor: null,
      text: "",
      texts: 1,
      count: subjects.length,
      firstAt: at("09:00"),
      lastAt: at("10:00"),
    },
    ...{ subjects, subjectsTotal: subjects.length, linesOfKind },
  });
  const need = (code: string, count: number): NeedGroup => ({
    ...{ kind: "held", code, count, since: at("07:00"), text: "3 of 8 failed", names: ["a" as RequestName] },
  });
  const asked: unknown[] = [];
  const store = () =>
    fakeStore([heldRequest()], {
      desk: {
        inNeed: async () => Array.from({ length: 10 }, (_, at) => need(`code-${at}`, 100)),
        openAlerts: async () => [],
        happened: async (wanted) => {
          asked.push(wanted);
          return {
            groups: [group("action", "drain", ["north"]), group("transition", "completed", ["a", "b"], 30)],
            totals: [
              { kind: "action", what: "drain", count: 1, subjects: 1 },
              { kind: "transition", what: "completed", count: 500, subjects: 400 },
            ],
          };
        },
      },
      sites: { list: async () => [sampleSite({ status: "draining", note: "a power cut" })] },
    });

  test("counts are over all there is, what is shown fits on a page, and the rest says how to see it", async () => {
    const commands = fakeCommands({ causes: async () => ({ causes: [], lookedAt: null }) });
    const view = (await get({ store: store(), commands }, "/handover?since=4h")).json();
    expect(view).toMatchObject({ host: "here", since: at("08:00").toISOString(), entries: 501 });
    expect(view.sentence).toBe(
      "1,000 requests wait for a person, 1 other matter is open. In this time: 400 completed, 1 action.",
    );
    expect(view.open).toHaveLength(9);
    expect(view.open[0]).toMatchObject({ kind: "held", command: "wms2 list --all --filter status=held hold=code-0" });
    expect(view.more).toEqual([
      { kind: "held", lines: 2, count: 200, command: "wms2 list --all --filter needs=person" },
      { kind: "transition", lines: 29, count: 498, command: "wms2 feed --since 4h --kind transition" },
    ]);
    const text = await get({ store: store(), commands }, "/handover?since=4h", "text/plain");
    expect(text.headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect(text.body).toMatch(/^SHIFT REPORT of here: 2026-11-15 08:00 to 2026-11-15 12:00 UTC \(4 h\)/);
    expect(text.body.split("\n").length).toBeLessThan(60);
  });

  test("of one site only", async () => {
    asked.length = 0;
    const view = (await get({ store: store() }, "/handover?subject=north&kind=action")).json();
    expect(asked).toMatchObject([{ subject: "north", kinds: ["action"] }]);
    expect(view.open.at(-1)).toMatchObject({ kind: "site", code: "north", text: "draining: a power cut" });
  });
});

describe("how fresh", () => {
  test("every number has its age, who makes it, and what is wrong with it", async () => {
    const parts = {
      engine: fakeEngine({ ping: () => new Promise<never>(() => {}) }),
      loop: { status: async () => healthyLoop({ leader: "there", isLeader: false }) },
      store: fakeStore(undefined, { desk: { oldestLook: async () => at("11:40") } }),
    };
    const view = (await get(parts, "/freshness")).json();
    expect(view).toMatchObject({ version: "1.2.3", api: "v1", leader: "there", is_leader: false, host: "here" });
    const rows = new Map(view.items.map((item: { what: string }) => [item.what, item]));
    expect(rows.get("engine local")).toMatchObject({ ok: false, read_at: null, text: "no answer within 0.05 s" });
    expect(rows.get("ledgers of failures and sites")).toMatchObject({ read_at: at("11:40").toISOString() });
    expect(rows.get("samples of progress")).toMatchObject({ read_at: at("11:30").toISOString(), every_sec: 300 });
    expect(rows.get("database (embedded)")).toMatchObject({ ok: true, read_at: NOW.toISOString() });
    // A directory that is not there is told, and hides nothing else.
    expect(rows.get("disk of the spool")).toMatchObject({ ok: false });
  });
});

describe("the queue", () => {
  const entry = (requestName: string, place: number, verdict: QueueEntry["verdict"] = "wait"): QueueEntry => ({
    requestName: requestName as RequestName,
    place,
    urgent: false,
    priority: 100,
    queuedSince: at("10:00"),
    verdict,
    reason: "all slots are taken",
  });
  const queue = (...entries: QueueEntry[]): Queue => ({ active: 1, limits: { maxActive: 1 }, entries });

  test("says when a slot should be free, by the pace of what runs", async () => {
    const commands = fakeCommands({ queue: async () => queue(entry("a", 1, "start"), entry("b", 2), entry("c", 3)) });
    const { entries } = (await get({ commands }, "/admission/queue")).json();
    const times = entries.map((item: { expected_at: string | null }) => item.expected_at);
    expect(times).toEqual([null, expect.stringMatching(/^2026-11-15T1[2-9]/), null]);
  });

  test("as it would be: priorities are handed on, and one that does not wait is a conflict", async () => {
    let asked: unknown;
    const queueIf = async (wanted: ReadonlyMap<string, number>) => {
      asked = [...wanted];
      return wanted.has("runs") ? null : queue(entry("b", 1));
    };
    const commands = fakeCommands({ queueIf });
    const answer = await get({ commands }, "/admission/queue?what_if=b:7&what_if=c.v2:9");
    expect(asked).toEqual([
      ["b", 7],
      ["c.v2", 9],
    ]);
    expect(answer.json().next_in_queue).toMatchObject({ request_name: "b" });
    const refused = await get({ commands }, "/admission/queue?what_if=runs:7");
    expect(refused.json()).toMatchObject({ status: 409, detail: "not all of runs are queued" });
    expect((await get({ commands }, "/admission/queue?what_if=b")).statusCode).toBe(400);
  });
});

test("hours of a site are told site by site, from the beginning of the time asked for", async () => {
  const hour = (site: string, time: string, failed: number) => ({
    site: site as SiteName,
    hour: at(time),
    done: 5,
    failed,
    blamed: 0,
    busySec: 5400,
  });
  let since: Date | undefined;
  const siteHours = async (from: Date) => {
    since = from;
    return [hour("north", "10:00", 0), hour("south", "10:00", 4), hour("north", "11:00", 1)];
  };
  const view = (await get({ store: fakeStore(undefined, { desk: { siteHours } }) }, "/site-hours?hours=3")).json();
  expect(since).toEqual(at("09:00"));
  expect(view.items).toMatchObject([
    { site: "north", hours: [{ failed: 0 }, { failed: 1, hour: at("11:00").toISOString() }] },
    { site: "south", hours: [{ failed: 4, done: 5, blamed: 0, running: 1.5 }] },
  ]);
});

test("actions: each says what it would do now, or why not", async () => {
  const request = sampleRequest();
  const would = {
    kind: "would" as const,
    reason: "stops it",
    effect: NO_EFFECT,
    warnings: ["2 jobs are lost"],
    detail: { jobs: 2 },
    request,
  };
  const choices: Choice[] = [
    { action: "stop", answer: would },
    { action: "release", answer: { kind: "refused", problems: [{ path: "", message: "it is not held" }] } as never },
    { action: "abort", answer: { kind: "already", why: "it was asked for", request } as never },
    { action: "hold", answer: { kind: "stale", request } as never },
  ];
  const commands = fakeCommands({ actionsOf: async () => ({ request, choices }) });
  const { items, version } = (await get({ commands }, "/requests/muons-2026/actions")).json();
  expect(version).toBe(request.version);
  expect(items).toMatchObject([
    {
      action: "stop",
      allowed: true,
      why_not: "",
      effect: "stops it",
      warnings: ["2 jobs are lost"],
      detail: { jobs: 2 },
    },
    { action: "release", allowed: false, why_not: "it is not held", effect: null },
    { action: "abort", allowed: false, why_not: "it was asked for; nothing would change", destroys: true },
    { action: "hold", allowed: false, why_not: "it moved on meanwhile", command: expect.stringContaining("wms2 hold") },
  ]);
});
