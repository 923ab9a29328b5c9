import type { FastifyReply } from "fastify";
import { z } from "zod";
import { WorldError } from "../../base/errors.ts";
import type { RequestName } from "../../domain/names.ts";
import type { ChangeAnswer } from "../../lifecycle/port.ts";
import type { ApiPorts } from "../ports.ts";
import { changeErrors, notFound } from "../problem.ts";
import { given, nameParams, reasonText } from "../query.ts";
import { priorityChangeSchema, type RequestView, requestSchema, requestView } from "../views/request.ts";
import { type Api, route, seenBy, setVersion } from "./api.ts";
import { stale } from "./request-actions.ts";

export function requestChangeRoutes(app: Api, { commands }: ApiPorts): void {
  app.patch(
    "/requests/:name",
    route(
      "Change priority or urgency; give If-Match to be sure nobody else did",
      { 200: requestSchema, ...changeErrors },
      { params: nameParams, body: priorityChangeSchema },
    ),
    async (request, reply) => {
      const { name } = request.params;
      return changed(reply, name, await commands.reprioritise(name, given(request.body), seenBy(request)));
    },
  );

  app.delete(
    "/requests/:name",
    route(
      "The same as abort; the request stays on record",
      { 202: requestSchema, ...changeErrors },
      { params: nameParams, querystring: z.strictObject({ reason: reasonText.optional().describe("why, in words") }) },
    ),
    async (request, reply) => {
      const { name } = request.params;
      const { reason = `deleted by ${request.actor}` } = request.query;
      const view = changed(reply, name, await commands.abort(name, reason, seenBy(request)));
      return reply.code(202).send(view);
    },
  );
}

/** The changed request as a view, with its new ETag; anything else ends as a problem. */
function changed(reply: FastifyReply, name: RequestName, answer: ChangeAnswer): RequestView {
  switch (answer.kind) {
    case "changed":
      setVersion(reply, answer.request.version);
      return requestView(answer.request);
    case "unknown-request":
      throw notFound("request", name);
    case "not-allowed":
      throw new WorldError("conflict", name, answer.reason);
    case "stale":
      throw stale(reply, answer.request);
  }
}
