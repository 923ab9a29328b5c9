import type { FastifyReply, FastifyRequest } from "fastify";
import { WorldError } from "../../core/base/errors.ts";
import type { Api } from "./api-types.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Ends work nobody waits for any more: the caller left, or it took too long. */
    patience: AbortSignal;
  }
}

/**
 * The last resort against a call that hangs: every answer is due within `answerMs`. Fastify's own time-out and signal
 * end with the request's stream, which is as soon as its body was read; this one lasts until the answer is out.
 */
export function keepPatience(app: Api, answerMs: number): void {
  app.decorateRequest("patience", null as unknown as AbortSignal);
  app.addHook("onRequest", async (request: FastifyRequest, reply: FastifyReply) => {
    const ending = new AbortController();
    request.patience = ending.signal;
    const timer = setTimeout(() => {
      const hint = "try again, or ask for less; wms2 doctor says what is slow";
      const late = new WorldError("too-long", request.url, "no answer in time", { hint });
      ending.abort(late);
      if (!reply.sent) reply.send(late);
    }, answerMs);
    reply.raw.once("close", () => {
      clearTimeout(timer);
      if (!reply.raw.writableFinished) ending.abort(new WorldError("too-long", request.url, "the caller left"));
    });
  });
}
