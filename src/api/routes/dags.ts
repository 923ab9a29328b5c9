import { z } from "zod";
import { DAG_STATUSES } from "../../domain/dag.ts";
import type { RequestName, WorkflowId } from "../../domain/names.ts";
import { answerPage } from "../cursor.ts";
import type { ApiPorts } from "../ports.ts";
import { found, itemErrors } from "../problem.ts";
import { asList, dagParams, given, idText, nameText, paging, repeatable } from "../query.ts";
import { dagDetailSchema, dagDetailView, dagPageSchema, dagView } from "../views/dag.ts";
import { type Api, reads, route } from "./api.ts";

const listQuery = z.strictObject({
  ...paging,
  status: repeatable(DAG_STATUSES),
  workflow_id: idText.optional().describe("only DAGs of this workflow: its id"),
  request: nameText.optional().describe("only DAGs of this request: its name"),
});
const NONE = { items: [], next_cursor: null };

export function dagRoutes(app: Api, { store }: ApiPorts): void {
  app.get(
    "/dags",
    route("DAGs, newest first", { 200: dagPageSchema, ...itemErrors }, { querystring: listQuery }),
    async (request, reply) => {
      const { workflow_id, status } = request.query;
      const name = request.query.request as RequestName | undefined;
      const own = name === undefined ? null : await store.workflows.forRequest(name);
      if (name !== undefined && !own) {
        await found("request", name, store.requests.get(name));
        return NONE;
      }
      if (own && workflow_id && own.id !== workflow_id) return NONE;
      const workflowId = own?.id ?? (workflow_id as WorkflowId | undefined);
      const filters = given({ workflowId, status: asList(status) });
      return answerPage(request, reply, filters, (page) => store.dags.list({ ...filters, ...page }), dagView);
    },
  );

  app.get(
    "/dags/:id",
    reads("One DAG: its numbers and its history", dagDetailSchema, { params: dagParams }),
    async ({ params: { id } }) => {
      const dag = await found("dag", id, store.dags.get(id));
      const [workflow, history] = await Promise.all([store.workflows.get(dag.workflowId), store.dags.history(dag.id)]);
      return dagDetailView(dag, workflow?.requestName ?? null, history);
    },
  );
}
