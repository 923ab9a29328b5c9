import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from "fastify";
import { createSerializerCompiler, type ZodTypeProvider } from "fastify-type-provider-zod";
import { stringify } from "../base/json.ts";
import { authenticator } from "./auth.ts";
import { describeRoutes, docsRoutes } from "./docs.ts";
import type { ApiPorts } from "./ports.ts";
import { problem, problemOf } from "./problem.ts";
import { type Api, BASE } from "./routes/api.ts";
import { attemptRoutes } from "./routes/attempts.ts";
import { dagActionRoutes } from "./routes/dag-actions.ts";
import { dagRoutes, nodeRoutes } from "./routes/dags.ts";
import { eventRoutes } from "./routes/events.ts";
import { alertRoutes, auditRoutes } from "./routes/operators.ts";
import { bulkRoutes, requestActionRoutes } from "./routes/request-actions.ts";
import { requestChangeRoutes, requestRoutes } from "./routes/requests.ts";
import { banRoutes, siteRoutes } from "./routes/sites.ts";
import { submitRoutes } from "./routes/submit.ts";
import { admissionRoutes, metricRoutes, systemRoutes } from "./routes/system.ts";
import { workflowRoutes } from "./routes/workflows.ts";
import { usageCompiler } from "./validate.ts";

const BODY_LIMIT = 12_000_000;
/** The last resort against a call that hangs; adapters have their own, shorter time-outs. */
const ANSWER_MS = 30_000;

/** The HTTP server, not yet listening. Routes parse, call one command or query, and map the result to a view. */
export function buildApi(ports: ApiPorts): FastifyInstance {
  const base = fastify({
    ...(ports.logger ? { loggerInstance: ports.logger } : { logger: false }),
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT,
    handlerTimeout: ports.tuning?.answerMs ?? ANSWER_MS,
    requestTimeout: 60_000,
    forceCloseConnections: "idle",
    routerOptions: { maxParamLength: 300, ignoreTrailingSlash: true },
    frameworkErrors: (error, request, reply) => sendProblem(error, request, reply),
  });
  const app = base.withTypeProvider<ZodTypeProvider>() as unknown as Api;
  app.setValidatorCompiler(usageCompiler);
  app.setSerializerCompiler(ports.tuning?.checkAnswers ? createSerializerCompiler() : () => answerText);
  app.setReplySerializer(answerText);
  app.setErrorHandler((error: FastifyError, request, reply) => sendProblem(error, request, reply));
  app.setNotFoundHandler((request, reply) => {
    const words = `there is nothing at ${request.method} ${request.url.split("?", 1)[0]}`;
    return asProblem(reply, problem("not-found", words, { hint: "see /docs for what there is" }));
  });
  parseJsonBodies(app);
  addHeaders(app);
  observe(app, ports);
  app.decorateRequest("actor", "");
  describeRoutes(app, ports.info.version);
  app.register(async (scope) => addRoutes(scope as unknown as Api, ports));
  docsRoutes(app);
  return base;
}

async function addRoutes(app: Api, ports: ApiPorts): Promise<void> {
  const requireAuthForReads = ports.requireAuthForReads ?? false;
  app.addHook("onRequest", authenticator(ports.store.settings, ports.clock, { requireAuthForReads }));
  const groups = [
    requestRoutes,
    requestChangeRoutes,
    requestActionRoutes,
    bulkRoutes,
    attemptRoutes,
    submitRoutes,
    workflowRoutes,
    dagRoutes,
    dagActionRoutes,
    nodeRoutes,
    admissionRoutes,
    siteRoutes,
    banRoutes,
    alertRoutes,
    auditRoutes,
    systemRoutes,
    eventRoutes,
  ];
  for (const group of groups) {
    app.register(async (scope) => group(scope as unknown as Api, ports), { prefix: BASE });
  }
  metricRoutes(app, ports, ["/metrics", `${BASE}/metrics`]);
}

/** Plain JSON.stringify is the fastest for our views; the few answers with a bigint in them take the long way. */
function answerText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return stringify(value);
  }
}

/** As Fastify's own, but an empty body is no body: POST …/drain needs none. */
function parseJsonBodies(app: Api): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => {
    if (body === "") done(null, undefined);
    else parse(request, body as string, done);
  });
}

function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const view = problemOf(error, request.id);
  if (view.code === "bug") request.log.error({ err: error, method: request.method, url: request.url }, "api.bug");
  if (view.status === 503) reply.header("retry-after", "5");
  return asProblem(reply, view);
}

const asProblem = (reply: FastifyReply, view: { status: number }): FastifyReply =>
  reply.code(view.status).header("content-type", "application/problem+json").serializer(answerText).send(view);

function addHeaders(app: Api): void {
  app.addHook("onRequest", async (request, reply) => {
    reply.header("x-content-type-options", "nosniff");
    reply.header("referrer-policy", "no-referrer");
    reply.header("x-frame-options", "DENY");
    const isPage = request.url.startsWith("/docs");
    reply.header("content-security-policy", isPage ? PAGE_CSP : "default-src 'none'; frame-ancestors 'none'");
    if (!isPage) reply.header("cache-control", "no-store");
  });
}
const PAGE_CSP = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";

/** One measurement per answer, one log line per change. */
function observe(app: Api, { metrics }: ApiPorts): void {
  app.addHook("onResponse", async (request, reply) => {
    const { method, actor } = request;
    const status = reply.statusCode;
    metrics.observeHttp(method, request.routeOptions.url ?? "unknown", status, reply.elapsedTime / 1000);
    if (method !== "GET" && method !== "HEAD") {
      request.log.info({ method, url: request.url, status, actor }, "api.change");
    }
  });
}
