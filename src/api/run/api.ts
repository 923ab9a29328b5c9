import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, RawServerDefault } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { z } from "zod";
import { itemErrors, readErrors, usageError } from "../problem.ts";

/** Fastify with zod schemas: queries, bodies and answers of a route have the types of its schemas. */
export type Api = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

export const BASE = "/api/v1";

interface Parts {
  readonly params?: z.ZodType;
  readonly querystring?: z.ZodType;
  readonly body?: z.ZodType;
}

/** What a route is for, takes and answers. Tag and token follow from path and method, see docs.ts. */
export const route = <A extends object, P extends Parts>(summary: string, response: A, parts: P) => ({
  schema: { summary, ...parts, response },
});
/** The same for a route that reads: one answer, and 404 where it names what it reads. */
export const reads = <A extends z.ZodType, P extends Parts = object>(summary: string, answer: A, parts?: P) =>
  route(summary, { 200: answer, ...(parts?.params ? itemErrors : readErrors) }, parts ?? ({} as P));

export const setVersion = (reply: FastifyReply, version: number): FastifyReply => reply.header("etag", `"${version}"`);

/** Who asks, and whether only to know what would be done: ?dry_run=true, or dry_run in the body. */
export const askedBy = (request: { actor: string; query: unknown; body: unknown }) => {
  const [query, body] = [request.query, request.body] as { dry_run?: unknown }[];
  return { actor: request.actor, dryRun: query?.dry_run === "true" || body?.dry_run === true };
};

/** Who asks, and which version they looked at (If-Match); null when it does not matter to them. */
export function seenBy({ actor, headers }: { actor: string; headers: IncomingHttpHeaders }) {
  const header = headers["if-match"]?.trim() ?? "*";
  if (header === "*") return { actor, version: null };
  const digits = /^"?(\d{1,15})"?$/.exec(header)?.[1];
  if (digits !== undefined) return { actor, version: Number(digits) };
  throw usageError("bad header", {
    path: "If-Match",
    message: "not an ETag of this server",
    allowed: 'the ETag of the last GET, like "7"',
  });
}
