import { createHash } from "node:crypto";
import type { RequestName } from "../../../core/names.ts";
import type { desk } from "../../desk.ts";
import { ACTION, actionCommand, type Cause, type Choice } from "../../handlers/port.ts";
import { problemsText } from "../../operation.ts";
import type { Call, Runs } from "../call.ts";
import { asList, given } from "../cursor.ts";
import { found } from "../problem.ts";
import { sinceWhen } from "../since.ts";
import { etaOf } from "../views/how-far.ts";
import { NEEDS_REASON } from "./actions.ts";
import { handover } from "./handover.ts";

const HOUR_MS = 3_600_000;
const STEP_SECONDS = 300;

export const deskRuns: Runs<typeof desk> = {
  causes: ({ limit, site, code, over }, call) =>
    call.shared(async () => {
      const overSince = over === "true" ? new Date(call.ports.clock.now().getTime() - 24 * HOUR_MS) : undefined;
      const { causes, lookedAt } = await call.commands.causes({ limit, ...given({ site, code, overSince }) });
      return { items: causes.map(causeFields), lookedAt };
    }),

  history: ({ hours }, call) => call.shared(() => history(null, hours, call)),
  requestHistory: ({ name, hours }, call) => call.shared(() => history(name, hours, call)),

  async feed({ since, kind, subject, ...page }, call) {
    const now = call.ports.clock.now();
    const from = sinceWhen(since, now);
    const filters = given({ kinds: asList(kind), subject });
    const entries = await call.page(page, { since, ...filters }, (wanted) =>
      call.queries.feed({ since: from, ...filters, ...wanted }),
    );
    return { ...entries, since: from, at: now };
  },

  handover,

  search: ({ q, limit }, call) => call.shared(() => call.commands.search(q, limit)),

  async actions({ name }, { commands }) {
    const { request, choices } = await found("request", name, commands.actionsOf(name));
    const { version, status } = request;
    return { requestName: name, version, status, items: choices.map((choice) => choiceFields(name, choice)) };
  },
};

async function history(name: RequestName | null, hours: number, { queries, ports }: Call) {
  const now = ports.clock.now();
  const since = new Date(now.getTime() - hours * HOUR_MS);
  const {
    samples,
    progress,
    now: counts,
  } = name === null ? await queries.history(since) : await found("request", name, queries.historyOf(name, since));
  return {
    requestName: name,
    since,
    stepSeconds: STEP_SECONDS,
    samples,
    now: counts,
    eta: progress && etaOf(progress, now),
  };
}

const causeFields = ({ codeName, names, suggestion, ...cause }: Cause) => {
  const { exitCode, rule, category, site, file, filter } = cause;
  const parts = JSON.stringify([exitCode, rule, cause.cause, category, site, file]);
  return {
    ...cause,
    key: createHash("sha256").update(parts).digest("hex").slice(0, 12),
    name: codeName,
    requestNames: names,
    suggestion: { ...suggestion, body: suggestion.body && { ...suggestion.body, filter } },
  };
};

/** What cannot be undone by another action. */
const DESTROYS: readonly string[] = ["abort", "fail", "restart"];

function choiceFields(name: RequestName, { action, answer }: Choice) {
  const isAllowed = answer.kind === "would";
  const why =
    answer.kind === "refused"
      ? problemsText(answer.problems)
      : answer.kind === "already"
        ? `${answer.why}; nothing would change`
        : "";
  return {
    action,
    meaning: ACTION[action].meaning,
    allowed: isAllowed,
    whyNot: isAllowed ? "" : why || "it moved on meanwhile",
    needsReason: NEEDS_REASON.includes(action),
    destroys: DESTROYS.includes(action),
    effect: isAllowed ? answer.reason : null,
    warnings: isAllowed ? answer.warnings : [],
    detail: isAllowed ? answer.detail : {},
    command: actionCommand(action, name),
  };
}
