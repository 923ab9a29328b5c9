import { z } from "zod";
import type { WorkflowId } from "../../domain/names.ts";
import { answerPage } from "../cursor.ts";
import type { ApiPorts } from "../ports.ts";
import { notFound } from "../problem.ts";
import { itemErrors, readErrors } from "../schemas/problem.ts";
import { idParams, paging } from "../schemas/query.ts";
import { workflowPageSchema, workflowSchema, workflowStatusSchema } from "../schemas/workflow.ts";
import { workflowStatusView, workflowView } from "../views/workflow.ts";
import type { Api } from "./api.ts";

const tags = ["workflows"];

export function workflowRoutes(app: Api, { store, clock }: ApiPorts): void {
  app.get(
    "/workflows",
    {
      schema: {
        tags,
        summary: "Workflows, newest first",
        querystring: z.strictObject(paging),
        response: { 200: workflowPageSchema, ...readErrors },
      },
    },
    (request, reply) =>
      answerPage(request, reply, request.query, {}, (page) => store.workflows.list(page), workflowView),
  );

  app.get(
    "/workflows/:id",
    {
      schema: {
        tags,
        summary: "One workflow: counters, offsets and round",
        params: idParams,
        response: { 200: workflowSchema, ...itemErrors },
      },
    },
    async (request) => {
      const workflow = await store.workflows.get(request.params.id as WorkflowId);
      if (!workflow) throw notFound("workflow", request.params.id);
      return workflowView(workflow);
    },
  );

  app.get(
    "/workflows/:id/status",
    {
      schema: {
        tags,
        summary: "How far a workflow is: its DAG, blocks, files, and when it may be done",
        params: idParams,
        response: { 200: workflowStatusSchema, ...itemErrors },
      },
    },
    async (request) => {
      const id = request.params.id as WorkflowId;
      const workflow = await store.workflows.get(id);
      if (!workflow) throw notFound("workflow", id);
      const [dag, blocks, units, files] = await Promise.all([
        workflow.currentDagId ? store.dags.get(workflow.currentDagId) : null,
        store.units.blocks(id),
        store.units.countByStatus(id),
        store.files.countByState(id),
      ]);
      return workflowStatusView({ workflow, dag, blocks, units, files }, clock.now());
    },
  );
}
