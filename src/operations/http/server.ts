import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from "fastify";
import { createSerializerCompiler, type ZodTypeProvider } from "fastify-type-provider-zod";
import { stringify } from "../../core/base/json.ts";
import type { Api } from "./api-types.ts";
import { authenticator } from "./auth.ts";
import { compressAnswers } from "./compress.ts";
import { deskRoutes } from "./desk-pages.ts";
import { describeRoutes, docsRoutes } from "./docs.ts";
import { makeEventStreams } from "./event-streams.ts";
import { mcpRoutes } from "./mcp.ts";
import { keepPatience } from "./patience.ts";
import type { ApiPorts } from "./ports.ts";
import { problem, problemOf, usageError } from "./problem.ts";
import { makeQueries } from "./queries.ts";
import { addRoutes } from "./routes.ts";
import { makeSessions } from "./sessions.ts";
import { textTwins } from "./text-twin.ts";
import { makeTokens } from "./tokens.ts";
import { answerExpectation, answerUnparsed } from "./unparsed.ts";
import { usageCompiler } from "./validate.ts";

const BODY_LIMIT = 12_000_000;
/** Adapters have their own, shorter time-outs. */
const ANSWER_MS = 30_000;

/** The HTTP server, not yet listening. Operations call one command or query; their table says the rest. */
export function buildApi(ports: ApiPorts): FastifyInstance {
  const base = fastify({
    ...(ports.logger ? { loggerInstance: ports.logger } : { logger: false }),
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT,
    requestTimeout: 60_000,
    forceCloseConnections: "idle",
    routerOptions: { maxParamLength: 300, ignoreTrailingSlash: true },
    frameworkErrors: (error, request, reply) => sendProblem(error, request, reply),
    clientErrorHandler: answerUnparsed,
    // Both would be answered by others, without a problem: the first is told here, the second served while it can be.
    http: { requireHostHeader: false },
    return503OnClosing: false,
  });
  const app = base.withTypeProvider<ZodTypeProvider>() as unknown as Api;
  app.setValidatorCompiler(usageCompiler);
  app.setSerializerCompiler(ports.tuning?.checkAnswers ? createSerializerCompiler() : () => answerText);
  app.setReplySerializer(answerText);
  app.setErrorHandler((error: FastifyError, request, reply) => sendProblem(error, request, reply));
  app.setNotFoundHandler((request, reply) => {
    const message = `there is nothing at ${request.method} ${request.url.split("?", 1)[0]}`;
    return asProblem(reply, problem("not-found", message, { hint: "see /docs for what there is" }));
  });
  parseJsonBodies(app);
  keepPatience(app, ports.tuning?.answerMs ?? ANSWER_MS);
  addHeaders(app, ports.info.instance);
  observe(app, ports);
  app.decorateRequest("actor", "");
  app.decorateRequest("failure", null);
  compressAnswers(app);
  describeRoutes(app, ports.info.version);
  app.register(async (scope) => {
    const tokens = makeTokens(ports.store, ports.clock);
    const sessions = makeSessions(ports.store, ports.clock);
    const queries = makeQueries(ports);
    scope.addHook(
      "onRequest",
      authenticator(tokens, sessions, { requireAuthForReads: ports.requireAuthForReads ?? false }),
    );
    const streams = makeEventStreams(ports);
    scope.addHook("preClose", async () => streams.close());
    textTwins(scope as unknown as Api);
    addRoutes(scope as unknown as Api, { ...ports, queries, tokens, sessions, streams });
    mcpRoutes(scope as unknown as Api, ports);
  });
  docsRoutes(app);
  deskRoutes(app, ports.deskDir);
  base.server.on("checkExpectation", answerExpectation);
  return base;
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
  if (view.status >= 500) request.failure = error;
  if (view.status === 503) reply.header("retry-after", "5");
  return asProblem(reply, view);
}

const asProblem = (reply: FastifyReply, view: { status: number }): FastifyReply =>
  reply.code(view.status).header("content-type", "application/problem+json").serializer(answerText).send(view);

function addHeaders(app: Api, instance: string): void {
  app.addHook("onRequest", async (request, reply) => {
    reply.header("wms2-instance", instance);
    reply.header("x-content-type-options", "nosniff");
    reply.header("referrer-policy", "no-referrer");
    reply.header("x-frame-options", "DENY");
    const isPage = request.url.startsWith("/docs");
    reply.header("content-security-policy", isPage ? PAGE_CSP : "default-src 'none'; frame-ancestors 'none'");
    if (!isPage) reply.header("cache-control", "no-store");
    if (request.headers.host === undefined && request.raw.httpVersion !== "1.0")
      throw usageError("bad header", { path: "Host", message: "missing", allowed: "the name of this server" });
  });
}
const PAGE_CSP = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";

/** One measurement per answer, one log line per change and per failure. What follows "?" is not ours to log. */
function observe(app: Api, { metrics }: ApiPorts): void {
  app.addHook("onResponse", async (request, reply) => {
    const { method, actor, failure: err } = request;
    const { role = "operator" } = request.routeOptions.config ?? {};
    const status = reply.statusCode;
    metrics.observeHttp(method, request.routeOptions.url ?? "unknown", status, reply.elapsedTime / 1000);
    const told = { method, url: request.url.split("?", 1)[0], status, actor };
    if (status >= 500) request.log.error({ ...told, ...(err != null && { err }) }, "api.failed");
    else if (method !== "GET" && method !== "HEAD" && role === "operator") request.log.info(told, "api.change");
  });
}
