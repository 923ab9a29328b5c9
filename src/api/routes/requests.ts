import { z } from "zod";
import type { RequestName } from "../../domain/names.ts";
import { REQUEST_STATUSES } from "../../domain/request-status.ts";
import { answerPage, linkNext, loadPage } from "../cursor.ts";
import type { ApiPorts } from "../ports.ts";
import { notFound } from "../problem.ts";
import { planPreviewSchema } from "../schemas/plan.ts";
import { itemErrors, readErrors } from "../schemas/problem.ts";
import { asList, filterText, nameParams, paging, repeatable } from "../schemas/query.ts";
import {
  type RequestPageView,
  requestDetailSchema,
  requestPageSchema,
  transitionsSchema,
  versionsSchema,
} from "../schemas/request.ts";
import { outputPageSchema } from "../schemas/workflow.ts";
import { SharedLook } from "../shared-look.ts";
import { loadVersions } from "../versions.ts";
import { planPreviewView } from "../views/plan.ts";
import { requestDetailView, requestRowView, transitionView, versionView } from "../views/request.ts";
import { outputView } from "../views/workflow.ts";
import { type Api, setVersion } from "./api.ts";

const tags = ["requests"];
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
    {
      schema: {
        tags,
        summary: "Requests, newest first",
        querystring: listQuery,
        response: { 200: requestPageSchema, ...readErrors },
      },
    },
    async (request, reply) => {
      const { limit, cursor, status, name, ...rest } = request.query;
      const states = asList(status);
      const filters = { ...rest, ...(states && { status: states }), ...(name !== undefined && { nameContains: name }) };
      const load = (page: { limit: number; cursor?: string }) => store.requests.list({ ...filters, ...page });
      const look = () => loadPage(request, { limit, cursor }, filters, load, requestRowView);
      return linkNext(request, reply, await looks.ask(request.url, look));
    },
  );

  app.get(
    "/requests/:name",
    {
      schema: {
        tags,
        summary: "One request: its spec, state, workflow and moves; its version is the ETag",
        params: nameParams,
        response: { 200: requestDetailSchema, ...itemErrors },
      },
    },
    async (request, reply) => {
      const name = request.params.name as RequestName;
      const [record, workflow, moves] = await Promise.all([
        store.requests.get(name),
        store.workflows.forRequest(name),
        store.requests.transitions(name),
      ]);
      if (!record) throw notFound("request", name);
      setVersion(reply, record.version);
      return requestDetailView(record, workflow, moves);
    },
  );

  app.get(
    "/requests/:name/transitions",
    {
      schema: {
        tags,
        summary: "Every move of a request, with reason and actor",
        params: nameParams,
        response: { 200: transitionsSchema, ...itemErrors },
      },
    },
    async (request) => {
      const name = request.params.name as RequestName;
      const moves = await store.requests.transitions(name);
      if (moves.length === 0 && !(await store.requests.get(name))) throw notFound("request", name);
      return { items: moves.map(transitionView) };
    },
  );

  app.get(
    "/requests/:name/plan",
    {
      schema: {
        tags,
        summary: "What its first round would be, with the facts of this moment",
        params: nameParams,
        response: { 200: planPreviewSchema, ...itemErrors },
      },
    },
    async (request) => {
      const preview = await commands.preview(request.params.name as RequestName);
      if (!preview) throw notFound("request", request.params.name);
      return planPreviewView(preview);
    },
  );

  app.get(
    "/requests/:name/versions",
    {
      schema: {
        tags,
        summary: "The chain of versions a request belongs to",
        params: nameParams,
        response: { 200: versionsSchema, ...itemErrors },
      },
    },
    async (request) => {
      const chain = await loadVersions(store.requests, request.params.name as RequestName);
      if (!chain) throw notFound("request", request.params.name);
      const [current, ...earlier] = chain.map(({ record, endedBecause }) => versionView(record, endedBecause));
      return { current: current!, versions: earlier };
    },
  );

  app.get(
    "/requests/:name/outputs",
    {
      schema: {
        tags,
        summary: "Merged files of finished work units",
        params: nameParams,
        querystring: z.strictObject(paging),
        response: { 200: outputPageSchema, ...itemErrors },
      },
    },
    async (request, reply) => {
      const name = request.params.name as RequestName;
      const workflow = await store.workflows.forRequest(name);
      if (!workflow && !(await store.requests.get(name))) throw notFound("request", name);
      if (!workflow) return { items: [], next_cursor: null };
      const load = (page: { limit: number; cursor?: string }) => store.units.outputs(workflow.id, page);
      return answerPage(request, reply, request.query, {}, load, outputView);
    },
  );
}
