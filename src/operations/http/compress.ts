import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Api } from "./api-types.ts";

const zip = promisify(gzip);
/** Smaller answers go into one packet anyway. */
const LEAST_BYTES = 1400;
const PACKABLE = /^(?:text\/|image\/svg|application\/(?:problem\+)?json|application\/manifest)/;

/**
 * Packs texts for callers who take gzip. Fast rather than small: lists shrink to a tenth at the lowest level. Event
 * streams have left Fastify by then and are never packed.
 */
export function compressAnswers(app: Api): void {
  app.addHook("onSend", async (request: FastifyRequest, reply: FastifyReply, payload: unknown) => {
    if (typeof payload !== "string" && !Buffer.isBuffer(payload)) return payload;
    const type = String(reply.getHeader("content-type") ?? "");
    if (payload.length < LEAST_BYTES || !PACKABLE.test(type) || reply.hasHeader("content-encoding")) return payload;
    reply.header("vary", "accept-encoding");
    if (!/\bgzip\b(?!;q=0)/.test(String(request.headers["accept-encoding"] ?? ""))) return payload;
    const packed = await zip(payload, { level: constants.Z_BEST_SPEED });
    reply.header("content-encoding", "gzip").header("content-length", packed.length);
    return packed;
  });
}
