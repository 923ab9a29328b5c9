import { z } from "zod";
import { DAG_STATUSES, type Dag } from "../../domain/dag.ts";
import { batchName, type DagId, type RequestName, type WorkflowId } from "../../domain/names.ts";
import { NODE_STATES, type NodeView } from "../../domain/run.ts";
import {
  dagDetailSchema,
  dagDetailView,
  dagPageSchema,
  dagView,
  type LogsView,
  logsSchema,
  nodePageSchema,
  nodeRowView,
  tallyUnits,
  unitPageSchema,
} from "../../operations/dags.ts";
import {
  asList,
  dagParams,
  given,
  idText,
  limitUpTo,
  nameText,
  paging,
  pagingUpTo,
  repeatable,
} from "../../operations/inputs.ts";
import { answerPage, slicePage } from "../cursor.ts";
import { SharedLook } from "../look-sharing.ts";
import { readLogs } from "../node-logs.ts";
import type { ApiPorts } from "../ports.ts";
import { found, itemErrors, notFound, usageError } from "../problem.ts";
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

const unit = nameText.optional().describe("a work unit, like mg_000000");
const node = nameText.optional().describe("a node within its unit, like proc_000000 or merge");
const manyPaging = pagingUpTo(10_000, 1000);
const logsQuery = z.strictObject({
  unit,
  node,
  cluster: z
    .string()
    .regex(/^\d{1,15}$/, "not an id")
    .optional()
    .describe("an attempt out of `clusters`; the newest when left out"),
  lines: limitUpTo(5000, 200),
});

/** What goes on inside a DAG, asked of the engine and of the submit directory when a person looks. */
export function nodeRoutes(app: Api, { store, engine }: ApiPorts): void {
  const looks = new SharedLook<readonly NodeView[]>();
  const loadDag = (id: DagId): Promise<Dag> => found("dag", id, store.dags.get(id));
  const loadNodes = async (id: DagId): Promise<readonly NodeView[]> => {
    const { submitDir, engineId } = await loadDag(id);
    const run = { dagId: id, submitDir, engineId, batchName: batchName(id), priority: 0 };
    return looks.ask(id, () => engine.nodes(run));
  };

  app.get(
    "/dags/:id/nodes",
    reads("The nodes of a DAG, live from the engine", nodePageSchema, {
      params: dagParams,
      querystring: z.strictObject({ ...manyPaging, state: repeatable(NODE_STATES), unit }),
    }),
    async (request, reply) => {
      const { state, unit } = request.query;
      const states = asList(state);
      const nodes = (await loadNodes(request.params.id)).filter(
        (node) => (unit === undefined || node.unit === unit) && (!states || states.includes(node.state)),
      );
      const by_state: Partial<Record<NodeView["state"], number>> = {};
      for (const node of nodes) by_state[node.state] = (by_state[node.state] ?? 0) + 1;
      const page = await slicePage(request, reply, { states, unit }, nodes, nodeRowView);
      return { ...page, total: nodes.length, by_state };
    },
  );

  app.get(
    "/dags/:id/units",
    reads("The work units of a DAG with their nodes counted, live from the engine", unitPageSchema, {
      params: dagParams,
      querystring: z.strictObject(manyPaging),
    }),
    async (request, reply) => {
      const units = tallyUnits(await loadNodes(request.params.id));
      return { ...(await slicePage(request, reply, {}, units, (unit) => unit)), total: units.length };
    },
  );

  app.get(
    "/dags/:id/logs",
    reads("Where the logs are; with unit and node, the end of what that node wrote", logsSchema, {
      params: dagParams,
      querystring: logsQuery,
    }),
    async (request): Promise<LogsView> => {
      const { unit, node } = request.query;
      if (unit === undefined && node !== undefined) {
        throw usageError("bad query", { path: "unit", message: "missing", allowed: "node needs its unit" });
      }
      const dag = await loadDag(request.params.id);
      const logs = await readLogs(dag.submitDir, request.query);
      if (!logs) throw notFound("dag", `${dag.id} with unit ${unit}`);
      return { dag_id: dag.id, submit_dir: dag.submitDir, unit: unit ?? null, node: node ?? null, ...logs };
    },
  );
}
