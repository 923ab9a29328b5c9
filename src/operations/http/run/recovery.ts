import type { recovery } from "../../recovery.ts";
import type { Runs } from "../call.ts";
import { found, notFound, refusal, stale } from "../problem.ts";

const MOST_NODES = 1000;

/** Failures that need no judgement, those that are alike, and what people said they mean for the runs to come. */
export const recoveryRuns: Runs<typeof recovery> = {
  async recover({ name, reason, memory_factor, time_factor, max_memory_mb, max_wall_minutes, only }, call) {
    const wanted = {
      memoryFactor: memory_factor,
      timeFactor: time_factor,
      maxMemoryMb: max_memory_mb ?? null,
      maxWallMinutes: max_wall_minutes ?? null,
      only: only ?? null,
      reason: reason ?? `asked for by ${call.actor}`,
    };
    const answer = await call.commands.recover(name, wanted, { ...call.by, ...call.seen });
    switch (answer.kind) {
      case "unknown-request":
        throw notFound("request", name);
      case "stale":
        throw stale(call, answer.request, answer.why);
      case "refused":
        throw refusal("nothing was recovered", name, answer.problems);
      default: {
        call.etag(answer.request.version);
        if (answer.kind === "done") call.reply.code(202);
        const { nodes, counts } = answer.recovery;
        return {
          requestName: answer.request.spec.name,
          dryRun: call.by.dryRun,
          already: answer.kind === "already",
          ...counts,
          raised: counts.raise,
          nodes: nodes
            .slice(0, MOST_NODES)
            .map(({ changes, ...node }) => ({
              ...node,
              getsMemoryMb: changes.memoryMb ?? null,
              getsWallMinutes: changes.wallMinutes ?? null,
            })),
          more: Math.max(0, nodes.length - MOST_NODES),
          message: answer.message,
        };
      }
    }
  },

  async groups({ name }, call) {
    return { ...(await found("request", name, call.commands.failureGroups(name))), requestName: name };
  },

  rules: async (_, { commands }) => ({ items: await commands.rules() }),

  forget: ({ id }, call) => found("rule", id, call.commands.forgetRule(id, `withdrawn by ${call.actor}`, call.by)),
};
