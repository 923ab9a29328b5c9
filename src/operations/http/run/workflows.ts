import type { workflows } from "../../workflows.ts";
import type { Runs } from "../call.ts";
import { found } from "../problem.ts";
import { workflowFields, workflowStatus } from "../views/workflow.ts";

export const workflowRuns: Runs<typeof workflows> = {
  async list(page, call) {
    const { items, nextCursor } = await call.page(page, {}, call.queries.workflows);
    return { items: items.map(workflowFields), nextCursor };
  },
  show: async ({ id }, { queries }) => workflowFields(await found("workflow", id, queries.workflow(id))),
  status: async ({ id }, { queries, ports }) =>
    workflowStatus(await found("workflow", id, queries.workflowStatus(id)), ports.clock.now()),
};
