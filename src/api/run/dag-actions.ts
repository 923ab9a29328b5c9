import type { FastifyReply } from "fastify";
import { z } from "zod";
import { WorldError } from "../../base/errors.ts";
import type { DagId } from "../../domain/names.ts";
import { actedSchema } from "../../operations/actions.ts";
import { type NodeActionView, nodeActionSchema, nodeActionView, retrySchema } from "../../operations/attempts.ts";
import { dagSchema, dagView } from "../../operations/dags.ts";
import { dagParams, dryRunQuery, nameText } from "../../operations/inputs.ts";
import { reasonOnlySchema } from "../../operations/operators.ts";
import type { ApiPorts } from "../ports.ts";
import { actErrors, changeErrors, found, notFound, ProblemsError } from "../problem.ts";
import { type Api, askedBy, route, seenBy } from "./api.ts";
import { acted, changesOf } from "./request-actions.ts";

const nodePlace = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]{0,199}(:[A-Za-z0-9][\w.-]{0,199})?$/, "not a node")
  .describe("a node like proc_000021, or with its unit: mg_000003:merge");
/** On a DAG it is the hand of its request that acts. */
const BY_REQUEST = { remove: "stop", rescue: "rescue" } as const;

export function dagActionRoutes(app: Api, { store, commands }: ApiPorts): void {
  const retry = async (
    request: { params: { id: DagId }; query: unknown; body: z.infer<typeof retrySchema>; actor: string },
    reply: FastifyReply,
    place: { unit: string | null; node: string },
  ): Promise<NodeActionView> => {
    const { id } = request.params;
    const { reason = `retry by ${request.actor}`, attempt = null, max_retries: maxRetries = null } = request.body;
    const wanted = { ...place, reason, changes: changesOf(request.body), attempt, maxRetries };
    const answer = await commands.retryNode(id, wanted, askedBy(request));
    switch (answer.kind) {
      case "reserved":
      case "already":
      case "would": {
        const { kind, action, requestName } = answer;
        reply.code(kind === "reserved" ? 202 : 200);
        return nodeActionView({ ...action, requestName, already: kind === "already", dryRun: kind === "would" });
      }
      case "unknown":
        throw new WorldError("not-found", id, `there is no ${answer.what}`, {
          hint: `see its nodes: GET /api/v1/dags/${id}/nodes`,
        });
      case "conflict":
      case "refused": {
        const words = answer.problems.map(({ message }) => message).join("; ");
        const code = answer.kind === "conflict" ? "conflict" : "bad-request";
        throw new ProblemsError(code, id, `no retry: ${words}`, answer.problems);
      }
    }
  };
  const retryRoute = <P extends z.ZodType>(params: P) =>
    route(
      "Reserve one more attempt of a failed node: atomic, idempotent; its request resubmits it",
      { 200: nodeActionSchema, 202: nodeActionSchema, ...actErrors },
      { params, querystring: dryRunQuery, body: retrySchema.prefault({}) },
    );

  app.post(
    "/dags/:id/nodes/:unit/:node/retry",
    retryRoute(dagParams.extend({ unit: nameText, node: nameText })),
    (request, reply) => retry(request, reply, { unit: request.params.unit, node: request.params.node }),
  );

  app.post("/dags/:id/nodes/:name/retry", retryRoute(dagParams.extend({ name: nodePlace })), (request, reply) => {
    const [first = "", second] = request.params.name.split(":");
    return retry(request, reply, second ? { unit: first, node: second } : { unit: null, node: first });
  });

  for (const verb of ["hold", "release"] as const) {
    app.post(
      `/dags/:id/${verb}`,
      route(
        verb === "hold" ? "Pause a DAG in the engine" : "Let a paused DAG go on",
        { 200: dagSchema, ...changeErrors },
        { params: dagParams, body: reasonOnlySchema.prefault({}) },
      ),
      async ({ params: { id }, body, actor }) => {
        const { reason = `${verb} by ${actor}, without a reason` } = body;
        const answer = await commands.changeDag(id, verb, reason, actor);
        if (answer.kind === "unknown-dag") throw notFound("dag", id);
        if (answer.kind === "not-allowed") throw new WorldError("conflict", id, answer.reason);
        return dagView(await found("dag", id, store.dags.get(id)));
      },
    );
  }

  for (const [verb, action] of Object.entries(BY_REQUEST)) {
    app.post(
      `/dags/:id/${verb}`,
      route(
        `The same as ${action} of its request`,
        { 200: actedSchema, 202: actedSchema, ...actErrors },
        { params: dagParams, querystring: dryRunQuery, body: reasonOnlySchema.prefault({}) },
      ),
      async (request, reply) => {
        const { id } = request.params;
        const dag = await store.dags.get(id);
        const workflow = dag && (await store.workflows.get(dag.workflowId));
        if (!workflow) throw notFound("dag", id);
        const { requestName, currentDagId } = workflow;
        if (currentDagId !== id) throw new WorldError("conflict", id, `${requestName} is at another DAG by now`);
        const { reason = `${verb} by ${request.actor}, without a reason` } = request.body;
        const by = { ...askedBy(request), ...seenBy(request) };
        return acted(reply, requestName, action, await commands.act(requestName, { action, reason }, by), by.dryRun);
      },
    );
  }
}
