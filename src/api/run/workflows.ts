import type { workflows } from "../../operations/workflows.ts";
import type { Runs } from "../call.ts";
import type { RunPorts } from "../ports.ts";
import { found } from "../problem.ts";
import { workflowFields, workflowStatus } from "../views/workflow.ts";

export const workflowRuns = ({ queries, clock }: RunPorts): Runs<typeof workflows> => ({
  async list(page, call) {
    const { items, nextCursor } = await call.page(page, {}, queries.workflows);
    return { items: items.map(workflowFields), nextCursor };
  },
  show: async ({ id }) => workflowFields(await found("workflow", id, queries.workflow(id))),
  status: async ({ id }) => workflowStatus(await found("workflow", id, queries.workflowStatus(id)), clock.now()),
});
