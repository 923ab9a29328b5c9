import { describeError } from "../../base/errors.ts";
import type { PingOutcome } from "../../engine/port.ts";
import type { ApiPorts } from "../ports.ts";
import { readErrors } from "../schemas/problem.ts";
import { healthSchema, loopSchema, type StatusView, statusSchema } from "../schemas/system.ts";
import { SharedLook } from "../shared-look.ts";
import { alertView, healthView, loopView, type PartHealth } from "../views/system.ts";
import { within } from "../within.ts";
import type { Api } from "./api.ts";

const tags = ["system"];

export function systemRoutes(app: Api, ports: ApiPorts): void {
  const { store, loop, clock, info } = ports;
  const probeMs = ports.tuning?.probeMs ?? 2000;
  const pings = new SharedLook<PingOutcome>();

  app.get(
    "/health",
    {
      config: { open: true },
      schema: {
        tags,
        summary: "200 when the store answers and the loop has passed recently, else 503 with what is wrong",
        response: { 200: healthSchema, 503: healthSchema },
      },
    },
    async (_request, reply) => {
      const [storeHealth, loopHealth] = await Promise.all([
        probe(probeMs, async () => {
          await store.ping();
          return { ok: true, words: info.store };
        }),
        probe(probeMs, async () => {
          const status = await loop.status();
          return { ok: status.healthy, words: status.why };
        }),
      ]);
      const view = healthView(storeHealth, loopHealth, info.version, clock.now());
      return reply.code(view.status === "ok" ? 200 : 503).send(view);
    },
  );

  app.get(
    "/lifecycle/status",
    { schema: { tags, summary: "What the loop tells of itself", response: { 200: loopSchema, ...readErrors } } },
    async () => loopView(await loop.status()),
  );

  app.get(
    "/status",
    { schema: { tags, summary: "The whole system in one answer", response: { 200: statusSchema, ...readErrors } } },
    async () => {
      const ping = within(
        probeMs,
        pings.ask("", () => ports.engine.ping()),
        () => unanswered(`no answer within ${probeMs / 1000} s`),
      ).catch((error: unknown) => unanswered(describeError(error)));
      return loadStatus(ports, ping);
    },
  );
}

const unanswered = (words: string): PingOutcome => ({ ok: false, words, warnings: [] });

/** A part that does not answer in time, or not at all, is not well; that is an answer too. */
const probe = (ms: number, ask: () => Promise<PartHealth>): Promise<PartHealth> =>
  within(ms, ask(), () => ({ ok: false, words: `no answer within ${ms / 1000} s` })).catch((error: unknown) => ({
    ok: false,
    words: describeError(error),
  }));

async function loadStatus({ store, loop, clock, info }: ApiPorts, ping: Promise<PingOutcome>): Promise<StatusView> {
  const [health, requests, workflows, blocks, dags, sites, alerts, pong] = await Promise.all([
    loop.status(),
    store.requests.countByStatus(),
    store.workflows.countByStatus(),
    store.units.blockCountByStatus(),
    store.dags.open(),
    store.sites.list(),
    store.alerts.open(),
    ping,
  ]);
  const now = clock.now();
  return {
    version: info.version,
    started_at: info.startedAt.toISOString(),
    uptime_sec: Math.floor((now.getTime() - info.startedAt.getTime()) / 1000),
    at: now.toISOString(),
    store: { kind: info.store },
    engine: { name: info.engine, ok: pong.ok, words: pong.words, warnings: pong.warnings.map((item) => ({ ...item })) },
    loop: loopView(health),
    requests: { ...requests },
    workflows: { ...workflows },
    blocks: { ...blocks },
    dags_open: dags.length,
    queued: requests.queued ?? 0,
    sites: sites.map(({ name, status }) => ({ name, status })),
    alerts: alerts.map(alertView),
  };
}
