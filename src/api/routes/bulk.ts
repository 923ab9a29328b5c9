import type { RequestName } from "../../domain/names.ts";
import type { RequestStatus } from "../../domain/request-status.ts";
import { listScope, openCursor, sealCursor } from "../cursor.ts";
import type { ApiPorts } from "../ports.ts";
import { usageError } from "../problem.ts";
import { type BulkBody, bulkAnswerSchema, bulkSchema, dryRunQuery } from "../schemas/operate.ts";
import { submitErrors } from "../schemas/problem.ts";
import { asList } from "../schemas/query.ts";
import { bulkAnswerView } from "../views/operate.ts";
import type { Api } from "./api.ts";
import { operatorRequest } from "./request-actions.ts";

/** The same action for many requests, with a result for each. */
export function bulkRoutes(app: Api, { commands }: ApiPorts): void {
  app.post(
    "/requests/bulk",
    {
      schema: {
        tags: ["requests"],
        security: [{ operator: [] }],
        summary: "One action for many requests, chosen by filter or by name; repeat with next_cursor",
        querystring: dryRunQuery,
        body: bulkSchema,
        response: { 200: bulkAnswerSchema, ...submitErrors },
      },
    },
    async (request) => {
      const { action, filter = {}, names, limit = 100, cursor, ...body } = request.body;
      const dryRun = request.query.dry_run === "true" || body.dry_run === true;
      refuseAll(request.body);
      const wanted = operatorRequest(action, body, request.actor);
      const { status, name, requestor, campaign } = filter;
      const states = asList<RequestStatus>(status);
      const chosen = {
        ...(states && { status: states }),
        ...(requestor !== undefined && { requestor }),
        ...(campaign !== undefined && { campaign }),
        ...(name !== undefined && { nameContains: name }),
      };
      const scope = listScope(request, names ?? chosen);
      const answer = await commands.actMany(
        {
          ...(names && { names: names as RequestName[] }),
          filter: chosen,
          limit,
          ...(cursor !== undefined && { cursor: openCursor(scope, cursor) }),
        },
        wanted,
        { actor: request.actor, dryRun },
      );
      const next = answer.nextCursor === null ? null : sealCursor(scope, answer.nextCursor);
      return bulkAnswerView(action, dryRun, answer, next);
    },
  );
}

/** Everything there is must be asked for in so many words. */
function refuseAll({ filter, names }: BulkBody): void {
  const isEmpty = !filter || Object.keys(filter).length === 0;
  if (!names && isEmpty)
    throw usageError("bad body", {
      path: "filter",
      message: "chooses every request there is",
      allowed: "status, requestor, campaign or name; or names",
    });
  if (names && !isEmpty)
    throw usageError("bad body", { path: "names", message: "goes without filter", allowed: "one of them" });
}
