import { setTimeout } from "node:timers/promises";
import { describeError } from "../../base/errors.ts";
import type { PingOutcome } from "../../engine/port.ts";
import type { ApiPorts } from "../ports.ts";
import { SharedLook } from "../shared-look.ts";
import {
  healthSchema,
  healthView,
  loopSchema,
  loopView,
  type PartHealth,
  type StatusView,
  statusSchema,
  statusView,
} from "../views/system.ts";
import { type Api, reads } from "./api.ts";

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
    version: info.version,
    startedAt: info.startedAt,
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
