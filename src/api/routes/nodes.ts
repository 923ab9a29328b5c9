import { join } from "node:path";
import { z } from "zod";
import type { Dag } from "../../domain/dag.ts";
import { batchName, type DagId } from "../../domain/names.ts";
import { NODE_STATES, type NodeView } from "../../domain/run.ts";
import { slicePage } from "../cursor.ts";
import { filesOfNode, listDagLogs, listUnitLogs, tailFile, unitDirectory } from "../node-logs.ts";
import type { ApiPorts } from "../ports.ts";
import { found, notFound, usageError } from "../problem.ts";
import { asList, dagParams, limitUpTo, nameText, pagingUpTo, repeatable } from "../query.ts";
import { SharedLook } from "../shared-look.ts";
import { type LogsView, logsSchema, nodePageSchema, nodeRowView, tallyUnits, unitPageSchema } from "../views/dag.ts";
import { type Api, reads } from "./api.ts";

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
