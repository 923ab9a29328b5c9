import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, RawServerDefault } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { usageError } from "../problem.ts";

/** Fastify with zod schemas: queries, bodies and answers of a route have the types of its schemas. */
export type Api = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

export const BASE = "/api/v1";

export const setVersion = (reply: FastifyReply, version: number): FastifyReply => reply.header("etag", `"${version}"`);

/** Who asks, and which version they looked at. */
export const seenBy = (request: { actor: string; headers: Record<string, unknown> }) => {
  const header = request.headers["if-match"];
  return { actor: request.actor, version: seenVersion(typeof header === "string" ? header : undefined) };
};

/** If-Match: the version a caller looked at; null when it does not matter to them. */
export function seenVersion(header: string | undefined): number | null {
  if (header === undefined || header.trim() === "*") return null;
  const digits = /^"?(\d{1,15})"?$/.exec(header.trim())?.[1];
  if (digits !== undefined) return Number(digits);
  throw usageError("bad header", {
    path: "If-Match",
    message: "not an ETag of this server",
    allowed: 'the ETag of the last GET, like "7"',
  });
}
