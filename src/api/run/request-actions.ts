import type { FastifyReply } from "fastify";
import { WorldError } from "../../base/errors.ts";
import type { RequestName, SiteName } from "../../domain/names.ts";
import type { NodeChanges } from "../../domain/operator.ts";
import type { Problem } from "../../domain/problem.ts";
import type { RequestRecord } from "../../domain/request.ts";
import type { RequestStatus } from "../../domain/request-status.ts";
import {
  ACTION,
  type ActAnswer,
  OPERATOR_ACTIONS,
  type OperatorAction,
  type OperatorRequest,
} from "../../lifecycle/port.ts";
import {
  type ActBody,
  type ActedView,
  actedSchema,
  actedView,
  actSchema,
  type BulkBody,
  bulkAnswerSchema,
  bulkAnswerView,
  bulkSchema,
  modifications,
} from "../../operations/actions.ts";
import { asList, dryRunQuery, given, nameParams } from "../../operations/inputs.ts";
import { loadPage } from "../cursor.ts";
import type { ApiPorts } from "../ports.ts";
import { actErrors, notFound, refusal, submitErrors, usageError } from "../problem.ts";
import { type Api, askedBy, route, seenBy, setVersion } from "./api.ts";

const ACT_NOTE =
  "Checked against the state and stored; the loop carries it out (202). 200: a dry run, or it is so already.";

/** The operator's hand: POST /requests/{name}/{release, fail, restart, …}. */
export function requestActionRoutes(app: Api, { commands }: ApiPorts): void {
  for (const action of OPERATOR_ACTIONS) {
    const { schema } = route(
      `${action}: ${ACTION[action].meaning}`,
      { 200: actedSchema, 202: actedSchema, ...actErrors },
      { params: nameParams, querystring: dryRunQuery, body: actSchema.prefault({}) },
    );
    app.post(`/requests/:name/${action}`, { schema: { ...schema, description: ACT_NOTE } }, async (request, reply) => {
      const { name } = request.params;
      const by = { ...askedBy(request), ...seenBy(request) };
      const wanted = { ...operatorRequest(action, request.body, request.actor), ...given({ from: request.body.from }) };
      return acted(reply, name, action, await commands.act(name, wanted, by), by.dryRun);
    });
  }
}

/** The same action for many requests, with a result for each. */
export function bulkRoutes(app: Api, { commands }: ApiPorts): void {
  app.post(
    "/requests/bulk",
    route(
      "One action for many requests, chosen by filter or by name; repeat with next_cursor",
      { 200: bulkAnswerSchema, ...submitErrors },
      { querystring: dryRunQuery, body: bulkSchema },
    ),
    async (request) => {
      const { action, filter = {}, names, limit = 100, cursor, ...body } = request.body;
      refuseAll(request.body);
      const by = askedBy(request);
      const wanted = operatorRequest(action, body, request.actor);
      const { status, name, requestor, campaign } = filter;
      const chosen = given({ status: asList<RequestStatus>(status), requestor, campaign, nameContains: name });
      const which = { ...given({ names: names as RequestName[] | undefined }), filter: chosen };
      const answer = await loadPage(request, { limit, cursor }, names ?? chosen, (page) =>
        commands.actMany({ ...which, ...page }, wanted, by),
      );
      return bulkAnswerView(action, by.dryRun, answer);
    },
  );
}

/** Everything there is must be asked for in so many words. */
function refuseAll({ filter, names }: BulkBody): void {
  const isEmpty = !filter || Object.keys(filter).length === 0;
  if (!names && isEmpty)
    throw usageError("bad body", {
      path: "filter",
      message: "chooses every request there is",
      allowed: "status, requestor, campaign or name; or names",
    });
  if (names && !isEmpty)
    throw usageError("bad body", { path: "names", message: "goes without filter", allowed: "one of them" });
}

/** What cannot be undone needs a reason; the rest is kept with one that says who. */
const NEEDS_REASON: readonly OperatorAction[] = ["abort", "fail", "restart"];
const RELEASE_KEYS = Object.keys(modifications) as (keyof typeof modifications)[];

function operatorRequest(action: OperatorAction, body: ActBody, actor: string): OperatorRequest {
  if (body.reason === undefined && NEEDS_REASON.includes(action))
    throw usageError("bad body", { path: "reason", message: "is missing", allowed: "why, in words" });
  refuseMisplaced(action, body);
  const reason = body.reason ?? `${action} by ${actor}, without a reason`;
  const common = { action, reason, how: body.how ?? null };
  if (action === "release") return { ...common, modifications: modificationsOf(body) };
  if (action === "restart") return { ...common, cleanupPolicy: body.cleanup_policy ?? null };
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

/** A field that means nothing here is a mistake, not something to pass over. */
function refuseMisplaced(action: OperatorAction, body: ActBody): void {
  const only: Readonly<Record<string, readonly OperatorAction[]>> = {
    ...Object.fromEntries(RELEASE_KEYS.map((key) => [key, ["release"]])),
    memory_mb: ["release", "resubmit"],
    modifications: ["release"],
    how: ["release"],
    nodes: ["resubmit", "retry"],
    units: ["resubmit", "retry"],
    wall_minutes: ["resubmit"],
    sites: ["resubmit"],
    cleanup_policy: ["restart"],
    from: ["release", "restart"],
  };
  const problems = Object.keys(body).flatMap((path): Problem[] => {
    const allowed = only[path];
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

/** The answer as a view, with the new ETag; anything else ends as a problem. */
export function acted(
  reply: FastifyReply,
  name: RequestName,
  action: OperatorAction,
  answer: ActAnswer,
  dryRun: boolean,
): ActedView {
  switch (answer.kind) {
    case "done":
    case "would":
    case "already":
      setVersion(reply, answer.request.version);
      reply.code(answer.kind === "done" ? 202 : 200);
      return actedView(action, answer, dryRun);
    case "unknown-request":
      throw notFound("request", name);
    case "refused":
      throw refusal(`${name} cannot be ${PAST[action]}`, name, answer.problems);
    case "stale":
      throw stale(reply, answer.request);
  }
}

/** It is not what the caller looked at any more; the ETag says what it is now. */
export function stale(reply: FastifyReply, { spec, status, version }: RequestRecord): WorldError {
  setVersion(reply, version);
  return new WorldError("stale", spec.name, `request ${spec.name} moved on: it is ${status} at version ${version}`);
}

const PAST: Record<OperatorAction, string> = {
  release: "released",
  fail: "failed",
  restart: "restarted",
  stop: "stopped",
  resume: "resumed",
  abort: "aborted",
  hold: "held",
  rescue: "rescued",
  resubmit: "resubmitted",
  retry: "tried again now",
  move: "moved",
};
