import type { admission, system } from "../../operations/system.ts";
import type { Runs } from "../call.ts";
import { asList } from "../cursor.ts";

export const admissionRuns: Runs<typeof admission> = {
  async queue(_, { commands }) {
    const { active, limits, entries } = await commands.queue();
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
  status: (_, { queries }) => queries.status(),
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
export const whatIsWrong = (
  parts: Readonly<Record<string, { readonly ok: boolean; readonly words: string }>>,
): string =>
  Object.entries(parts)
    .flatMap(([name, { ok, words }]) => (ok ? [] : [`${name}: ${words}`]))
    .join("; ");
