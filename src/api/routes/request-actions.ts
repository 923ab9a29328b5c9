import type { FastifyReply } from "fastify";
import { WorldError } from "../../base/errors.ts";
import type { RequestName, SiteName } from "../../domain/names.ts";
import type { NodeChanges } from "../../domain/operator.ts";
import type { Problem } from "../../domain/problem.ts";
import {
  ACTION,
  type ActAnswer,
  OPERATOR_ACTIONS,
  type OperatorAction,
  type OperatorRequest,
} from "../../lifecycle/port.ts";
import type { ApiPorts } from "../ports.ts";
import { notFound, ProblemsError, usageError } from "../problem.ts";
import { type ActBody, type ActedView, actedSchema, actSchema, dryRunQuery } from "../schemas/operate.ts";
import { actErrors } from "../schemas/problem.ts";
import { nameParams } from "../schemas/query.ts";
import { actedView } from "../views/operate.ts";
import { type Api, seenBy, setVersion } from "./api.ts";

const tags = ["requests"];

/** The operator's hand: POST /requests/{name}/{release, fail, restart, …}. */
export function requestActionRoutes(app: Api, { commands }: ApiPorts): void {
  for (const action of OPERATOR_ACTIONS) {
    app.post(
      `/requests/:name/${action}`,
      {
        schema: {
          tags,
          security: [{ operator: [] }],
          summary: `${action}: ${ACTION[action].meaning}`,
          description:
            "Checked against the state and stored; the loop carries it out (202). 200: a dry run, or it is so already.",
          params: nameParams,
          querystring: dryRunQuery,
          body: actSchema.prefault({}),
          response: { 200: actedSchema, 202: actedSchema, ...actErrors },
        },
      },
      async (request, reply) => {
        const name = request.params.name as RequestName;
        const dryRun = request.query.dry_run === "true" || request.body.dry_run === true;
        const wanted = operatorRequest(action, request.body, request.actor);
        const answer = await commands.act(name, wanted, { ...seenBy(request), dryRun });
        return acted(reply, name, action, answer, dryRun);
      },
    );
  }
}

/** What cannot be undone needs a reason; the rest is kept with one that says who. */
const NEEDS_REASON: readonly OperatorAction[] = ["abort", "fail", "restart"];
const RELEASE_KEYS = [
  "site_bans",
  "excluded_files",
  "memory_mb",
  "retries",
  "retry_count",
  "hold_threshold",
  "error_hold_threshold",
  "top_up",
] as const;

export function operatorRequest(action: OperatorAction, body: ActBody, actor: string): OperatorRequest {
  if (body.reason === undefined && NEEDS_REASON.includes(action))
    throw usageError("bad body", { path: "reason", message: "is missing", allowed: "why, in words" });
  refuseMisplaced(action, body);
  const reason = body.reason ?? `${action} by ${actor}, without a reason`;
  const common = { action, reason, how: body.how ?? null };
  if (action === "release") return { ...common, modifications: modificationsOf(body) };
  if (action === "restart") return { ...common, cleanupPolicy: body.cleanup_policy ?? null };
  if (action !== "resubmit") return common;
  const nodes = body.nodes === "failed" ? null : [...(body.nodes ?? []), ...(body.units ?? [])];
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
    nodes: ["resubmit"],
    units: ["resubmit"],
    wall_minutes: ["resubmit"],
    sites: ["resubmit"],
    cleanup_policy: ["restart"],
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
  const top = Object.fromEntries(RELEASE_KEYS.flatMap((key) => (body[key] === undefined ? [] : [[key, body[key]]])));
  const { modifications } = body;
  if (modifications === undefined || modifications === null) return Object.keys(top).length > 0 ? top : null;
  if (typeof modifications !== "object" || Array.isArray(modifications)) return modifications;
  return { ...top, ...modifications };
}

export function changesOf(body: {
  memory_mb?: unknown;
  wall_minutes?: number | undefined;
  sites?: readonly string[] | undefined;
}): NodeChanges {
  return {
    ...(body.memory_mb !== undefined && { memoryMb: body.memory_mb as number }),
    ...(body.wall_minutes !== undefined && { wallMinutes: body.wall_minutes }),
    ...(body.sites !== undefined && { sites: body.sites as readonly SiteName[] }),
  };
}

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
    case "stale": {
      const { version, status } = answer.request;
      setVersion(reply, version);
      throw new WorldError("stale", name, `request ${name} moved on: it is ${status} at version ${version}`);
    }
  }
}

/** Of the state: 409. Of what the caller wrote: 422, each with its place. */
export function refusal(words: string, subject: string, problems: readonly Problem[]): ProblemsError {
  const isState = problems.every(({ path }) => path === "");
  const told = problems.map(({ path, message }) => (path ? `${path} ${message}` : message)).join("; ");
  const hints = problems.flatMap(({ allowed }) => (allowed ? [allowed] : []));
  const hint = isState && hints.length > 0 ? `allowed: ${hints.join("; ")}` : undefined;
  return new ProblemsError(isState ? "conflict" : "bad-request", subject, `${words}: ${told}`, problems, hint);
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
};
