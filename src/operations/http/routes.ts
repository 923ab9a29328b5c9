import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { Operation } from "../operation.ts";
import { OPERATIONS, type Operations } from "../table.ts";
import { type Api, BASE } from "./api-types.ts";
import { Call, type Runs } from "./call.ts";
import { makeChangeTurns } from "./change-turns.ts";
import type { RunPorts } from "./ports.ts";
import { usageError } from "./problem.ts";
import { actionRuns } from "./run/actions.ts";
import { attemptRuns } from "./run/attempts.ts";
import { blockRuns } from "./run/blocks.ts";
import { dagRuns } from "./run/dags.ts";
import { deskRuns } from "./run/desk.ts";
import { fillRuns } from "./run/fill.ts";
import { freppRuns } from "./run/frepp.ts";
import { importRuns } from "./run/imports.ts";
import { alertRuns, auditRuns, tokenRuns } from "./run/operators.ts";
import { policyRuns } from "./run/policy.ts";
import { recoveryRuns } from "./run/recovery.ts";
import { requestRuns } from "./run/requests.ts";
import { resultRuns } from "./run/results.ts";
import { runRuns } from "./run/runs.ts";
import { sessionRuns } from "./run/sessions.ts";
import { siteRuns } from "./run/sites.ts";
import { admissionRuns, systemRuns } from "./run/system.ts";
import { workflowRuns } from "./run/workflows.ts";
import { viewOf } from "./view-of.ts";

/** What each operation does, by subject as in the table. */
const RUNS: { readonly [S in keyof Operations]: Runs<Operations[S]> } = {
  requests: requestRuns,
  imports: importRuns,
  runs: runRuns,
  actions: actionRuns,
  attempts: attemptRuns,
  results: resultRuns,
  recovery: recoveryRuns,
  workflows: workflowRuns,
  blocks: blockRuns,
  fill: fillRuns,
  frepp: freppRuns,
  dags: dagRuns,
  admission: admissionRuns,
  sites: siteRuns,
  policy: policyRuns,
  alerts: alertRuns,
  audit: auditRuns,
  tokens: tokenRuns,
  system: systemRuns,
  sessions: sessionRuns,
  desk: deskRuns,
};

type AnyRun = (input: object, call: Call) => unknown;

/** A route for every operation of the table. */
export function addRoutes(app: Api, ports: RunPorts): void {
  const enter = makeChangeTurns();
  for (const subject of Object.keys(RUNS) as (keyof Operations)[]) {
    const runs = RUNS[subject] as unknown as Readonly<Record<string, AnyRun>>;
    for (const [name, operation] of Object.entries<Operation>(OPERATIONS[subject])) {
      const route = routeOf(operation, runs[name]!, ports, enter);
      if (operation.rawBody) app.register(async (scope) => textBodies(scope as unknown as Api).route(route));
      else app.route(route);
      // Where a Prometheus server looks when it is not told.
      if (operation === OPERATIONS.system.metrics) app.route({ ...route, url: operation.path });
    }
  }
}

function routeOf(operation: Operation, run: AnyRun, ports: RunPorts, enter: ReturnType<typeof makeChangeTurns>) {
  const { method, path, role, answers } = operation;
  const views = new Map(
    Object.entries(answers).map(([status, answer]) => [
      Number(status),
      answer instanceof z.ZodType ? viewOf(answer) : null,
    ]),
  );
  const change = async (request: FastifyRequest, work: () => Promise<unknown>): Promise<unknown> => {
    const leave = await enter(request.patience);
    return work().finally(() => {
      leave();
      ports.queries.forget();
    });
  };
  return {
    method,
    url: `${BASE}${path}`,
    config: { role },
    exposeHeadRoute: operation !== OPERATIONS.system.events,
    schema: schemaOf(operation),
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      const work = async () => run(inputOf(request), new Call(ports, request, reply));
      const answer = await (method === "GET" ? work() : change(request, work));
      // A reply that an async function returns is waited for, and comes as undefined.
      if (reply.sent || answer === reply) return reply;
      return views.get(reply.statusCode)?.(answer as never) ?? answer;
    },
  };
}

/** What fastify checks, and what OpenAPI says. A route belongs to what its path begins with. */
function schemaOf({ path, method, about, note, params, query, body, rawBody, answers }: Operation) {
  const first = path.split("/")[1] ?? "";
  return {
    summary: about,
    tags: [TAGS.includes(first) ? first : "system"],
    ...(method !== "GET" && { security: [{ operator: [] }] }),
    ...(note && { description: note }),
    ...(params && { params }),
    ...(query && { querystring: query }),
    ...(body && { body }),
    ...(rawBody && { consumes: [...rawBody] }),
    response: answers,
  };
}
const TAGS = ["requests", "blocks", "workflows", "dags", "admission", "sites", "alerts"];

/** Path, query and body in one; a body that is no object goes under the name of body. */
function inputOf({ params, query, body }: FastifyRequest): object {
  const fields = typeof body === "object" ? body : { body };
  return { ...fields, ...(query as object), ...(params as object) };
}

const YAML_TYPES = ["application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml"];

/**
 * Bodies as the text a person wrote: parsed here, numbers above 2^53 would be rounded and problems could not name
 * lines. So they are only decoded from UTF-8.
 */
function textBodies(app: Api): Api {
  app.removeAllContentTypeParsers();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  app.addContentTypeParser(["application/json", ...YAML_TYPES], { parseAs: "buffer" }, (_request, body, done) => {
    try {
      done(null, decoder.decode(body as Buffer));
    } catch {
      done(usageError("bad body", { path: "", message: "not UTF-8 text", allowed: "JSON or YAML in UTF-8" }));
    }
  });
  return app;
}
