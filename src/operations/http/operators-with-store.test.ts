import { createHash } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { AUTH, fakeApi, TOKEN } from "../../../tests/support/api-fakes.ts";
import { generation, makeWorld } from "../../../tests/support/world.ts";
import type { RequestName } from "../../core/names.ts";

/** The operator's routes over the real lifecycle and a real store; every answer is checked against its schema. */
let world: Awaited<ReturnType<typeof makeWorld>>;
let app: ReturnType<typeof fakeApi>["app"];
let dag: string;
const get = (path: string, accept = "application/json") => app.inject({ url: `/api/v1${path}`, headers: { accept } });
const send = (method: "POST" | "DELETE", path: string, payload?: object) =>
  app.inject({ method, url: `/api/v1${path}`, headers: AUTH, ...(payload && { payload }) });

beforeEach(async () => {
  world = await makeWorld();
  const { store, engine, commands, ports } = world;
  const sha256 = createHash("sha256").update(TOKEN).digest("hex");
  await store.settings.addToken({ sha256, name: "ann", at: ports.clock.now() });
  app = fakeApi({ store, engine, commands, clock: ports.clock }).app;
});

/** A request of three units that all failed, held. */
async function held(how: Parameters<typeof world.engine.fail>[1] = {}): Promise<void> {
  const name = await world.submit(generation("r", 3));
  for (let pass = 0; pass < 5; pass++) await world.pass();
  world.engine.fail(3, how);
  world.engine.finish(world.storageDir);
  for (let pass = 0; pass < 4; pass++) await world.pass();
  await world.expectStatus(name, "held");
  dag = (await world.workflow(name)).currentDagId ?? "";
}

test("errors, for programs and for people", async () => {
  await held();
  const view = (await get("/requests/r/errors")).json();
  expect(view).toMatchObject({ units_failed: 3, codes: [{ exit_code: 8021, failures: 3 }] });
  const text = await get("/requests/r/errors?width=80", "text/plain");
  expect(text.headers["content-type"]).toContain("text/plain");
  expect(text.body).toMatch(/^3 of 3 units failed/);
  for (const line of text.body.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  expect((await get("/requests/nobody/errors")).statusCode).toBe(404);
});

test("released with a ban after a look: done once, then already; kept in the audit", async () => {
  await held();
  const body = { reason: "north is broken", site_bans: ["north"], hold_threshold: 0.5 };
  const dry = await send("POST", "/requests/r/release?dry_run=true", body);
  expect(dry.json()).toMatchObject({ dry_run: true, detail: { how: "next-round" } });
  expect((await get("/sites/north/bans")).json().items).toEqual([]);
  expect((await send("POST", "/requests/r/release", body)).statusCode).toBe(202);
  expect((await send("POST", "/requests/r/release", body)).json()).toMatchObject({ already: true });
  expect((await get("/sites/north/bans")).json().items).toMatchObject([{ created_by: "ann" }]);
  const request = (await get("/requests/r")).json();
  expect(request.modifications).toMatchObject({ site_bans: ["north"], hold_threshold: 0.5 });
  const audit = (await get("/requests/r/audit")).json().items;
  expect(audit.map((entry: { outcome: string }) => entry.outcome)).toEqual(["already", "done"]);
  const bad = await send("POST", "/requests/r/release", { site_bans: ["nowhere"] });
  expect(bad.json()).toMatchObject({ already: true });
});

test("what does not fit: 409 by the state, 422 by the fields, and the audit keeps the refusal", async () => {
  await held();
  expect((await send("POST", "/requests/r/stop", {})).json()).toMatchObject({ status: 409, code: "conflict" });
  const bad = await send("POST", "/requests/r/release", { site_bans: ["nowhere"], retries: -1 });
  expect(bad.statusCode).toBe(422);
  const paths = bad.json().problems.map((problem: { path: string }) => problem.path);
  expect(paths).toEqual(["site_bans[0]", "retries"]);
  const memory = await send("POST", "/requests/r/resubmit", { units: ["mg_000000"], memory_mb: 1_000_000 });
  expect(memory.json()).toMatchObject({ status: 422, problems: [{ path: "memory_mb", allowed: "1…3000" }] });
});

test("attempts: the story of nodes, page by page", async () => {
  await held();
  const page = (await get("/requests/r/attempts?limit=2")).json();
  expect(page.items).toMatchObject([{ unit: "mg_000000", exit_code: 8021, site: "north", decision: "stop" }, {}]);
  const rest = (await get(`/requests/r/attempts?limit=2&cursor=${page.next_cursor}`)).json();
  expect(rest).toMatchObject({ items: [{ unit: "mg_000002" }], next_cursor: null });
  expect((await get("/requests/r/attempts?node=mg_000001/proc_000002")).json().items).toHaveLength(1);
  expect((await get("/requests/r/attempts?node=../../etc")).json().items).toEqual([]);
  expect((await get("/requests/r/attempts?node=%00")).statusCode).toBe(400);
  expect((await get("/requests/nobody/attempts")).statusCode).toBe(404);
});

describe("one more attempt of a node", () => {
  test("both forms of the address; fifty calls make one; the answer is the same", async () => {
    await held();
    const path = `/dags/${dag}/nodes/mg_000000/proc_000000/retry`;
    const answers = await Promise.all(Array.from({ length: 50 }, () => send("POST", path, { reason: "again" })));
    const codes = answers.map(({ statusCode }) => statusCode);
    expect(codes.filter((code) => code === 202)).toHaveLength(1);
    expect(codes.filter((code) => code === 200)).toHaveLength(49);
    expect(new Set(answers.map((answer) => answer.json().id)).size).toBe(1);
    const short = await send("POST", `/dags/${dag}/nodes/mg_000000:proc_000000/retry`);
    expect(short.json()).toMatchObject({ already: true, unit: "mg_000000", reason: "again", actor: "ann" });
  });

  test("refused with reasons: ambiguous, unknown, another attempt, no budget", async () => {
    await held({ why: "losses", node: "landing" });
    const retry = (name: string, body?: object) => send("POST", `/dags/${dag}/nodes/${name}/retry`, body);
    expect((await retry("landing")).json()).toMatchObject({ status: 422 });
    expect((await retry("proc_000099")).json()).toMatchObject({ status: 404 });
    expect((await retry("mg_000000:merge")).json()).toMatchObject({ status: 409 });
    expect((await retry("mg_000000:landing", { attempt: 424242 })).json()).toMatchObject({ status: 409 });
    expect((await retry("mg_000000:landing")).json()).toMatchObject({ status: 422 });
    expect((await send("POST", "/dags/nope/nodes/x/retry")).statusCode).toBe(404);
    expect((await get("/requests/r")).json().wish).toBeNull();
  });
});

test("unclassified failures: listed, looked at dry, classified for good", async () => {
  await held({ decision: "unclassified" });
  const list = (await get("/requests/r/unclassified?limit=2")).json();
  expect(list).toMatchObject({ total: 3, open: 3, items: [{ unit: "mg_000000", classified: null }, {}] });
  const items = [0, 1, 2].map((unit) => ({
    node: `mg_00000${unit}/proc_00000${2 * unit}`,
    action: unit ? "retry" : "fail",
  }));
  const body = { items, reason: "seen the logs" };
  const dry = (await send("POST", "/requests/r/classify?dry_run=true", body)).json();
  expect(dry).toMatchObject({ dry_run: true, resubmit: ["mg_000001/proc_000002", "mg_000002/proc_000004"] });
  expect((await send("POST", "/requests/r/classify", body)).json()).toMatchObject({ open: 0, already: false });
  expect((await send("POST", "/requests/r/classify", body)).json()).toMatchObject({ already: true });
  const other = { items: [{ node: "mg_000000/proc_000000", action: "retry" }], reason: "no" };
  expect((await send("POST", "/requests/r/classify", other)).json()).toMatchObject({ status: 409 });
  const said = (await get("/requests/r/unclassified")).json();
  expect(said).toMatchObject({ open: 0, items: [{ classified: { action: "fail", actor: "ann" } }, {}, {}] });
});

test("sites: a change tells what it means, bans come and go", async () => {
  await world.submit(generation("r", 1, { sites: { allow: ["north"] } }));
  for (let pass = 0; pass < 3; pass++) await world.pass();
  const dry = (await send("POST", "/sites/north/disable?dry_run=true")).json();
  expect(dry).toMatchObject({ status: "enabled", effect: { used_by: 1, left_without: ["r"] } });
  const banned = (await send("POST", "/sites/north/ban", { request: "r", days: 2, reason: "bad disks" })).json();
  expect(banned).toMatchObject({ outcome: "banned", ban: { created_by: "ann" }, effect: { left_without: ["r"] } });
  expect((await send("POST", "/sites/north/ban", { days: 400, reason: "x" })).statusCode).toBe(422);
  expect((await send("POST", "/sites/north/ban", { request: "nobody", reason: "x" })).statusCode).toBe(404);
  expect((await send("DELETE", "/sites/north/ban?dry_run=true")).json()).toMatchObject({ lifted: 1 });
  expect((await send("DELETE", "/sites/north/ban?request=r")).json()).toMatchObject({ lifted: 1 });
  expect((await send("DELETE", "/sites/north/ban")).json()).toMatchObject({ lifted: 0 });
  expect((await get("/sites/north/bans?past=true")).json().items).toMatchObject([{ removed_by: "ann" }]);
  const did = (await get("/audit?subject=north")).json().items.map((entry: { action: string }) => entry.action);
  expect(did).toEqual(["unban", "ban"]);
});

test("alerts are seen and taken care of; a DAG is paused; a DAG's rescue is its request's", async () => {
  const at = world.ports.clock.now();
  await world.store.alerts.raise({ key: "k", severity: "critical", subject: "r", message: "stuck", at });
  const [alert] = (await get("/alerts")).json().items;
  expect((await send("POST", `/alerts/${alert.id}/acknowledge`)).json()).toMatchObject({
    already: false,
    acknowledged_by: "ann",
  });
  expect((await send("POST", `/alerts/${alert.id}/acknowledge`)).json()).toMatchObject({ already: true });
  await world.store.alerts.close("k", at);
  expect((await send("POST", `/alerts/${alert.id}/acknowledge`)).statusCode).toBe(409);
  expect((await get("/alerts")).json().items).toEqual([]);
  expect((await get("/alerts?state=all")).json().items).toHaveLength(1);
  expect((await send("POST", "/alerts/77/acknowledge")).statusCode).toBe(404);

  const name = "r" as RequestName;
  await held();
  expect((await send("POST", `/dags/${dag}/hold`)).statusCode).toBe(409);
  expect((await send("POST", `/dags/${dag}/rescue`, { reason: "again" })).json()).toMatchObject({ action: "rescue" });
  for (let pass = 0; pass < 4; pass++) await world.pass();
  const next = (await world.workflow(name)).currentDagId;
  expect((await send("POST", `/dags/${next}/hold`, { reason: "look" })).statusCode).toBe(200);
  expect((await send("POST", `/dags/${next}/release`)).statusCode).toBe(200);
  expect((await send("POST", `/dags/${dag}/remove`)).statusCode).toBe(409);
});
