import type { admission, system } from "../../operations/system.ts";
import type { Runs } from "../call.ts";
import { eventStreams } from "../event-streams.ts";
import type { RunPorts } from "../ports.ts";

export const admissionRuns = ({ commands }: RunPorts): Runs<typeof admission> => ({
  async queue() {
    const { active, limits, entries } = await commands.queue();
    return {
      activeDags: active,
      maxActiveDags: limits.maxActive,
      queuedWorkflows: entries.length,
      nextInQueue: entries[0] ?? null,
      entries,
    };
  },
  config: async () => ({ maxActiveDags: (await commands.queue()).limits.maxActive }),
  async configure({ max_active_dags: maxActive }, { actor }) {
    return { maxActiveDags: (await commands.setAdmission({ maxActive }, actor)).maxActive };
  },
});

export const systemRuns = (ports: RunPorts): Runs<typeof system> => {
  const { queries, info, clock } = ports;
  const events = eventStreams(ports);
  return {
    async health(_, { reply }) {
      const health = await queries.health();
      const why = whatIsWrong(health);
      reply.code(why === "" ? 200 : 503);
      const status = why === "" ? ("ok" as const) : ("unhealthy" as const);
      return { status, why, ...health, version: info.version, at: clock.now() };
    },
    loop: () => queries.loop(),
    status: () => queries.status(),
    async metrics(_, call) {
      const { contentType, text } = await queries.metrics();
      return call.text(contentType, text);
    },
    events,
  };
};

/** Everything that is wrong; "": all is well. */
export const whatIsWrong = (
  parts: Readonly<Record<string, { readonly ok: boolean; readonly words: string }>>,
): string =>
  Object.entries(parts)
    .flatMap(([name, { ok, words }]) => (ok ? [] : [`${name}: ${words}`]))
    .join("; ");
