import type { RequestName } from "../../../core/names.ts";
import type { frepp } from "../../frepp.ts";
import type { RetriedTransfers, StateAnswer, TransfersAnswer } from "../../handlers/frepp-port.ts";
import type { Runs } from "../call.ts";
import { notFound, refusal } from "../problem.ts";

type Any = StateAnswer | TransfersAnswer | RetriedTransfers;
type Good<A> = Exclude<A, { kind: "unknown-request" | "refused" }>;

/** What was found or done; else the reason why not. */
function good<A extends Any>(name: RequestName, answer: A): Good<A> {
  if (answer.kind === "unknown-request") throw notFound("request", name);
  if (answer.kind === "refused") throw refusal("refused", name, answer.problems);
  return answer as Good<A>;
}

export const freppRuns: Runs<typeof frepp> = {
  async importState({ name, directory, repair, theirs }, { commands, by }) {
    const answer = good(name, await commands.importState(name, { directory, repair, theirs }, by));
    return { requestName: name, dryRun: by.dryRun, ...answer };
  },

  async exportState({ name, directory, ours }, { commands, by }) {
    const answer = good(name, await commands.exportState(name, { directory, ours }, by));
    return { requestName: name, dryRun: by.dryRun, ...answer };
  },

  async transfers({ name }, { commands }) {
    return { requestName: name, ...good(name, await commands.transfers(name)) };
  },

  async retryTransfers({ name, segments, force, reason }, { commands, by }) {
    const wanted = { segments, force, reason: reason ?? `asked for by ${by.actor}` };
    const answer = good(name, await commands.retryTransfers(name, wanted, by));
    return { requestName: name, dryRun: by.dryRun, ...answer };
  },
};
