import type { RequestName, SiteName } from "../../../core/names.ts";
import type { NodeChanges } from "../../../core/operator.ts";
import type { Problem } from "../../../core/problem.ts";
import { releaseFields } from "../../../core/release.ts";
import type { ActBody, actions, BulkBody } from "../../actions.ts";
import {
  type ActAnswer,
  type Effect,
  OPERATOR_ACTIONS,
  type OperatorAction,
  type OperatorRequest,
  thenOf,
} from "../../handlers/port.ts";
import { problemsText } from "../../operation.ts";
import type { Call, Run, Runs } from "../call.ts";
import { given } from "../cursor.ts";
import { notFound, refusal, stale, usageError } from "../problem.ts";
import { choiceOf, requestFields } from "../views/request.ts";

type Subject = typeof actions;

const act =
  (action: OperatorAction): Run<Subject["release"]> =>
  async ({ name, from, dry_run: _, ...body }, call) => {
    const wanted = { ...operatorRequest(action, { ...body, ...given({ from }) }, call.actor), ...given({ from }) };
    const answer = await call.commands.act(name, wanted, { ...call.by, ...call.seen });
    return { ...acted(call, name, wanted.action, answer), action };
  };

/** What an operator asks of one request, or of many. */
export const actionRuns: Runs<Subject> = {
  ...(Object.fromEntries(OPERATOR_ACTIONS.map((action) => [action, act(action)])) as Record<
    OperatorAction,
    ReturnType<typeof act>
  >),

  async bulk({ action, filter = {}, names: named, seen, limit = 100, cursor, dry_run: _, ...body }, call) {
    refuseAll({ filter, names: named, seen });
    const names = seen ? Object.keys(seen) : named;
    const wanted = operatorRequest(action, body, call.actor);
    const chosen = choiceOf(filter);
    const which = {
      ...given({ names: names as RequestName[] | undefined }),
      ...(seen && { seen: new Map(Object.entries(seen) as [RequestName, number][]) }),
      filter: chosen,
    };
    const { results, nextCursor } = await call.load({ limit, cursor }, names ?? chosen, (page) =>
      call.commands.actMany({ ...which, ...page }, wanted, call.by),
    );
    const items = results.map(({ name, answer }) => ({ requestName: name, ...outcomeOf(answer) }));
    const counts: Record<string, number> = {};
    for (const { outcome } of items) counts[outcome] = (counts[outcome] ?? 0) + 1;
    return { action, then: thenOf(wanted.action), dryRun: call.by.dryRun, items, counts, nextCursor };
  },
};

/** Everything there is must be asked for in so many words. */
function refuseAll({ filter = {}, names, seen }: Pick<BulkBody, "filter" | "names" | "seen">): void {
  const isEmpty = Object.keys(filter).length === 0;
  if (!names && !seen && isEmpty)
    throw usageError("bad body", {
      path: "filter",
      message: "chooses every request there is",
      allowed: "a filter as of GET /requests, or names",
    });
  if ([names, seen, isEmpty ? undefined : filter].filter((way) => way !== undefined).length > 1)
    throw usageError("bad body", {
      path: seen ? "seen" : "names",
      message: `goes without ${seen ? "names and filter" : "filter"}`,
      allowed: "one of them",
    });
}

/** What cannot be undone needs a reason; the rest is kept with one that says who. */
export const NEEDS_REASON: readonly OperatorAction[] = ["abort", "fail", "restart"];
const RELEASE_KEYS = releaseFields.flatMap(([name, { alias }]) => (alias ? [name, alias] : [name]));

function operatorRequest(said: OperatorAction, body: ActBody, actor: string): OperatorRequest {
  if (body.reason === undefined && NEEDS_REASON.includes(said))
    throw usageError("bad body", { path: "reason", message: "is missing", allowed: "why, in words" });
  refuseMisplaced(said, body);
  // The clean stop of programs goes back to the queue, unless they say otherwise.
  const action = said === "stop" && body.then !== "hold" ? "requeue" : said;
  const unsaid = action === "submit" ? "the draft is ready" : `${action} by ${actor}, without a reason`;
  const reason = body.reason ?? unsaid;
  const common = { action, reason, how: body.how ?? null };
  if (action === "release") return { ...common, modifications: modificationsOf(body) };
  if (action === "restart") return { ...common, cleanupPolicy: body.cleanup_policy ?? null };
  if (action === "abort" || action === "fail") return { ...common, ...given({ invalidate: body.invalidate }) };
  const nodes = body.nodes === "failed" ? null : [...(body.nodes ?? []), ...(body.units ?? [])];
  if (action === "retry") return { ...common, nodes: nodes?.length ? nodes : "failed" };
  if (action !== "resubmit") return common;
  if (nodes?.length === 0)
    throw usageError("bad body", {
      path: "nodes",
      message: "names nothing",
      allowed: '"failed", or nodes and units as wms2 nodes lists them',
    });
  const changes = changesOf(body);
  return { ...common, nodes: nodes ?? "failed", ...(Object.keys(changes).length > 0 && { changes }) };
}

/** Which actions a field is for; the others are for all. */
const ONLY: Readonly<Record<string, readonly OperatorAction[]>> = {
  ...Object.fromEntries(RELEASE_KEYS.map((key) => [key, ["release"]])),
  memory_mb: ["release", "resubmit"],
  modifications: ["release"],
  how: ["release"],
  nodes: ["resubmit", "retry"],
  units: ["resubmit", "retry"],
  wall_minutes: ["resubmit"],
  sites: ["resubmit"],
  then: ["stop"],
  invalidate: ["abort", "fail"],
  cleanup_policy: ["restart"],
  from: ["release", "restart"],
};

/** A field that means nothing here is a mistake, not something to pass over. */
function refuseMisplaced(action: OperatorAction, body: ActBody): void {
  const problems = Object.keys(body).flatMap((path): Problem[] => {
    const allowed = ONLY[path];
    return !allowed || allowed.includes(action)
      ? []
      : [{ path, message: `means nothing to ${action}`, allowed: `with ${allowed.join(", ")}` }];
  });
  if (problems.length > 0) throw usageError("bad body", ...problems);
}

/** At the top level or in an object of their own; what is said twice is found by the reader. */
function modificationsOf(body: ActBody): unknown {
  const top = given(Object.fromEntries(RELEASE_KEYS.map((key) => [key, body[key]])));
  const { modifications } = body;
  if (modifications === undefined || modifications === null) return Object.keys(top).length > 0 ? top : null;
  if (typeof modifications !== "object" || Array.isArray(modifications)) return modifications;
  return { ...top, ...modifications };
}

/** What nodes get from now on: the fields that were given. */
export const changesOf = (body: Pick<ActBody, "memory_mb" | "wall_minutes" | "sites">): NodeChanges =>
  given({
    memoryMb: body.memory_mb as number | undefined,
    wallMinutes: body.wall_minutes,
    sites: body.sites as readonly SiteName[] | undefined,
  });

/** What one action came to, with the new ETag; anything but a success ends as a problem. */
export function acted(call: Call, name: RequestName, action: OperatorAction, answer: ActAnswer) {
  if (answer.kind === "unknown-request") throw notFound("request", name);
  if (answer.kind === "refused") throw refusal(`${name} cannot be ${PAST[action]}`, name, answer.problems);
  if (answer.kind === "stale") throw stale(call, answer.request, answer.why);
  call.etag(answer.request.version);
  call.reply.code(answer.kind === "done" ? 202 : 200);
  return actedFields(action, answer, call.by.dryRun);
}

type Acted = Extract<ActAnswer, { kind: "done" | "would" | "already" }>;
export const actedFields = (action: OperatorAction, answer: Acted, dryRun: boolean) => ({
  requestName: answer.request.spec.name,
  action,
  then: thenOf(action),
  already: answer.kind === "already",
  dryRun,
  ...reasonOf(answer),
  detail: answer.kind === "already" ? {} : answer.detail,
  status: answer.request.status,
  request: requestFields(answer.request),
});

/** What is, or would be, done and because of what; or why it is so already. */
const reasonOf = (answer: Acted) =>
  answer.kind === "already"
    ? { message: answer.why, effect: null, warnings: [] }
    : { message: answer.reason, effect: effectFields(answer.effect), warnings: answer.warnings };
const effectFields = ({ secondsLost, ...effect }: Effect) => ({
  ...effect,
  hoursLost: secondsLost === null ? null : Math.round(secondsLost / 3.6) / 1000,
});

/** What one of many came to. */
function outcomeOf(answer: ActAnswer) {
  const { kind } = answer;
  const { status = null, version = null } = "request" in answer ? answer.request : {};
  const item = { status, version, effect: null, warnings: [] as readonly string[], problems: [] as readonly Problem[] };
  if (kind === "refused")
    return { ...item, outcome: kind, message: problemsText(answer.problems), problems: answer.problems };
  if (kind === "unknown-request") return { ...item, outcome: "unknown" as const, message: "there is no such request" };
  if (kind === "stale") return { ...item, outcome: kind, message: answer.why ?? "it moved on meanwhile" };
  return { ...item, outcome: kind, ...reasonOf(answer) };
}

const PAST: Record<OperatorAction, string> = {
  submit: "submitted",
  release: "released",
  fail: "failed",
  restart: "restarted",
  stop: "stopped",
  requeue: "queued again",
  resume: "resumed",
  abort: "aborted",
  hold: "held",
  rescue: "rescued",
  resubmit: "resubmitted",
  retry: "tried again now",
  move: "moved",
};
