import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { AUTH, fakeApi, fakeCommands, TOKEN } from "../../../tests/support/api-fakes.ts";
import { freshStore, type TestStore } from "../../../tests/support/store-embedded.ts";
import {
  at,
  sampleDag,
  sampleFile,
  sampleSpec,
  sampleUnit,
  sampleWork,
} from "../../../tests/support/store-fixtures.ts";
import { tempDir } from "../../../tests/support/temp-dir.ts";
import { inPages } from "../../catalogs/port.ts";
import type { RequestName, SiteName } from "../../core/names.ts";
import type { RequestChange } from "../../store/port.ts";

/** The API over a real store: every value a database gives back fits the schema of its view. */
let store: TestStore;
let app: ReturnType<typeof fakeApi>["app"];
const get = async (path: string) => (await app.inject(`/api/v1${path}`)).json();

beforeEach(async () => {
  store = await freshStore();
  app = fakeApi({
    store,
    commands: fakeCommands({
      async changeSite(name, change, { actor }) {
        const effect = { usedBy: 0, leftWithout: [], leftWithoutTotal: 0 };
        return (await store.sites.change(name, change, actor, at(9))) ? { effect, message: "changed" } : null;
      },
    }),
  }).app;
});

test("an empty installation answers everywhere", async () => {
  for (const path of [
    "/requests",
    "/workflows",
    "/dags",
    "/sites",
    "/audit",
    "/alerts",
    "/status",
    "/health",
    "/metrics",
  ]) {
    expect((await app.inject(`/api/v1${path}`)).statusCode, path).toBe(200);
  }
  expect(await get("/requests")).toEqual({ items: [], next_cursor: null, facets: null });
});

test("a log is read from the round that has its unit, whether or not that is the present one", async () => {
  const { workflowId, dagId } = await sampleWork(store, "rounds");
  const dir = (round: number) => join(tempDir("rounds"), `r${round}-d`);
  const dirs = [dir(0), dir(1)];
  for (const [round, submitDir] of dirs.entries()) {
    mkdirSync(join(submitDir, `mg_00000${round}`), { recursive: true });
    writeFileSync(join(submitDir, `mg_00000${round}`, "merge.7.out"), `round ${round}\n`);
  }
  await store.dags.create(sampleDag("d-first", workflowId, { submitDir: dirs[0]!, createdAt: at(2) }));
  await store.dags.create(sampleDag("d-second", workflowId, { submitDir: dirs[1]!, round: 1, createdAt: at(3) }));
  expect(dagId).toBe("d-rounds");
  for (const round of [0, 1])
    expect(await get(`/requests/rounds/log?unit=mg_00000${round}&node=merge&file=out`)).toMatchObject({
      text: `round ${round}\n`,
    });
  expect(await get("/requests/rounds/log?unit=mg_000002&node=merge&file=out")).toMatchObject({ status: 404 });
});

test("requests: pages in order, filters, and a cursor of the store's own is not one of ours", async () => {
  for (let i = 0; i < 7; i++) {
    const spec = sampleSpec(`r${i}`, { requestor: i % 2 ? "bob" : "ada" });
    await store.requests.create(spec, "submitted", [], "ada", at(i < 4 ? 0 : i));
  }
  const names: string[] = [];
  let cursor = "";
  do {
    const page = await get(`/requests?limit=2${cursor && `&cursor=${cursor}`}`);
    names.push(...page.items.map((row: { request_name: string }) => row.request_name));
    cursor = page.next_cursor ?? "";
  } while (cursor);
  expect(names).toEqual(["r6", "r5", "r4", "r3", "r2", "r1", "r0"]);
  expect((await get("/requests?requestor=bob&name=3")).items).toHaveLength(1);
  expect((await get("/requests?name=%25")).items).toHaveLength(0);
  const own = (await store.requests.list({ limit: 2 })).nextCursor;
  expect((await app.inject(`/api/v1/requests?cursor=${own}`)).statusCode).toBe(400);
});

test("versions: asked from anywhere in the chain, newest first, a circle ends", async () => {
  const create = (name: string, second: number, previousVersion: string | null) =>
    store.requests.create(
      sampleSpec(name, { previousVersion: previousVersion as RequestName | null }),
      "submitted",
      [],
      "ada",
      at(second),
    );
  const change = (name: string, version: number, change: RequestChange) =>
    store.requests.change(name as RequestName, version, change, { reason: "schedd lost", actor: "ada", at: at(9) });
  await create("v1", 1, null);
  await create("v2", 2, "v1");
  await create("v3", 3, "v2");
  await change("v1", 1, { status: "aborted", supersededBy: "v2" as RequestName });
  await change("v2", 1, { supersededBy: "v3" as RequestName });
  const chain = async (name: string) => {
    const { current, versions } = await get(`/requests/${name}/versions`);
    expect(current).toMatchObject({ request_name: "v3", failure_reason: null });
    expect(versions.map((version: { request_name: string }) => version.request_name)).toEqual(["v2", "v1"]);
    expect(versions[1]).toMatchObject({ superseded_by: "v2", failure_reason: "schedd lost" });
  };
  for (const name of ["v1", "v2", "v3"]) await chain(name);
  await change("v3", 1, { supersededBy: "v1" as RequestName });
  await chain("v2");
});

describe("a request with work behind it", () => {
  beforeEach(async () => {
    const { workflowId, dagId } = await sampleWork(store, "r");
    await store.workflows.change(workflowId, 1, { currentDagId: dagId, unitsPlanned: 4, status: "active" });
    await store.files.sync(workflowId, inPages([sampleFile("/a"), sampleFile("/b")]));
    await store.units.recordFinished([sampleUnit(workflowId, dagId, "mg_000000")]);
    await store.dags.change(
      dagId,
      1,
      { status: "running", submittedAt: at(0), engineId: "7" },
      { reason: "the engine has it", at: at(1) },
    );
  });

  test("is shown whole", async () => {
    const detail = await get("/requests/r");
    expect(detail.spec.generation.total_events).toBe("9007199254740993");
    expect(detail.workflow).toMatchObject({ id: "w-r", dag_id: "d-r", events_done: 500, progress_percent: 25 });
    expect(detail.status_transitions).toMatchObject([{ from: null, to: "queued", actor: "ada" }]);
    expect((await get("/requests/r/outputs?limit=1")).items[0]).toMatchObject({
      lfn: "/out/mg_000000/a",
      work_unit: "mg_000000",
      status: "owed",
    });
  });

  test("tells how far it is", async () => {
    expect(await get("/workflows/w-r/status")).toMatchObject({
      dag: { id: "d-r", status: "running" },
      outputs: { owed: 1, registered: 0, invalidated: 0 },
      input_files: { fresh: 2, attempted: 0, processed: 0, excluded: 0 },
      blocks: [
        { block_index: 0, work_units: "1/2" },
        { block_index: 1, work_units: "0/2" },
      ],
    });
    expect(await get("/dags/d-r")).toMatchObject({ request_name: "r", engine_id: "7" });
    expect((await get("/dags?request=r&status=running")).items).toHaveLength(1);
    expect((await get("/dags?request=r&status=failed")).items).toHaveLength(0);
    expect((await app.inject("/metrics")).body).toContain('wms2_dag_progress{dag_id="d-r"}');
  });
});

test("a token of the store opens changes; sites keep them", async () => {
  const drain = () =>
    app.inject({ method: "POST", url: "/api/v1/sites/north/drain", headers: AUTH, payload: { note: "hot" } });
  await store.sites.learn([{ name: "north" as SiteName, cores: 4, memoryMb: 8000 }], at(0));
  expect((await drain()).statusCode).toBe(401);
  const sha256 = createHash("sha256").update(TOKEN).digest("hex");
  await store.settings.addToken({ sha256, name: "operator", at: at(0) });
  expect((await drain()).json()).toMatchObject({ name: "north", status: "draining", note: "hot", cores: 4 });
  expect((await get("/sites")).items).toMatchObject([{ status: "draining", bans: [] }]);
});

test("tokens are added, listed and withdrawn by name or id; the last one stays", async () => {
  const sha256 = createHash("sha256").update(TOKEN).digest("hex");
  await store.settings.addToken({ sha256, name: "operator", at: at(0) });
  const ask = async (method: "GET" | "POST" | "DELETE", path: string, token = TOKEN, payload?: object) => {
    const headers = token ? { authorization: `Bearer ${token}` } : {};
    const answer = await app.inject({ method, url: `/api/v1/tokens${path}`, headers, ...(payload && { payload }) });
    return { status: answer.statusCode, body: answer.json() };
  };
  expect(await ask("GET", "", "")).toMatchObject({ status: 401 });
  expect(await ask("DELETE", "/operator")).toMatchObject({ status: 409, body: { hint: "add another one first" } });

  const { status, body: ann } = await ask("POST", "", TOKEN, { name: "ann" });
  expect({ status, name: ann.name }).toEqual({ status: 201, name: "ann" });
  expect(ann.token).toMatch(/^[\w-]{32}$/);
  expect(await ask("POST", "", TOKEN, { name: "ann" })).toMatchObject({ status: 409 });
  const { body: listed } = await ask("GET", "", ann.token);
  expect(listed.items.map(({ name }: { name: string }) => name).sort()).toEqual(["ann", "operator"]);
  expect(JSON.stringify(listed)).not.toContain(ann.token);

  expect(await ask("DELETE", "/nobody")).toMatchObject({ status: 404 });
  expect(await ask("DELETE", `/${ann.id}`)).toMatchObject({ status: 200, body: { items: [{ name: "ann" }] } });
  expect(await ask("GET", "", ann.token)).toMatchObject({ status: 401 });
  const { items } = await get("/audit?subject=ann");
  expect(items.map(({ actor, action }: Record<string, string>) => `${actor} ${action}`)).toEqual([
    "operator remove-token",
    "operator add-token",
  ]);
  expect(JSON.stringify(items)).not.toContain(ann.token);
});

test("of two tokens with one name, the id says which", async () => {
  const hashes = [TOKEN, "other"].map((token) => createHash("sha256").update(token).digest("hex"));
  for (const sha256 of hashes) await store.settings.addToken({ sha256, name: "operator", at: at(0) });
  const remove = (id: string) => app.inject({ method: "DELETE", url: `/api/v1/tokens/${id}`, headers: AUTH });
  expect((await remove("operator")).json()).toMatchObject({ status: 409, detail: "2 tokens are named operator" });
  expect((await remove(hashes[1]!.slice(0, 12))).statusCode).toBe(200);
});
