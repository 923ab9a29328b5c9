import { z } from "zod";
import { WorldError } from "../../base/errors.ts";
import { answerPage } from "../cursor.ts";
import type { ApiPorts } from "../ports.ts";
import { notFound } from "../problem.ts";
import { acknowledgedSchema, alertPageSchema, reasonOnlySchema } from "../schemas/operators.ts";
import { changeErrors, readErrors } from "../schemas/problem.ts";
import { idParams, paging } from "../schemas/query.ts";
import { alertDetailView } from "../views/operators.ts";
import type { Api } from "./api.ts";

const tags = ["alerts"];

export function alertRoutes(app: Api, { store, commands }: ApiPorts): void {
  app.get(
    "/alerts",
    {
      schema: {
        tags,
        summary: "What people should know, newest first",
        querystring: z.strictObject({
          ...paging,
          state: z.enum(["open", "closed", "all"]).default("open").describe("open, closed or all"),
        }),
        response: { 200: alertPageSchema, ...readErrors },
      },
    },
    (request, reply) => {
      const { limit, cursor, state } = request.query;
      const filters = state === "all" ? {} : { open: state === "open" };
      const load = (page: { limit: number; cursor?: string }) => store.alerts.list({ ...filters, ...page });
      return answerPage(request, reply, { limit, cursor }, { state }, load, alertDetailView);
    },
  );

  app.post(
    "/alerts/:id/acknowledge",
    {
      schema: {
        tags,
        security: [{ operator: [] }],
        summary: "Somebody has seen it and takes care of it",
        params: idParams,
        body: reasonOnlySchema.prefault({}),
        response: { 200: acknowledgedSchema, ...changeErrors },
      },
    },
    async (request) => {
      const { id } = request.params;
      const answer = await commands.acknowledge(id, request.body.reason ?? "seen", request.actor);
      if (answer.kind === "unknown") throw notFound("alert", id);
      if (answer.kind === "closed") throw new WorldError("conflict", id, `alert ${id} is closed already`);
      return { ...alertDetailView(answer.alert), already: answer.kind === "already" };
    },
  );
}
