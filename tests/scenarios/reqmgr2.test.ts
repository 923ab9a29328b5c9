import { expect, test } from "vitest";
import { makeRequestCatalog } from "../../src/catalogs/cms/requests.ts";
import type { RequestName } from "../../src/core/names.ts";
import { DEFAULT_INTAKE_RULES } from "../../src/core/submission.ts";
import { importRequest } from "../../src/operations/handlers/import.ts";
import { makePoller } from "../../src/operations/upkeep/reqmgr2/poll.ts";
import { makeWriteBack } from "../../src/operations/upkeep/reqmgr2/write-back.ts";
import { fakeReqMgr2 } from "../support/fake-reqmgr2.ts";
import { stepChainDocument } from "../support/request-documents.ts";
import { makeWorld, POLICY } from "../support/world.ts";

const NAME = "pdmv_demo_260101_120000_7" as RequestName;
const assigned = (change: object = {}) => ({
  ...stepChainDocument({ RequestName: NAME, Campaign: "Demo", Team: "wms2", StepChain: 2 }),
  Step1: { ...(stepChainDocument().Step1 as object), RequestNumEvents: 40, EventsPerJob: 20, EventsPerLumi: 10 },
  RequestStatus: "assigned",
  unit: { jobs: 2 },
  ...change,
});

async function makeImporting() {
  const there = fakeReqMgr2();
  const source = makeRequestCatalog(there.reqmgr2, { team: "wms2", campaigns: [] });
  const world = await makeWorld(undefined, source);
  const ports = { ...world.ports, policy: POLICY };
  const poller = () => makePoller(ports, source, { pollSec: 60, rules: DEFAULT_INTAKE_RULES, nudge() {} });
  const { tellOnce } = makeWriteBack(ports, source);
  const byHand = (overrides: Record<string, unknown> = {}, isDry = false) => {
    const document = { text: JSON.stringify({ request_name: NAME, source: "reqmgr2", ...overrides }), format: "json" };
    return world.commands[isDry ? "check" : "submit"](document as never, "ann");
  };
  return { there, world, ports, poller, tellOnce, byHand, imported: () => world.store.imports.get(NAME) };
}

test("what is assigned is imported once by two servers, runs, and ReqMgr2 is told of all of it", async () => {
  const { there, world, poller, tellOnce } = await makeImporting();
  there.documents.set(NAME, assigned());
  const polls = await Promise.all([poller().pollOnce(), poller().pollOnce()]);
  expect(polls.flatMap(({ imported }) => imported)).toEqual([NAME]);
  expect((await poller().pollOnce()).imported).toEqual([]);
  expect((await world.request(NAME)).spec.metadata.reqmgr2).toMatchObject({ Campaign: "Demo" });

  expect(await tellOnce()).toBe(1);
  expect(there.moves).toEqual([]);
  await world.pass();
  await world.expectStatus(NAME, "active");
  await tellOnce();
  expect(there.moves).toEqual(["staging", "staged", "acquired", "running-open"]);
  world.engine.finish(world.storageDir);
  await world.pass();
  await world.expectStatus(NAME, "completed");
  await tellOnce();
  expect(there.moves.slice(4)).toEqual(["running-closed", "completed"]);
  expect(await tellOnce()).toBe(0);
  expect((await poller().pollOnce()).imported).toEqual([]);
});

test("by hand: dry run, with changes, and a second time it says so", async () => {
  const { there, world, byHand } = await makeImporting();
  expect(await byHand()).toMatchObject({ ok: false, error: { kind: "unknown", name: NAME } });
  there.documents.set(NAME, assigned());
  const overrides = { priority: 250_000, urgent: true, recovery: { max_rescues: 1 } };
  expect(await byHand(overrides, true)).toMatchObject({ ok: true, value: { request: null, plan: { ok: true } } });
  expect(await world.store.requests.get(NAME)).toBeNull();
  expect(await byHand({ kind: "process" })).toMatchObject({ ok: false, error: { problems: [{ path: "kind" }] } });
  expect(await byHand(overrides)).toMatchObject({ ok: true, value: { request: { status: "submitted" } } });
  expect(await world.request(NAME)).toMatchObject({
    priority: 250_000,
    urgent: true,
    spec: { recovery: { maxRescues: 1 }, requestor: "ann" },
  });
  const again = await byHand();
  expect(again).toMatchObject({ ok: true, value: { already: true, warnings: [] } });
  expect(await byHand({ production_steps: [{ fraction: 2 }] })).toMatchObject({ value: { already: true } });
});

test("what came by hand first is nobody's import", async () => {
  const { there, world, poller, byHand } = await makeImporting();
  there.documents.set(NAME, assigned());
  await world.submit(JSON.stringify(assigned()));
  expect(await byHand()).toMatchObject({ ok: false, error: { kind: "name-taken" } });
  expect((await poller().pollOnce()).refused).toEqual([NAME]);
});

test("what cannot be taken is remembered with its reason, told, and tried again only when it was assigned again", async () => {
  const { there, world, poller, imported } = await makeImporting();
  there.documents.set(NAME, assigned({ RequestType: "TaskChain" }));
  expect((await poller().pollOnce()).refused).toEqual([NAME]);
  expect((await imported())?.reasons[0]).toContain("TaskChain cannot be taken: it needs tasks");
  expect((await world.store.imports.trouble()).map(({ name }) => name)).toEqual([NAME]);
  there.calls.length = 0;
  expect((await poller().pollOnce()).refused).toEqual([]);
  expect(there.calls).toEqual(["names"]);

  there.documents.get(NAME)!.RequestStatus = "assignment-approved";
  await poller().pollOnce();
  there.documents.set(NAME, assigned());
  expect((await poller().pollOnce()).imported).toEqual([NAME]);
});

test("a request for another system is passed over, and refused by hand", async () => {
  const { there, world, poller, byHand, imported } = await makeImporting();
  there.documents.set(NAME, assigned({ wms_backend: "wmcore" }));
  expect(await poller().pollOnce()).toEqual({ imported: [], refused: [] });
  expect(await imported()).toMatchObject({ outcome: "passed-over", reasons: ['it is for "wmcore" (wms_backend)'] });
  expect(await world.store.imports.trouble()).toEqual([]);
  expect(await byHand()).toMatchObject({ ok: false, error: { problems: [{ path: "wms_backend" }] } });
});

test("only this team's requests", async () => {
  const { there, poller } = await makeImporting();
  there.documents.set(NAME, assigned({ Team: "production" }));
  expect((await poller().pollOnce()).imported).toEqual([]);
});

test("a document that changed after the import is shown, never applied", async () => {
  const { there, world, poller, byHand, imported } = await makeImporting();
  there.documents.set(NAME, assigned());
  await poller().pollOnce();
  there.documents.set(NAME, assigned({ Memory: 9000, RequestStatus: "acquired" }));
  await poller().pollOnce();
  expect(await imported()).toMatchObject({ changes: ["Memory: 8000 → 9000"], theirStatus: "acquired" });
  expect(await byHand()).toMatchObject({ value: { warnings: ["changed in ReqMgr2 since: Memory: 8000 → 9000"] } });
  expect((await world.request(NAME)).spec.resources.memoryMb).toBe(8000);
});

test("an outage: nothing is imported twice, and what is owed is told later, with a reason until then", async () => {
  const { there, world, poller, tellOnce, imported } = await makeImporting();
  there.documents.set(NAME, assigned());
  there.away(true);
  await expect(poller().pollOnce()).rejects.toThrow("nobody answers");
  there.away(false);
  await poller().pollOnce();
  await world.pass();
  there.away(true);
  await tellOnce();
  expect(await imported()).toMatchObject({ tries: 1, toldStatus: null, lastError: expect.stringContaining("nobody") });
  there.away(false);
  expect(await tellOnce()).toBe(0);
  world.wait(61);
  expect(await tellOnce()).toBe(1);
  expect(await imported()).toMatchObject({
    tries: 0,
    toldStatus: "active",
    lastError: null,
    theirStatus: "running-open",
  });
});

test("what has no legal move is said once, and not tried again", async () => {
  const { there, world, poller, tellOnce, imported } = await makeImporting();
  there.documents.set(NAME, assigned());
  await poller().pollOnce();
  await world.pass();
  there.documents.get(NAME)!.RequestStatus = "aborted";
  await tellOnce();
  expect((await imported())?.lastError).toContain("it is aborted in ReqMgr2 and active here: abort it here");
  there.calls.length = 0;
  await tellOnce();
  expect(there.calls).toEqual([]);
});

test("nothing is imported without ReqMgr2", async () => {
  const world = await makeWorld();
  const wanted = { name: NAME, overrides: {} };
  const by = { actor: "ann", dryRun: false };
  expect(await importRequest({ ...world.ports, policy: POLICY }, DEFAULT_INTAKE_RULES, wanted, by)).toMatchObject({
    error: { problems: [{ path: "source", message: "no ReqMgr2 is configured here" }] },
  });
});
