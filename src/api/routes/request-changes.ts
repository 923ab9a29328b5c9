import type { FastifyReply } from "fastify";
import { z } from "zod";
import { WorldError } from "../../base/errors.ts";
import type { RequestName } from "../../domain/names.ts";
import type { ChangeAnswer } from "../../lifecycle/port.ts";
import type { ApiPorts } from "../ports.ts";
import { notFound } from "../problem.ts";
import { changeErrors } from "../schemas/problem.ts";
import { nameParams, reasonText } from "../schemas/query.ts";
import { priorityChangeSchema, type RequestView, requestSchema } from "../schemas/request.ts";
import { requestView } from "../views/request.ts";
import { type Api, seenBy, setVersion } from "./api.ts";

const tags = ["requests"];
const operator = [{ operator: [] }];

export function requestChangeRoutes(app: Api, { commands }: ApiPorts): void {
  app.patch(
    "/requests/:name",
    {
      schema: {
        tags,
        security: operator,
        summary: "Change priority or urgency; give If-Match to be sure nobody else did",
        params: nameParams,
        body: priorityChangeSchema,
        response: { 200: requestSchema, ...changeErrors },
      },
    },
    async (request, reply) => {
      const { priority, urgent } = request.body;
      const change = { ...(priority !== undefined && { priority }), ...(urgent !== undefined && { urgent }) };
      const name = request.params.name as RequestName;
      return changed(reply, name, await commands.reprioritise(name, change, seenBy(request)));
    },
  );

  app.delete(
    "/requests/:name",
    {
      schema: {
        tags,
        security: operator,
        summary: "The same as abort; the request stays on record",
        params: nameParams,
        querystring: z.strictObject({ reason: reasonText.optional().describe("why, in words") }),
        response: { 202: requestSchema, ...changeErrors },
      },
    },
    async (request, reply) => {
      const name = request.params.name as RequestName;
      const reason = request.query.reason ?? `deleted by ${request.actor}`;
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
    case "stale": {
      const { version, status } = answer.request;
      setVersion(reply, version);
      throw new WorldError("stale", name, `request ${name} moved on: it is ${status} at version ${version}`);
    }
  }
}
