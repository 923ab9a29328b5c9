import { POINT_FORMS, parsePoint } from "../../../core/calendar.ts";
import type { RequestName } from "../../../core/names.ts";
import type { Problem } from "../../../core/problem.ts";
import type { FillChoice } from "../../../core/segments.ts";
import type { fill } from "../../fill.ts";
import type { Runs } from "../call.ts";
import { given } from "../cursor.ts";
import { notFound, refusal, usageError } from "../problem.ts";

type Refused = { kind: "unknown-request" } | { kind: "refused"; problems: readonly Problem[] };
function good<A extends { kind: string }>(name: RequestName, answer: A): Exclude<A, Refused> {
  const { kind, problems = [] } = answer as { kind: string; problems?: readonly Problem[] };
  if (kind === "unknown-request") throw notFound("request", name);
  if (kind === "refused") throw refusal("refused", name, problems);
  return answer as Exclude<A, Refused>;
}

interface Asked extends Pick<FillChoice, "mode"> {
  readonly component?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Years and months as people write them: the last one belongs to it. */
function choiceOf({ component, from, to, mode }: Asked, recurse: boolean): FillChoice {
  const pointOf = (path: "from" | "to", text: string | undefined) => {
    const point = text === undefined ? null : parsePoint(text);
    if (text !== undefined && point === null)
      throw usageError("bad choice", { path, message: `${text} is no date`, allowed: POINT_FORMS });
    return point;
  };
  return {
    component: component ?? null,
    from: pointOf("from", from)?.from ?? null,
    to: pointOf("to", to)?.to ?? null,
    mode,
    recurse,
  };
}

export const fillRuns: Runs<typeof fill> = {
  async plan({ name, recurse, ...asked }, { commands }) {
    const { plan, ...told } = good(name, await commands.fillPlan(name, choiceOf(asked, recurse === "true")));
    return { ...plan, ...told };
  },

  async apply({ name, recurse, reason, ...asked }, call) {
    const why = reason ?? `asked for by ${call.actor}`;
    const answer = good(name, await call.commands.fill(name, choiceOf(asked, recurse), why, call.by));
    if (answer.kind === "done") call.reply.code(202);
    return { ...answer, requestName: name, dryRun: call.by.dryRun, already: answer.kind === "already" };
  },

  async verify({ name, reason, after = null }, call) {
    const how = { reason: reason ?? `asked for by ${call.actor}`, after };
    const answer = good(name, await call.commands.verify(name, how, call.by));
    return { ...answer, requestName: name, dryRun: call.by.dryRun };
  },

  async nodes({ name, state, ...page }, call) {
    const filter = given({ state });
    return call.page(page, filter, async (wanted) =>
      good(name, await call.commands.nodes(name, { ...filter, ...wanted })),
    );
  },

  async release({ name, nodes, reason }, call) {
    const why = reason ?? `released by ${call.actor}`;
    const answer = good(name, await call.commands.releaseNodes(name, nodes, why, call.by));
    return { ...answer, requestName: name, dryRun: call.by.dryRun, already: answer.kind === "already" };
  },
};
