import { join } from "node:path";
import { z } from "zod";
import type { Dag } from "../../domain/dag.ts";
import { batchName, type DagId } from "../../domain/names.ts";
import { NODE_STATES, type NodeView } from "../../domain/run.ts";
import { slicePage } from "../cursor.ts";
import { filesOfNode, listDagLogs, listUnitLogs, tailFile, unitDirectory } from "../node-logs.ts";
import type { ApiPorts } from "../ports.ts";
import { notFound, usageError } from "../problem.ts";
import { type LogsView, logsSchema, nodePageSchema, unitPageSchema } from "../schemas/dag.ts";
import { itemErrors } from "../schemas/problem.ts";
import { asList, idParams, limitUpTo, nameText, paging, repeatable } from "../schemas/query.ts";
import { SharedLook } from "../shared-look.ts";
import { nodeRowView, tallyUnits } from "../views/dag.ts";
import type { Api } from "./api.ts";

const tags = ["dags"];
const unit = nameText.optional().describe("a work unit, like mg_000000");
const node = nameText.optional().describe("a node within its unit, like proc_000000 or merge");
const nodesQuery = z.strictObject({
  limit: limitUpTo(10_000, 1000),
  cursor: paging.cursor,
  state: repeatable(NODE_STATES),
  unit,
});
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
  const loadDag = async (id: string): Promise<Dag> => {
    const dag = await store.dags.get(id as DagId);
    if (!dag) throw notFound("dag", id);
    return dag;
  };
  const loadNodes = async (id: string): Promise<readonly NodeView[]> => {
    const dag = await loadDag(id);
    const { submitDir, engineId } = dag;
    const run = { dagId: dag.id, submitDir, engineId, batchName: batchName(dag.id), priority: 0 };
    return looks.ask(dag.id, () => engine.nodes(run));
  };

  app.get(
    "/dags/:id/nodes",
    {
      schema: {
        tags,
        summary: "The nodes of a DAG, live from the engine",
        params: idParams,
        querystring: nodesQuery,
        response: { 200: nodePageSchema, ...itemErrors },
      },
    },
    async (request, reply) => {
      const { limit, cursor, state, unit } = request.query;
      const states = asList(state);
      const nodes = (await loadNodes(request.params.id)).filter(
        (node) => (unit === undefined || node.unit === unit) && (!states || states.includes(node.state)),
      );
      const by_state: Partial<Record<NodeView["state"], number>> = {};
      for (const node of nodes) by_state[node.state] = (by_state[node.state] ?? 0) + 1;
      const page = await slicePage(request, reply, { limit, cursor }, { states, unit }, nodes);
      return { ...page, items: page.items.map(nodeRowView), total: nodes.length, by_state };
    },
  );

  app.get(
    "/dags/:id/units",
    {
      schema: {
        tags,
        summary: "The work units of a DAG with their nodes counted, live from the engine",
        params: idParams,
        querystring: z.strictObject({ limit: limitUpTo(10_000, 1000), cursor: paging.cursor }),
        response: { 200: unitPageSchema, ...itemErrors },
      },
    },
    async (request, reply) => {
      const units = tallyUnits(await loadNodes(request.params.id));
      return { ...(await slicePage(request, reply, request.query, {}, units)), total: units.length };
    },
  );

  app.get(
    "/dags/:id/logs",
    {
      schema: {
        tags,
        summary: "Where the logs are; with unit and node, the end of what that node wrote",
        params: idParams,
        querystring: logsQuery,
        response: { 200: logsSchema, ...itemErrors },
      },
    },
    async (request): Promise<LogsView> => {
      const { unit, node, cluster, lines } = request.query;
      if (unit === undefined && node !== undefined) {
        throw usageError("bad query", { path: "unit", message: "missing", allowed: "node needs its unit" });
      }
      const dag = await loadDag(request.params.id);
      const about = { dag_id: dag.id, submit_dir: dag.submitDir, unit: unit ?? null, node: node ?? null };
      const noTails = { cluster: null, clusters: [], tails: [] };
      if (unit === undefined) return { ...about, ...noTails, files: await listDagLogs(dag.submitDir) };
      const directory = await unitDirectory(dag.submitDir, unit);
      if (directory === null) throw notFound("dag", `${dag.id} with unit ${unit}`);
      const files = await listUnitLogs(directory);
      if (node === undefined) return { ...about, ...noTails, files };
      const { own, clusters } = filesOfNode(files, node);
      const shown = cluster ?? clusters.at(-1) ?? null;
      const names = shown === null ? [] : [`${node}.${shown}.out`, `${node}.${shown}.err`];
      const tails = await Promise.all(
        [...names, "group.log"].map((name) => tailFile(join(directory, name), name, lines)),
      );
      return { ...about, files: own, cluster: shown, clusters, tails: tails.filter((tail) => tail !== null) };
    },
  );
}
