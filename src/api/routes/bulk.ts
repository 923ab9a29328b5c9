import type { RequestName } from "../../domain/names.ts";
import type { RequestStatus } from "../../domain/request-status.ts";
import { loadPage } from "../cursor.ts";
import type { ApiPorts } from "../ports.ts";
import { submitErrors, usageError } from "../problem.ts";
import { asList, dryRunQuery, given } from "../query.ts";
import { type BulkBody, bulkAnswerSchema, bulkAnswerView, bulkSchema } from "../views/operate.ts";
import { type Api, askedBy, route } from "./api.ts";
import { operatorRequest } from "./request-actions.ts";

/** The same action for many requests, with a result for each. */
export function bulkRoutes(app: Api, { commands }: ApiPorts): void {
  app.post(
    "/requests/bulk",
    route(
      "One action for many requests, chosen by filter or by name; repeat with next_cursor",
      { 200: bulkAnswerSchema, ...submitErrors },
      { querystring: dryRunQuery, body: bulkSchema },
    ),
    async (request) => {
      const { action, filter = {}, names, limit = 100, cursor, ...body } = request.body;
      refuseAll(request.body);
      const by = askedBy(request);
      const wanted = operatorRequest(action, body, request.actor);
      const { status, name, requestor, campaign } = filter;
      const chosen = given({ status: asList<RequestStatus>(status), requestor, campaign, nameContains: name });
      const which = { ...given({ names: names as RequestName[] | undefined }), filter: chosen };
      const answer = await loadPage(request, { limit, cursor }, names ?? chosen, (page) =>
        commands.actMany({ ...which, ...page }, wanted, by),
      );
      return bulkAnswerView(action, by.dryRun, answer);
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
