import { createHash } from "node:crypto";
import { join } from "node:path";
import { err, ok } from "../../src/core/base/result.ts";
import type { RequestName } from "../../src/core/names.ts";
import type { RequestRecord, Transition } from "../../src/core/request.ts";
import type { Engine } from "../../src/engines/port.ts";
import { KINDS } from "../../src/kinds/table.ts";
import type { Commands } from "../../src/operations/handlers/port.ts";
import { type EventBus, makeEventBus } from "../../src/operations/http/event-bus.ts";
import { makeMetrics } from "../../src/operations/http/metrics.ts";
import type { ApiPorts } from "../../src/operations/http/ports.ts";
import { buildApi } from "../../src/operations/http/server.ts";
import type { Page, RequestFilter, Store } from "../../src/store/port.ts";
import {
  at,
  healthyLoop,
  NO_EFFECT,
  NOW,
  sampleDag,
  sampleFacets,
  sampleNodes,
  sampleProgress,
  sampleRequest,
  sampleSite,
  sampleWorkflow,
} from "./api-samples.ts";

export const TOKEN = "operator-secret";
export const AUTH = { authorization: `Bearer ${TOKEN}` };

/** A deep partial of an object of functions: a test says only what it is about. */
type Parts<T> = { [K in keyof T]?: T[K] extends (...args: never[]) => unknown ? T[K] : Partial<T[K]> };

/** The methods given, and for all others an error that names them. */
function only<T extends object>(name: string, parts: Partial<T>): T {
  return new Proxy(parts as T, {
    get(target, key) {
      if (key in target) return target[key as keyof T];
      return () => {
        throw new Error(`${name}.${String(key)} was not expected`);
      };
    },
  });
}

const paged = <T>(items: readonly T[], page: { limit: number; cursor?: string }): Page<T> => {
  const from = Number(page.cursor ?? 0);
  const to = from + page.limit;
  return { items: items.slice(from, to), nextCursor: to < items.length ? String(to) : null };
};

const moves: Transition[] = [
  { from: null, to: "submitted", reason: "submitted", actor: "operator", at: at("10:00") },
  { from: "queued", to: "active", reason: "the engine has it", actor: "wms2", at: at("11:00") },
];

export function fakeStore(requests: readonly RequestRecord[] = [sampleRequest()], parts: Parts<Store> = {}): Store {
  const workflow = sampleWorkflow();
  const dag = sampleDag();
  const matches = (filter: RequestFilter) => (record: RequestRecord) =>
    (!filter.status || filter.status.includes(record.status)) &&
    (!filter.requestor || filter.requestor === record.spec.requestor) &&
    (!filter.campaign || filter.campaign === record.spec.campaign) &&
    (!filter.nameContains || record.spec.name.includes(filter.nameContains));
  const find = (name: RequestName) => requests.find((record) => record.spec.name === name) ?? null;
  const sha256 = createHash("sha256").update(TOKEN).digest("hex");
  return only<Store>("store", {
    ping: async () => {},
    ...(parts as Partial<Store>),
    requests: only("requests", {
      get: async (name) => find(name),
      versions: async (name) => requests.filter(({ spec }) => spec.name === name),
      list: async (filter) => paged(requests.filter(matches(filter)), filter),
      transitions: async (name) => (find(name) ? moves : []),
      countByStatus: async () => ({ active: 1, queued: 3 }),
      resting: async () => new Set(),
      countByWait: async () => ({ admission: 3, running: 1 }),
      ...parts.requests,
    }),
    workflows: only("workflows", {
      get: async (id) => (id === workflow.id ? workflow : null),
      forRequest: async (name) => (name === workflow.requestName ? workflow : null),
      list: async (page) => paged([workflow], page),
      countByStatus: async () => ({ active: 1 }),
      ...parts.workflows,
    }),
    dags: only("dags", {
      get: async (id) => (id === dag.id ? dag : null),
      list: async (filter) => paged(filter.status && !filter.status.includes(dag.status) ? [] : [dag], filter),
      open: async () => [dag],
      sidesOf: async () => [],
      countOpen: async () => 1,
      planWarnings: async () => [],
      history: async () => [{ dagId: dag.id, type: "submitted", detail: { engineId: "1234" }, at: at("11:00") }],
      ...parts.dags,
    }),
    units: only("units", {
      finishedNames: async () => new Set(),
      countByStatus: async () => ({ owed: 1, registered: 19, invalidated: 0 }),
      blockCountByStatus: async () => ({ open: 1 }),
      blocks: async (workflowId) => [
        {
          workflowId,
          index: 0,
          dataset: "/muons-2026/select-v1/HITS",
          status: "open",
          unitsTotal: 25,
          unitsDone: 12,
          unitsAbandoned: 0,
          createdAt: at("10:30"),
          updatedAt: at("11:30"),
        },
      ],
      outputs: async (_id, page) =>
        paged(
          ["a", "b", "c"].map((letter) => ({
            output: "hits",
            dataset: "/muons-2026/select-v1/HITS",
            lfn: `/hits/${letter}.csv`,
            path: `/storage/hits/${letter}.csv`,
            sizeBytes: 10,
            checksum: "cksum:1",
            events: 97,
            parents: ["/data/a.csv"],
            unit: "mg_000000" as never,
            status: "registered" as const,
          })),
          page,
        ),
      ...parts.units,
    }),
    files: only("files", {
      countByState: async () => ({ fresh: 5, attempted: 1, processed: 20, excluded: 0 }),
      ...parts.files,
    }),
    sites: only("sites", {
      list: async () => [sampleSite()],
      get: async (name) => (name === "north" ? sampleSite() : null),
      activeBans: async () => [],
      ...parts.sites,
    }),
    desk: only("desk", {
      progress: async (names) =>
        new Map(names.filter((name) => name === workflow.requestName).map((name) => [name, sampleProgress()])),
      facets: async () => sampleFacets(),
      history: async () => [{ at: at("11:30"), total: 48, done: 10, failed: 0, running: 8 }],
      causes: async () => [],
      lastLooks: async () => new Map(),
      oldestLook: async () => null,
      feed: async () => ({ items: [], nextCursor: null }),
      search: async () => [],
      siteHours: async () => [],
      ...parts.desk,
    }),
    imports: only("imports", { get: async () => null, ...parts.imports }),
    alerts: only("alerts", {
      countOpen: async () => ({ open: 1, ofHeld: 0, critical: 0 }),
      open: async () => [
        {
          id: "1",
          key: "timeout:muons-2026",
          severity: "warning",
          subject: "muons-2026",
          message: "active for 30 days",
          count: 2,
          firstAt: at("08:00"),
          lastAt: at("09:00"),
          acknowledgedBy: null,
          closedAt: null,
        },
      ],
      list: async () => ({ items: [], nextCursor: null }),
      ...parts.alerts,
    }),
    audit: only("audit", { list: async () => ({ items: [], nextCursor: null }), ...parts.audit }),
    settings: only("settings", {
      findToken: async (hash) => (hash === sha256 ? { name: "operator" } : null),
      ...parts.settings,
    }),
  });
}

export const fakeCommands = (parts: Partial<Commands> = {}): Commands =>
  only<Commands>("commands", {
    submit: async () =>
      ok({ request: sampleRequest({ status: "submitted", version: 1 }), warnings: ["check the sites"], plan: null }),
    check: async () => ok({ request: null, warnings: [], plan: null }),
    preview: async () => err({ code: "no-site", message: "no site is left", evidence: {} }),
    reprioritise: async (_name, change) => ({
      kind: "changed",
      request: sampleRequest({ ...change, version: 8 }),
      message: "priority 1 → 2",
    }),
    act: async (_name, { action, reason }, { actor, dryRun }) => ({
      kind: dryRun ? "would" : "done",
      reason: `${action}: ${reason}`,
      effect: NO_EFFECT,
      warnings: [],
      detail: {},
      request: sampleRequest({ wish: { kind: "abort", actor, reason, at: NOW }, version: 8 }),
    }),
    causes: async () => ({ causes: [], lookedAt: NOW }),
    actionsOf: async (name) => (name === "muons-2026" ? { request: sampleRequest(), choices: [] } : null),
    setAdmission: async (limits) => ({ maxActive: 300, ...limits }),
    changeSite: async (name) =>
      name === "north"
        ? {
            effect: { usedBy: 2, leftWithout: ["muons-2026" as RequestName], leftWithoutTotal: 1 },
            message: "north is drained",
          }
        : null,
    queue: async () => ({
      active: 300,
      limits: { maxActive: 300 },
      entries: [
        {
          requestName: "waits" as RequestName,
          place: 1,
          urgent: false,
          priority: 100_000,
          queuedSince: at("10:00"),
          verdict: "wait",
          reason: "all 300 slots are taken",
        },
      ],
    }),
    ...parts,
  });

export const fakeEngine = (parts: Partial<Engine> = {}): Engine =>
  only<Engine>("engine", {
    name: "local",
    nodes: async () => sampleNodes(),
    ping: async () => ({ ok: true, text: "local engine", warnings: [] }),
    ...parts,
  });

export type FakeApi = ReturnType<typeof fakeApi>;

/** An API over fakes that checks every answer against its schema. */
export function fakeApi(parts: Partial<Omit<ApiPorts, "events">> = {}) {
  const events: EventBus = makeEventBus();
  const ports: ApiPorts = {
    store: fakeStore(),
    commands: fakeCommands(),
    loop: { status: async () => healthyLoop() },
    engine: fakeEngine(),
    clock: { now: () => NOW },
    kinds: KINDS,
    simulate: async (scenario, { seed = 1 }) => ({ ok: true, text: `told ${scenario} with ${seed}` }),
    metrics: makeMetrics("1.2.3"),
    events,
    deskDir: "/nowhere",
    examplesDir: join(import.meta.dirname, "../../examples"),
    info: {
      version: "1.2.3",
      instance: "i-1",
      host: "here",
      directories: { dataDir: "/d", spoolDir: "/d/spool", storageDir: "/d/storage" },
      warnings: [],
      startedAt: at("11:00"),
      engine: "local",
      catalog: "local",
      store: "embedded",
    },
    ...parts,
    tuning: { checkAnswers: true, probeMs: 50, keepMs: 0, ...parts.tuning },
  };
  return { app: buildApi(ports), ports, events };
}
