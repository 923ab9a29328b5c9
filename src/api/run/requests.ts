import type { FastifyReply } from "fastify";
import { z } from "zod";
import { WorldError } from "../../base/errors.ts";
import type { RequestName } from "../../domain/names.ts";
import type { RequestRecord } from "../../domain/request.ts";
import { REQUEST_STATUSES } from "../../domain/request-status.ts";
import type { ChangeAnswer } from "../../lifecycle/port.ts";
import {
  asList,
  filterText,
  given,
  nameParams,
  pageQuery,
  paging,
  reasonText,
  repeatable,
} from "../../operations/inputs.ts";
import { planPreviewSchema, planPreviewView } from "../../operations/plan.ts";
import {
  priorityChangeSchema,
  type RequestPageView,
  type RequestView,
  requestDetailSchema,
  requestDetailView,
  requestPageSchema,
  requestRowView,
  requestSchema,
  requestView,
  transitionsSchema,
  transitionView,
  versionsSchema,
  versionView,
} from "../../operations/requests.ts";
import { outputPageSchema, outputView } from "../../operations/workflows.ts";
import { answerPage, linkNext, loadPage, pageView } from "../cursor.ts";
import { SharedLook } from "../look-sharing.ts";
import type { ApiPorts } from "../ports.ts";
import { changeErrors, found, notFound } from "../problem.ts";
import { type Api, reads, route, seenBy, setVersion } from "./api.ts";
import { stale } from "./request-actions.ts";

const listQuery = z.strictObject({
  ...paging,
  status: repeatable(REQUEST_STATUSES),
  requestor: filterText.optional().describe("exactly this requestor"),
  campaign: filterText.optional().describe("exactly this campaign"),
  name: filterText.optional().describe("a part of the name, at most 200 characters"),
});

export function requestRoutes(app: Api, { store, commands }: ApiPorts): void {
  const looks = new SharedLook<RequestPageView>();
  app.get(
    "/requests",
    reads("Requests, newest first", requestPageSchema, { querystring: listQuery }),
    async (request, reply) => {
      const { requestor, campaign, status, name } = request.query;
      const filters = given({ requestor, campaign, status: asList(status), nameContains: name });
      const look = async () => {
        const load = (page: { limit: number; cursor?: string }) => store.requests.list({ ...filters, ...page });
        return pageView(await loadPage(request, request.query, filters, load), requestRowView);
      };
      return linkNext(request, reply, await looks.ask(request.url, look));
    },
  );

  app.get(
    "/requests/:name",
    reads("One request: its spec, state, workflow and moves; its version is the ETag", requestDetailSchema, {
      params: nameParams,
    }),
    async ({ params: { name } }, reply) => {
      const [record, workflow, moves] = await Promise.all([
        found("request", name, store.requests.get(name)),
        store.workflows.forRequest(name),
        store.requests.transitions(name),
      ]);
      setVersion(reply, record.version);
      return requestDetailView(record, workflow, moves);
    },
  );

  app.get(
    "/requests/:name/transitions",
    reads("Every move of a request, with reason and actor", transitionsSchema, { params: nameParams }),
    async ({ params: { name } }) => {
      const moves = await store.requests.transitions(name);
      if (moves.length === 0) await found("request", name, store.requests.get(name));
      return { items: moves.map(transitionView) };
    },
  );

  app.get(
    "/requests/:name/plan",
    reads("What its first round would be, with the facts of this moment", planPreviewSchema, { params: nameParams }),
    async ({ params: { name }, patience }) =>
      planPreviewView(await found("request", name, commands.preview(name, patience))),
  );

  app.get(
    "/requests/:name/versions",
    reads("The chain of versions a request belongs to", versionsSchema, { params: nameParams }),
    async ({ params: { name } }) => {
      const newestFirst = (await store.requests.versions(name)).toReversed();
      const [current, ...versions] = await Promise.all(
        newestFirst.map(async (record) => versionView(record, await endReason(record))),
      );
      if (!current) throw notFound("request", name);
      return { current, versions };
    },
  );
  /** The reason of the move that ended it; null unless it failed or was aborted. */
  const endReason = async ({ spec, status }: RequestRecord): Promise<string | null> => {
    if (status !== "failed" && status !== "aborted") return null;
    const moves = await store.requests.transitions(spec.name);
    return moves.findLast((move) => move.to === status)?.reason ?? null;
  };

  app.get(
    "/requests/:name/outputs",
    reads("Merged files of finished work units", outputPageSchema, { params: nameParams, querystring: pageQuery }),
    async (request, reply) => {
      const { name } = request.params;
      const workflow = await store.workflows.forRequest(name);
      if (!workflow) {
        await found("request", name, store.requests.get(name));
        return { items: [], next_cursor: null };
      }
      return answerPage(request, reply, {}, (page) => store.units.outputs(workflow.id, page), outputView);
    },
  );
}

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
