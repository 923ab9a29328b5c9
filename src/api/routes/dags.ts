import { z } from "zod";
import { DAG_STATUSES } from "../../domain/dag.ts";
import type { DagId, RequestName, WorkflowId } from "../../domain/names.ts";
import { answerPage } from "../cursor.ts";
import type { ApiPorts } from "../ports.ts";
import { notFound } from "../problem.ts";
import { dagDetailSchema, dagPageSchema } from "../schemas/dag.ts";
import { itemErrors } from "../schemas/problem.ts";
import { asList, idParams, idText, nameText, paging, repeatable } from "../schemas/query.ts";
import { dagDetailView, dagView } from "../views/dag.ts";
import type { Api } from "./api.ts";

const tags = ["dags"];
const listQuery = z.strictObject({
  ...paging,
  status: repeatable(DAG_STATUSES),
  workflow_id: idText.optional().describe("only DAGs of this workflow: its id"),
  request: nameText.optional().describe("only DAGs of this request: its name"),
});

export function dagRoutes(app: Api, { store }: ApiPorts): void {
  app.get(
    "/dags",
    {
      schema: {
        tags,
        summary: "DAGs, newest first",
        querystring: listQuery,
        response: { 200: dagPageSchema, ...itemErrors },
      },
    },
    async (request, reply) => {
      const { limit, cursor, request: name, workflow_id, status } = request.query;
      const own = name === undefined ? null : await store.workflows.forRequest(name as RequestName);
      if (name !== undefined && !own) {
        if (await store.requests.get(name as RequestName)) return { items: [], next_cursor: null };
        throw notFound("request", name);
      }
      if (own && workflow_id && own.id !== workflow_id) return { items: [], next_cursor: null };
      const workflowId = own?.id ?? (workflow_id as WorkflowId | undefined);
      const states = asList(status);
      const filters = { ...(workflowId && { workflowId }), ...(states && { status: states }) };
      const load = (page: { limit: number; cursor?: string }) => store.dags.list({ ...filters, ...page });
      return answerPage(request, reply, { limit, cursor }, filters, load, dagView);
    },
  );

  app.get(
    "/dags/:id",
    {
      schema: {
        tags,
        summary: "One DAG: its numbers and its history",
        params: idParams,
        response: { 200: dagDetailSchema, ...itemErrors },
      },
    },
    async (request) => {
      const dag = await store.dags.get(request.params.id as DagId);
      if (!dag) throw notFound("dag", request.params.id);
      const [workflow, history] = await Promise.all([store.workflows.get(dag.workflowId), store.dags.history(dag.id)]);
      return dagDetailView(dag, workflow?.requestName ?? null, history);
    },
  );
}
