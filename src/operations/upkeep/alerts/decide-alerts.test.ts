import { describe, expect, it, test } from "vitest";
import { heldRequest, sampleRequest } from "../../../../tests/support/api-samples.ts";
import type { RequestStatus } from "../../../core/request-status.ts";
import {
  catalogAlerts,
  diskAlerts,
  engineAlerts,
  errorAlerts,
  heldAlerts,
  identityAlerts,
  stuckAlerts,
  waitAlerts,
} from "./decide-alerts.ts";

const since = new Date("2026-01-01T00:00:00Z");
const later = (seconds: number) => new Date(since.getTime() + seconds * 1000);
const HOUR = 3600;
const DAY = 24 * HOUR;

test("a request that waits for people is told of, one that waits for time is not", () => {
  const waiting = (who: "time" | "operator" | "pool") =>
    sampleRequest({
      waiting: {
        code: who === "time" ? "retry" : "no-worker",
        reason: "8 idle jobs",
        since,
        until: null,
        who,
        details: [],
      },
    });
  const requests = [waiting("time"), waiting("pool"), { ...waiting("operator"), status: "held" as const }];
  expect(waitAlerts(requests, later(899))).toEqual([]);
  expect(waitAlerts(requests, later(900))).toMatchObject([
    { key: expect.stringMatching(/^wait:/), message: expect.stringContaining("(no-worker): 8 idle jobs") },
  ]);
});

test("a certificate that ends is told of before it does, and one that ended is critical", () => {
  const of = (result: "ok" | "warn" | "fail") => identityAlerts({ result, message: "p.pem ends", fix: "renew p.pem" });
  expect(of("ok")).toEqual([]);
  expect(of("warn")).toEqual([
    { key: "identity:certificate", severity: "warning", subject: "certificate", message: "p.pem ends; renew p.pem" },
  ]);
  expect(of("fail")).toMatchObject([{ severity: "critical" }]);
});

describe("a request that is stuck", () => {
  const stuck = (status: RequestStatus, seconds: number, engine: { ok: boolean; text: string } | null = null) =>
    stuckAlerts(sampleRequest({ status, statusSince: since }), engine, later(seconds)).map(({ key, severity }) => [
      key.split(":")[2],
      severity,
    ]);
  const well = { ok: true, text: "" };
  const away = { ok: false, text: "refused" };
  test.each([
    ["queued", 7 * DAY, null, []],
    ["queued", 7 * DAY + 1, null, [["queued", "info"]]],
    ["active", 30 * DAY, away, []],
    ["active", 31 * DAY, null, [["active", "warning"]]],
    ["active", 31 * DAY, well, [["active", "warning"]]],
    ["active", 31 * DAY, away, [["active", "critical"]]],
    ["stopping", HOUR + 1, well, [["stopping", "warning"]]],
    ["planning", HOUR + 1, well, [["planning", "warning"]]],
    ["held", 400 * DAY, well, []],
    ["completed", 400 * DAY, well, []],
  ] as const)("%s for %d s", (status, seconds, engine, expected) => {
    expect(stuck(status, seconds, engine)).toEqual(expected);
  });

  it("is told in words that do not change with time", () => {
    const told = (seconds: number) =>
      stuckAlerts(sampleRequest({ status: "active", statusSince: since }), well, later(seconds));
    expect(told(31 * DAY)).toEqual(told(60 * DAY));
  });
});

test("every held request has one alert, with its reason", () => {
  const [alert, ...more] = heldAlerts([sampleRequest(), heldRequest()]);
  expect(more).toEqual([]);
  expect(alert).toMatchObject({ key: `held:${heldRequest().spec.name}`, severity: "warning" });
  expect(alert?.message).toContain(heldRequest().hold?.message);
});

test("errors count from the fourth in a row, and not while held", () => {
  const error = { code: "disk-unwritable", message: "full", hint: "", since, count: 3 };
  const failing = (count: number, status: RequestStatus = "active") =>
    errorAlerts([sampleRequest({ status, error: { ...error, count } })], 3).length;
  expect([failing(3), failing(4), failing(9, "held")]).toEqual([0, 1, 0]);
});

test("the engine is unreachable after some looks, and before that nothing is told", () => {
  const look = (ok: boolean, failures: number) => engineAlerts("dagman", { ok, text: "x", failures, since }, 3);
  expect(look(true, 0)).toEqual([]);
  expect(look(false, 2)).toBeNull();
  expect(look(false, 3)).toMatchObject([{ key: "engine:dagman", severity: "critical" }]);
});

describe("disks", () => {
  const severity = (freeMb: number, freeFiles: number | null = null, open = false) =>
    diskAlerts([{ what: "spool", path: "/s", freeMb, freeFiles }], 1000, () => open)[0]?.severity;
  test.each([
    [1000, null, false, undefined],
    [999, null, false, "warning"],
    [99, null, false, "critical"],
    [1050, null, true, "warning"],
    [1100, null, true, undefined],
    [50_000, 9_999, false, "warning"],
    [50_000, 0, false, "critical"],
  ] as const)("%d MB and %s files free, open: %s", (freeMb, freeFiles, open, expected) => {
    expect(severity(freeMb, freeFiles, open)).toBe(expected);
  });
});

test.each<[story: string, failures: number, isOpen: boolean, keys: string[]]>([
  ["it answers", 0, false, []],
  ["it answers again", 0, true, []],
  ["one miss is no outage", 1, false, []],
  ["the third in a row is one", 3, false, ["catalog-unreachable:rucio"]],
  ["a new server that sees its first miss keeps what is open", 1, true, ["catalog-unreachable:rucio"]],
])("a service of the catalog: %s", (_story, failures, isOpen, keys) => {
  const looks = {
    dbs: { text: "", failures: 0, since: null },
    rucio: { text: "nobody listens there", failures, since: failures ? since : null },
  };
  const found = catalogAlerts(looks, 3, () => isOpen);
  expect(found.map(({ key }) => key)).toEqual(keys);
  for (const { message } of found)
    expect(message).toBe(`rucio has not answered since ${since.toISOString()}: nobody listens there`);
});
