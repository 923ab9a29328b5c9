import { setTimeout } from "node:timers/promises";
import { z } from "zod";
import { describeError } from "../../base/errors.ts";
import type { PingOutcome } from "../../engine/port.ts";
import {
  admissionConfigSchema,
  healthSchema,
  healthView,
  loopSchema,
  loopView,
  type PartHealth,
  queueSchema,
  queueView,
  type StatusView,
  statusSchema,
  statusView,
} from "../../operations/system.ts";
import { SharedLook } from "../look-sharing.ts";
import type { ApiPorts } from "../ports.ts";
import { changeErrors } from "../problem.ts";
import { type Api, reads, route } from "./api.ts";

export function systemRoutes(app: Api, ports: ApiPorts): void {
  const { store, loop, clock, info } = ports;
  const probeMs = ports.tuning?.probeMs ?? 2000;
  const pings = new SharedLook<PingOutcome>();

  app.get(
    "/health",
    {
      config: { open: true },
      schema: {
        summary: "200 when the store answers and the loop has passed recently, else 503 with what is wrong",
        response: { 200: healthSchema, 503: healthSchema },
      },
    },
    async (_request, reply) => {
      const [storeHealth, loopHealth] = await Promise.all([
        answerOf(probeMs, async () => {
          await store.ping();
          return { ok: true, words: info.store };
        }),
        answerOf(probeMs, async () => {
          const status = await loop.status();
          return { ok: status.healthy, words: status.why };
        }),
      ]);
      const view = healthView(storeHealth, loopHealth, info.version, clock.now());
      return reply.code(view.status === "ok" ? 200 : 503).send(view);
    },
  );

  app.get("/lifecycle/status", reads("What the loop tells of itself", loopSchema), async () =>
    loopView(await loop.status()),
  );

  app.get("/status", reads("The whole system in one answer", statusSchema), () => {
    const ping = answerOf(probeMs, () => pings.ask("", () => ports.engine.ping()));
    return loadStatus(ports, ping);
  });
}

/** A part that does not answer in time, or not at all, is not well; that is an answer too. Its work is not stopped. */
async function answerOf<T extends PartHealth>(ms: number, ask: () => Promise<T>): Promise<T | PartHealth> {
  const answered = new AbortController();
  try {
    const answer = ask();
    const late = { ok: false, words: `no answer within ${ms / 1000} s` };
    return await Promise.race([answer, setTimeout(ms, late, { signal: answered.signal })]);
  } catch (error) {
    return { ok: false, words: describeError(error) };
  } finally {
    answered.abort();
  }
}

async function loadStatus(
  { store, loop, clock, info }: ApiPorts,
  ping: Promise<PingOutcome | PartHealth>,
): Promise<StatusView> {
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
  return statusView({
    ...info,
    uptimeSec: Math.floor((now.getTime() - info.startedAt.getTime()) / 1000),
    at: now,
    store: { kind: info.store },
    engine: { name: info.engine, warnings: [], ...pong },
    loop: health,
    requests,
    workflows,
    blocks,
    dagsOpen: dags.length,
    queued: requests.queued ?? 0,
    sites,
    alerts,
  });
}

export function admissionRoutes(app: Api, { commands }: ApiPorts): void {
  app.get("/admission/queue", reads("Who waits, at which place and why", queueSchema), async () =>
    queueView(await commands.queue()),
  );

  app.get("/admission/config", reads("The limits in force", admissionConfigSchema), async () => ({
    max_active_dags: (await commands.queue()).limits.maxActive,
  }));

  app.patch(
    "/admission/config",
    route(
      "Change the limits; they are kept over restarts",
      { 200: admissionConfigSchema, ...changeErrors },
      { body: admissionConfigSchema },
    ),
    async ({ body, actor }) => {
      const limits = await commands.setAdmission({ maxActive: body.max_active_dags }, actor);
      return { max_active_dags: limits.maxActive };
    },
  );
}

/** Prometheus text. Scrapers that come at once share one look into the store. */
export function metricRoutes(app: Api, { metrics, store }: ApiPorts, paths: readonly string[]): void {
  const scrapes = new SharedLook<{ contentType: string; text: string }>();
  for (const path of paths) {
    app.get(
      path,
      {
        schema: {
          summary: "Prometheus metrics",
          response: { 200: { description: "Prometheus text", content: { "text/plain": { schema: z.string() } } } },
        },
      },
      async (_request, reply) => {
        const { contentType, text } = await scrapes.ask("", () => metrics.render(store));
        return reply.header("content-type", contentType).serializer(String).send(text);
      },
    );
  }
}
