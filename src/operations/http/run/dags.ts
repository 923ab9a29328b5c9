import { WorldError } from "../../../core/base/errors.ts";
import { inSlices } from "../../../core/base/slices.ts";
import { type JobState, shownNode } from "../../../core/job-state.ts";
import { type DagId, jobIndex, type RequestName, type UnitName, type WorkflowId } from "../../../core/names.ts";
import type { NodeChanges } from "../../../core/operator.ts";
import type { Operations } from "../../table.ts";
import type { Call, Run, Runs } from "../call.ts";
import { asList, given, slices } from "../cursor.ts";
import { found, notFound, ProblemsError, usageError } from "../problem.ts";
import { dagFields, nameRuns, tallyUnits } from "../views/dag.ts";
import { acted, changesOf } from "./actions.ts";

type Subject = Operations["dags"];
const NONE = { items: [], nextCursor: null };

const nodesOf = (id: DagId, { queries }: Call, unit?: UnitName) => found("dag", id, queries.nodes(id, unit));

/** One more attempt of a node; "mg_000003:merge" or a node whose unit nobody has to name. */
async function retry(
  id: DagId,
  place: { unit: string | null; node: string },
  body: Omit<Parameters<Run<Subject["retry"]>>[0], "id" | "name">,
  { commands, by, reply }: Call,
) {
  const { reason = `retry by ${by.actor}`, attempt = null, max_retries: maxRetries = null } = body;
  const answer = await commands.retryNode(id, { ...place, reason, changes: changesOf(body), attempt, maxRetries }, by);
  if (answer.kind === "unknown")
    throw new WorldError("not-found", id, `there is no ${answer.what}`, {
      hint: `see its nodes: GET /api/v1/dags/${id}/nodes`,
    });
  if ("problems" in answer) {
    const message = `no retry: ${answer.problems.map((problem) => problem.message).join("; ")}`;
    throw new ProblemsError(answer.kind === "conflict" ? "conflict" : "bad-request", id, message, answer.problems);
  }
  const { kind, action, requestName } = answer;
  reply.code(kind === "reserved" ? 202 : 200);
  const outcome = { requestName, already: kind === "already", dryRun: kind === "would" };
  return { id: null, appliedAt: null, ...action, changes: changesView(action.changes), ...outcome };
}

const inEngine =
  (verb: "hold" | "release"): Run<Subject["hold"]> =>
  async ({ id, reason = null }, { commands, queries, by }) => {
    const answer = await commands.changeDag(id, verb, reason ?? unexplained(verb, by.actor), by);
    if (answer.kind === "unknown-dag") throw notFound("dag", id);
    if (answer.kind === "not-allowed") throw new WorldError("conflict", id, answer.reason);
    return { ...dagFields(await found("dag", id, queries.dag(id))), dryRun: by.dryRun, message: answer.message };
  };

/** On a DAG it is the hand of its request that acts. */
const byRequest =
  (verb: string, action: "requeue" | "rescue"): Run<Subject["remove"]> =>
  async ({ id, reason = null }, call) => {
    const workflow = (await call.queries.dagDetail(id))?.workflow;
    if (!workflow) throw notFound("dag", id);
    const { requestName, currentDagId } = workflow;
    if (currentDagId !== id) throw new WorldError("conflict", id, `${requestName} is at another DAG by now`);
    const wanted = { action, reason: reason ?? unexplained(verb, call.actor) };
    const answer = await call.commands.act(requestName, wanted, { ...call.by, ...call.seen });
    return acted(call, requestName, action, answer);
  };

export const dagRuns: Runs<Subject> = {
  async list({ workflow_id, status, request, ...page }, call) {
    const name = request as RequestName | undefined;
    const own = name === undefined ? null : await call.queries.workflowOf(name);
    if (name !== undefined && own === null) throw notFound("request", name);
    if (own === undefined || (own && workflow_id && own.id !== workflow_id)) return NONE;
    const workflowId = own?.id ?? (workflow_id as WorkflowId | undefined);
    const filters = given({ workflowId, status: asList(status) });
    const load = (wanted: { limit: number; cursor?: string }) => call.queries.dags({ ...filters, ...wanted });
    const { items, nextCursor } = await call.page(page, filters, load);
    return { items: items.map(dagFields), nextCursor };
  },

  async show({ id }, { queries }) {
    const { dag, workflow, history } = await found("dag", id, queries.dagDetail(id));
    return { ...dagFields(dag), requestName: workflow?.requestName ?? null, history };
  },

  async nodes({ id, state, unit, ...page }, call) {
    const states = asList(state);
    const nodes = (await nodesOf(id, call, unit as UnitName | undefined)).nodes
      .map(shownNode)
      .filter((node) => (unit === undefined || node.unit === unit) && (!states || states.includes(node.state)));
    const byState: Partial<Record<JobState, number>> = {};
    for (const node of nodes) byState[node.state] = (byState[node.state] ?? 0) + 1;
    return { ...(await call.page(page, { states, unit }, slices(nodes))), total: nodes.length, byState };
  },

  async units({ id, ...page }, call) {
    const { nodes, recorded } = await nodesOf(id, call);
    const units = await inSlices(tallyUnits(nodes, recorded));
    return { ...(await call.page(page, {}, slices(units))), total: units.length };
  },

  /** Names as runs of numbers, whatever else as short arrays. */
  map: ({ id, as }, call) =>
    call.shared(async () => {
      const map = await found("dag", id, call.commands.unitMap(id, new Set(asList(as) ?? ["states"])));
      return { ...map, total: map.names.length, runs: nameRuns(map.names) };
    }),

  async unit({ id, unit: named }, { queries }) {
    const { submitDir } = await found("dag", id, queries.dag(id));
    const unit = (await queries.unitNamed(submitDir, named)) as UnitName;
    const live = await found("dag", id, queries.nodes(id, unit));
    const nodes = live.nodes.filter((node) => node.unit === unit);
    if (nodes.length === 0) throw notFound("dag", `${id} with unit ${unit}`);
    const graph = await queries.unitGraph(submitDir, unit);
    return { dagId: id, unit, nodes: nodes.map(shownNode), edges: graph?.edges ?? [] };
  },

  async logs({ id, unit: named = null, node: within = null, cluster, lines }, { queries }) {
    const { submitDir } = await found("dag", id, queries.dag(id));
    const whole = named ?? within;
    const unit = whole === null ? null : await queries.unitNamed(submitDir, whole);
    if (named === null && unit !== null && jobIndex(unit) === null)
      throw usageError("bad query", {
        path: "unit",
        message: `say in which work unit ${within} is`,
        allowed: "mg_000000, with node; a job of a graph needs none",
      });
    // A job of a graph is the only node of its unit.
    const node = unit !== null && jobIndex(unit) !== null ? unit : within;
    const logs = await queries.logs(submitDir, { unit, node, cluster, lines });
    if (!logs) throw notFound("dag", `${id} with unit ${unit}`);
    return { dagId: id, submitDir, unit, node, ...logs };
  },

  retryInUnit: ({ id, unit, node, ...body }, call) => retry(id, { unit, node }, body, call),
  retry({ id, name, ...body }, call) {
    const [first = "", second] = name.split(":");
    return retry(id, second ? { unit: first, node: second } : { unit: null, node: first }, body, call);
  },
  hold: inEngine("hold"),
  release: inEngine("release"),
  remove: byRequest("remove", "requeue"),
  rescue: byRequest("rescue", "rescue"),
};

const unexplained = (verb: string, actor: string): string => `${verb} by ${actor}, without a reason`;

/** Those that are there, by the names of the API. */
const changesView = ({ memoryMb, wallMinutes, sites }: NodeChanges) =>
  given({ memory_mb: memoryMb, wall_minutes: wallMinutes, sites });
