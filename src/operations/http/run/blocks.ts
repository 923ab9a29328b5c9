import type { RequestName } from "../../../core/names.ts";
import type { blocks } from "../../blocks.ts";
import type { Runs } from "../call.ts";
import { notFound, refusal, stale, usageError } from "../problem.ts";

export const blockRuns: Runs<typeof blocks> = {
  list: async (page, call) => ({
    ...(await call.page(page, {}, call.queries.blocks)),
    sums: await call.queries.outputSums(),
  }),
  async ofRequest({ name, ...page }, call) {
    const blocks = await call.page(page, {}, async (wanted) => {
      const found = await call.queries.blocksOf(name, wanted);
      if (!found) throw notFound("request", name);
      return found;
    });
    return { ...blocks, sums: await call.queries.outputSums(name) };
  },
  async retry({ request, block, reason }, call) {
    const { by, commands } = call;
    if ((request === undefined) === (block === undefined))
      throw usageError("bad body", { path: "request", message: "one of request and block", allowed: "one of them" });
    const which = block === undefined ? { request: request as RequestName } : { block };
    const answer = await commands.retryBlocks(which, reason ?? `by ${by.actor}`, by);
    if (answer.kind === "unknown") throw notFound(block === undefined ? "request" : "block", block ?? request ?? "");
    if (answer.kind === "unknown-request") throw notFound("request", request ?? "");
    if (answer.kind === "stale") throw stale(call, answer.request, answer.why);
    if (answer.kind === "refused") throw refusal("its request cannot go on", block ?? request ?? "", answer.problems);
    return { dryRun: by.dryRun, ...answer };
  },
  async withdraw({ name, reason }, call) {
    const { by, commands } = call;
    const answer = await commands.withdraw(name, reason, by);
    if (answer.kind === "unknown-request") throw notFound("request", name);
    if (answer.kind === "stale") throw stale(call, answer.request, answer.why);
    if (answer.kind === "refused") throw refusal(`the outputs of ${name} cannot be withdrawn`, name, answer.problems);
    return { requestName: name, dryRun: by.dryRun, already: answer.kind === "already", ...answer };
  },
};
