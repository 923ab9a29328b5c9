import type { FastifyReply } from "fastify";
import { z } from "zod";
import { WorldError } from "../../base/errors.ts";
import type { DagId } from "../../domain/names.ts";
import type { RetryAnswer } from "../../lifecycle/port.ts";
import type { ApiPorts } from "../ports.ts";
import { notFound, ProblemsError } from "../problem.ts";
import { type NodeActionView, nodeActionSchema, retrySchema } from "../schemas/attempts.ts";
import { dagSchema } from "../schemas/dag.ts";
import { actedSchema, dryRunQuery } from "../schemas/operate.ts";
import { reasonOnlySchema } from "../schemas/operators.ts";
import { actErrors, changeErrors } from "../schemas/problem.ts";
import { idParams, idText, nameText } from "../schemas/query.ts";
import { nodeActionView } from "../views/attempts.ts";
import { dagView } from "../views/dag.ts";
import { type Api, seenBy } from "./api.ts";
import { acted, changesOf } from "./request-actions.ts";

const tags = ["dags"];
const security = [{ operator: [] }];
const unitParams = z.strictObject({ id: idText, unit: nameText, node: nameText });
const nodeParams = z.strictObject({
  id: idText,
  name: z
    .string()
    .regex(/^[A-Za-z0-9][\w.-]{0,199}(:[A-Za-z0-9][\w.-]{0,199})?$/, "not a node")
    .describe("a node like proc_000021, or with its unit: mg_000003:merge"),
});
/** On a DAG it is the hand of its request that acts. */
const BY_REQUEST = { remove: "stop", rescue: "rescue" } as const;

export function dagActionRoutes(app: Api, { store, commands }: ApiPorts): void {
  const retry = async (
    request: {
      params: { id: string };
      query: { dry_run?: string | undefined };
      body: z.infer<typeof retrySchema>;
      actor: string;
    },
    reply: FastifyReply,
    place: { unit: string | null; node: string },
  ): Promise<NodeActionView> => {
    const { reason = `retry by ${request.actor}`, attempt, max_retries, dry_run } = request.body;
    const dryRun = request.query.dry_run === "true" || dry_run === true;
    const answer = await commands.retryNode(
      request.params.id as DagId,
      { ...place, reason, changes: changesOf(request.body), attempt: attempt ?? null, maxRetries: max_retries ?? null },
      { actor: request.actor, dryRun },
    );
    return retried(reply, answer, request.params.id);
  };
  const schema = {
    tags,
    security,
    summary: "Reserve one more attempt of a failed node: atomic, idempotent; its request resubmits it",
    querystring: dryRunQuery,
    body: retrySchema.prefault({}),
    response: { 200: nodeActionSchema, 202: nodeActionSchema, ...actErrors },
  };

  app.post("/dags/:id/nodes/:unit/:node/retry", { schema: { ...schema, params: unitParams } }, (request, reply) =>
    retry(request, reply, { unit: request.params.unit, node: request.params.node }),
  );

  app.post("/dags/:id/nodes/:name/retry", { schema: { ...schema, params: nodeParams } }, (request, reply) => {
    const [first = "", second] = request.params.name.split(":");
    return retry(request, reply, second ? { unit: first, node: second } : { unit: null, node: first });
  });

  for (const verb of ["hold", "release"] as const) {
    app.post(
      `/dags/:id/${verb}`,
      {
        schema: {
          tags,
          security,
          summary: verb === "hold" ? "Pause a DAG in the engine" : "Let a paused DAG go on",
          params: idParams,
          body: reasonOnlySchema.prefault({}),
          response: { 200: dagSchema, ...changeErrors },
        },
      },
      async (request) => {
        const id = request.params.id as DagId;
        const reason = request.body.reason ?? `${verb} by ${request.actor}, without a reason`;
        const answer = await commands.changeDag(id, verb, reason, request.actor);
        const dag = answer.kind === "unknown-dag" ? null : await store.dags.get(id);
        if (!dag) throw notFound("dag", id);
        if (answer.kind === "not-allowed") throw new WorldError("conflict", id, answer.reason);
        return dagView(dag);
      },
    );
  }

  for (const [verb, action] of Object.entries(BY_REQUEST)) {
    app.post(
      `/dags/:id/${verb}`,
      {
        schema: {
          tags,
          security,
          summary: `The same as ${action} of its request`,
          params: idParams,
          querystring: dryRunQuery,
          body: reasonOnlySchema.prefault({}),
          response: { 200: actedSchema, 202: actedSchema, ...actErrors },
        },
      },
      async (request, reply) => {
        const { id } = request.params;
        const dag = await store.dags.get(id as DagId);
        const workflow = dag && (await store.workflows.get(dag.workflowId));
        if (!workflow) throw notFound("dag", id);
        if (workflow.currentDagId !== id)
          throw new WorldError("conflict", id, `${workflow.requestName} is at another DAG by now`);
        const name = workflow.requestName;
        const reason = request.body.reason ?? `${verb} by ${request.actor}, without a reason`;
        const dryRun = request.query.dry_run === "true";
        const answer = await commands.act(name, { action, reason }, { ...seenBy(request), dryRun });
        return acted(reply, name, action, answer, dryRun);
      },
    );
  }
}

function retried(reply: FastifyReply, answer: RetryAnswer, id: string): NodeActionView {
  switch (answer.kind) {
    case "reserved":
    case "already":
    case "would": {
      reply.code(answer.kind === "reserved" ? 202 : 200);
      const flags = { already: answer.kind === "already", dry_run: answer.kind === "would" };
      return nodeActionView(answer.action, answer.requestName, flags);
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
}
