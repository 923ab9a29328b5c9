import { pageQuery, workflowParams } from "../../operations/inputs.ts";
import {
  workflowPageSchema,
  workflowSchema,
  workflowStatusSchema,
  workflowStatusView,
  workflowView,
} from "../../operations/workflows.ts";
import { answerPage } from "../cursor.ts";
import type { ApiPorts } from "../ports.ts";
import { found } from "../problem.ts";
import { type Api, reads } from "./api.ts";

export function workflowRoutes(app: Api, { store, clock }: ApiPorts): void {
  app.get(
    "/workflows",
    reads("Workflows, newest first", workflowPageSchema, { querystring: pageQuery }),
    (request, reply) => answerPage(request, reply, {}, (page) => store.workflows.list(page), workflowView),
  );

  app.get(
    "/workflows/:id",
    reads("One workflow: counters, offsets and round", workflowSchema, { params: workflowParams }),
    async ({ params: { id } }) => workflowView(await found("workflow", id, store.workflows.get(id))),
  );

  app.get(
    "/workflows/:id/status",
    reads("How far a workflow is: its DAG, blocks, files, and when it may be done", workflowStatusSchema, {
      params: workflowParams,
    }),
    async ({ params: { id } }) => {
      const workflow = await found("workflow", id, store.workflows.get(id));
      const [dag, blocks, units, files, planWarnings] = await Promise.all([
        workflow.currentDagId ? store.dags.get(workflow.currentDagId) : null,
        store.units.blocks(id),
        store.units.countByStatus(id),
        store.files.countByState(id),
        store.dags.planWarnings(workflow),
      ]);
      return workflowStatusView({ workflow, dag, blocks, units, files, planWarnings }, clock.now());
    },
  );
}
