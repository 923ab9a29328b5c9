import type { Dag, DagEvent } from "../../src/core/dag.ts";
import type { RequestRecord, Transition } from "../../src/core/request.ts";
import { unitsExpected, type Workflow } from "../../src/core/workflow.ts";
import { KINDS } from "../../src/kinds/table.ts";
import { actedFields } from "../../src/operations/http/run/actions.ts";
import { viewOf } from "../../src/operations/http/view-of.ts";
import { dagFields } from "../../src/operations/http/views/dag.ts";
import { howFarFields } from "../../src/operations/http/views/how-far.ts";
import { requestFields, requestRow, workFields } from "../../src/operations/http/views/request.ts";
import { workflowFields, workflowStatus } from "../../src/operations/http/views/workflow.ts";
import { OPERATIONS } from "../../src/operations/table.ts";
import type { RequestProgress } from "../../src/store/port.ts";
import { NOW, sampleProgress } from "./api-samples.ts";

/** What the API answers about sample values. */
const { requests, actions, workflows, dags } = OPERATIONS;

export const requestRowSchema = requests.list.answers[200].shape.items.element;
export const requestDetailSchema = requests.show.answers[200];

const row = viewOf(requestRowSchema);
export const requestRowView = (record: RequestRecord, progress: RequestProgress | null = null) =>
  row({ ...requestRow(record), ...howFarFields(record, progress, NOW) });

/** As the store would tell it of this workflow. */
const progressIn = (workflow: Workflow, { status }: RequestRecord): RequestProgress => {
  const { unitsPlanned: total, unitsDone: done, round } = workflow;
  const over = status === "active" ? {} : { running: 0, run: null };
  return sampleProgress({ total, done, round, expected: unitsExpected(workflow), ...over });
};

const detail = viewOf(requestDetailSchema);
export const requestDetailView = (
  record: RequestRecord,
  workflow: Workflow | null,
  statusTransitions: readonly Transition[],
) =>
  detail({
    ...requestFields(record),
    ...howFarFields(record, workflow && progressIn(workflow, record), NOW),
    work: workFields(record.spec.work, KINDS),
    workflow: workflow && workflowFields(workflow),
    imported: null,
    statusTransitions,
  });

const workflow = viewOf(workflows.show.answers[200]);
export const workflowView = (from: Workflow) => workflow(workflowFields(from));

const status = viewOf(workflows.status.answers[200]);
export const workflowStatusView = (...facts: Parameters<typeof workflowStatus>) => status(workflowStatus(...facts));

const dag = viewOf(dags.list.answers[200].shape.items.element);
export const dagView = (from: Dag) => dag(dagFields(from));

const dagDetail = viewOf(dags.show.answers[200]);
export const dagDetailView = (from: Dag, requestName: string | null, history: readonly DagEvent[]) =>
  dagDetail({ ...dagFields(from), requestName, history });

const acted = viewOf(actions.release.answers[200]);
export const actedView = (...facts: Parameters<typeof actedFields>) => acted(actedFields(...facts));
