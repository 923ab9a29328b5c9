import { expect, test } from "vitest";
import { AUTH, fakeApi, fakeEngine, fakeStore } from "../../../../tests/support/api-fakes.ts";
import { healthyLoop, NOW } from "../../../../tests/support/api-samples.ts";
import { WorldError } from "../../../core/base/errors.ts";
import type { Store } from "../../../store/port.ts";

const away = () => Promise.reject(new WorldError("store-unreachable", "db", "connection refused"));
const never = () => new Promise<never>(() => {});
const storeWith = (ping: Store["ping"]) => fakeStore(undefined, { ping });

const AWAY = {
  id: "7",
  key: "catalog-unreachable:rucio",
  severity: "critical" as const,
  subject: "rucio",
  message: "rucio has not answered since 10:00",
  count: 1,
  firstAt: NOW,
  lastAt: NOW,
  acknowledgedBy: null,
  closedAt: null,
};

test.each<[string, Parameters<typeof fakeApi>[0], number, string]>([
  ["all well", {}, 200, ""],
  ["store away", { store: storeWith(away) }, 503, "store: connection refused"],
  ["store silent", { store: storeWith(never) }, 503, "store: no answer within 0.05 s"],
  [
    "loop dead",
    { loop: { status: async () => healthyLoop({ healthy: false, why: "no pass ended for 90 s" }) } },
    503,
    "loop: no pass ended for 90 s",
  ],
  [
    "a service outside away: told, and no reason to replace this server",
    { store: fakeStore(undefined, { alerts: { open: async () => [AWAY] } }) },
    200,
    "catalog: rucio has not answered since 10:00",
  ],
  ["loop cannot tell", { loop: { status: away } }, 503, "loop: connection refused"],
])("health: %s", async (_name, parts, status, why) => {
  const { app } = fakeApi(parts);
  const answer = await app.inject("/api/v1/health");
  expect(answer.statusCode).toBe(status);
  expect(answer.json()).toMatchObject({ status: status === 200 ? "ok" : "unhealthy", why });
  await app.close();
});

test("status tells all, and does not wait for a silent engine", async () => {
  const { app } = fakeApi({ engine: fakeEngine({ ping: never }) });
  const answer = (await app.inject("/api/v1/status")).json();
  expect(answer).toMatchObject({
    version: "1.2.3",
    uptime_sec: 3600,
    engine: { name: "local", ok: false, text: "no answer within 0.05 s" },
    requests: { active: 1, queued: 3 },
    queued: 3,
    dags_open: 1,
    alerts: [{ key: "timeout:muons-2026" }],
  });
  await app.close();
});

test("admission: the queue, and limits that are checked", async () => {
  const { app } = fakeApi();
  expect((await app.inject("/api/v1/admission/queue")).json()).toMatchObject({
    active_dags: 300,
    max_active_dags: 300,
    queued_workflows: 1,
    next_in_queue: { request_name: "waits", place: 1, reason: "all 300 slots are taken" },
  });
  const patch = (payload: object) =>
    app.inject({ method: "PATCH", url: "/api/v1/admission/config", headers: AUTH, payload });
  expect((await patch({ max_active_dags: 7 })).json()).toEqual({ max_active_dags: 7 });
  for (const wrong of [{ max_active_dags: -1 }, { max_active_dags: "7" }, {}, { maxActive: 7 }]) {
    expect((await patch(wrong)).statusCode).toBe(400);
  }
  await app.close();
});

test("metrics: gauges out of the store, counters of the loop, and no store is a number too", async () => {
  const { app, ports } = fakeApi();
  ports.metrics.observePass(0.2);
  ports.metrics.countDecision("submit");
  ports.metrics.observeEngineCall("observe", 0.01);
  const answer = await app.inject("/metrics");
  expect(answer.headers["content-type"]).toContain("text/plain");
  for (const line of [
    'wms2_workflows{status="active"} 1',
    'wms2_workflows{status="held"} 0',
    'wms2_requests{status="queued"} 3',
    'wms2_requests_waiting{reason="admission"} 3',
    "wms2_admission_queue_depth 3",
    'wms2_dag_progress{dag_id="660e8400-e29b-41d4-a716-446655440001"} 0.41841004184100417',
    'wms2_blocks{status="open"} 1',
    'wms2_alerts{severity="warning"} 1',
    "wms2_pass_seconds_count 1",
    'wms2_decisions_total{decision="submit"} 1',
    'wms2_engine_call_seconds_count{call="observe"} 1',
    "wms2_store_up 1",
    'wms2_build_info{version="1.2.3"} 1',
  ]) {
    expect(answer.body).toContain(line);
  }
  await app.close();

  const blind = fakeApi({ store: fakeStore(undefined, { alerts: { open: away } }) }).app;
  const text = (await blind.inject("/api/v1/metrics")).body;
  expect(text).toContain("wms2_store_up 0");
  expect(text).not.toContain("wms2_dag_progress{");
  await blind.close();
});

test("events: only those asked for, a heartbeat, and an end with the server", async () => {
  const { app, events } = fakeApi({ tuning: { heartbeatMs: 10 } });
  const base = await app.listen({ host: "127.0.0.1", port: 0 });
  const answer = await fetch(`${base}/api/v1/events?type=request.moved&request=muons-2026`);
  expect(answer.headers.get("content-type")).toContain("text/event-stream");
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const readUntil = async (words: string) => {
    while (!text.includes(words)) {
      const { value, done } = await reader.read();
      if (done) break;
      text += value;
    }
  };
  await readUntil("retry:");
  events.emit("loop.pass", { seconds: 1, error: null, requests: 0 });
  events.emit("request.moved", { request: "other", from: "queued", to: "active", reason: "r" });
  events.emit("request.moved", { request: "muons-2026", from: "queued", to: "active", reason: "two\nlines" });
  await readUntil("two");
  const data = JSON.parse(/^data: (.*)$/m.exec(text)![1]!);
  expect(data).toEqual({
    type: "request.moved",
    request_name: "muons-2026",
    from: "queued",
    to: "active",
    reason: "two\nlines",
    at: NOW.toISOString(),
  });
  expect(text).not.toContain("loop.pass");
  expect(text).not.toContain("other");
  await readUntil(": still here");
  await app.close();
  await readUntil("never comes");
  expect(text).not.toContain("never comes");
});
