import { WorldError } from "../../../core/base/errors.ts";
import { CAPACITY_STATUSES } from "../../../core/request-status.ts";
import { estimateStarts } from "../../handlers/port.ts";
import type { admission, system } from "../../system.ts";
import type { Call, Runs } from "../call.ts";
import { asList } from "../cursor.ts";
import { readExamples } from "../examples.ts";
import { etaOf } from "../views/how-far.ts";

export const admissionRuns: Runs<typeof admission> = {
  async queue({ what_if }, { commands, queries, ports }) {
    const instead = new Map((asList(what_if) ?? []).map((one) => [one.split(":")[0]!, Number(one.split(":")[1])]));
    const queue = instead.size > 0 ? await commands.queueIf(instead) : await commands.queue();
    if (!queue) throw new WorldError("conflict", "queue", `not all of ${[...instead.keys()].join(", ")} are queued`);
    const { active, limits } = queue;
    const waiting = queue.entries.filter(({ verdict }) => verdict === "wait");
    const ends = waiting.length > 0 ? await endsOf(queries, ports.clock.now()) : [];
    const starts = estimateStarts(waiting.length, ends, limits.maxActive);
    const free = queue.entries.length - waiting.length;
    const entries = queue.entries.map((entry, place) => ({ ...entry, expectedAt: starts[place - free] ?? null }));
    return {
      activeDags: active,
      maxActiveDags: limits.maxActive,
      queuedWorkflows: entries.length,
      nextInQueue: entries[0] ?? null,
      entries,
    };
  },
  config: async (_, { commands }) => ({ maxActiveDags: (await commands.queue()).limits.maxActive }),
  async configure({ max_active_dags: maxActive }, { commands, actor }) {
    return { maxActiveDags: (await commands.setAdmission({ maxActive }, actor)).maxActive };
  },
};

/** When those that take a slot would be through; null: unknown. */
async function endsOf(queries: Call["queries"], now: Date): Promise<(Date | null)[]> {
  const { items } = await queries.requests({ status: CAPACITY_STATUSES, limit: 1000 });
  const progress = await queries.progress(items.map(({ spec }) => spec.name));
  return items.map(({ spec }) => {
    const of = progress.get(spec.name);
    const eta = of && etaOf(of, now);
    return eta && !eta.overdue ? eta.at : null;
  });
}

export const systemRuns: Runs<typeof system> = {
  async health(_, { queries, reply, ports }) {
    const health = await queries.health();
    const { catalog, ...ours } = health;
    const isWell = whatIsWrong(ours) === "";
    // A service outside that is away is told, and is no reason to replace this server.
    reply.code(isWell ? 200 : 503);
    const status = isWell ? ("ok" as const) : ("unhealthy" as const);
    return {
      status,
      why: whatIsWrong({ ...ours, catalog }),
      ...health,
      version: ports.info.version,
      at: ports.clock.now(),
    };
  },
  loop: (_, { queries }) => queries.loop(),
  status: (_, call) => call.shared(() => call.queries.status()),
  freshness: (_, { queries }) => queries.freshness(),
  examples: (_, { ports }) => readExamples(ports.examplesDir),
  simulate: ({ scenario, seed }, { ports, request }) => ports.simulate(scenario, { seed, signal: request.patience }),
  async metrics(_, call) {
    const { contentType, text } = await call.queries.metrics();
    return call.text(contentType, text);
  },
  events({ type, request: only }, { ports, reply }) {
    const types = asList(type);
    return ports.streams.open(
      reply,
      (event) => (!types || types.includes(event.type)) && (only === undefined || event.detail.request === only),
    );
  },
};

/** Everything that is wrong; "": all is well. */
export const whatIsWrong = (parts: Readonly<Record<string, { readonly ok: boolean; readonly text: string }>>): string =>
  Object.entries(parts)
    .flatMap(([name, { ok, text }]) => (ok ? [] : [`${name}: ${text}`]))
    .join("; ");
