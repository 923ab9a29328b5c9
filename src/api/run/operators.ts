import { z } from "zod";
import { WorldError } from "../../base/errors.ts";
import { given, idParams, nameParams, nameText, pageQuery, paging } from "../../operations/inputs.ts";
import {
  acknowledgedSchema,
  alertPageSchema,
  alertView,
  auditPageSchema,
  auditView,
  reasonOnlySchema,
} from "../../operations/operators.ts";
import { answerPage } from "../cursor.ts";
import type { ApiPorts } from "../ports.ts";
import { changeErrors, found, notFound } from "../problem.ts";
import { type Api, reads, route } from "./api.ts";

export function alertRoutes(app: Api, { store, commands }: ApiPorts): void {
  const state = z.enum(["open", "closed", "all"]).default("open").describe("open, closed or all");
  app.get(
    "/alerts",
    reads("What people should know, newest first", alertPageSchema, {
      querystring: z.strictObject({ ...paging, state }),
    }),
    (request, reply) => {
      const { state } = request.query;
      const filters = state === "all" ? {} : { open: state === "open" };
      return answerPage(request, reply, { state }, (page) => store.alerts.list({ ...filters, ...page }), alertView);
    },
  );

  app.post(
    "/alerts/:id/acknowledge",
    route(
      "Somebody has seen it and takes care of it",
      { 200: acknowledgedSchema, ...changeErrors },
      { params: idParams, body: reasonOnlySchema.prefault({}) },
    ),
    async (request) => {
      const { id } = request.params;
      const answer = await commands.acknowledge(id, request.body.reason ?? "seen", request.actor);
      if (answer.kind === "unknown") throw notFound("alert", id);
      if (answer.kind === "closed") throw new WorldError("conflict", id, `alert ${id} is closed already`);
      return { ...alertView(answer.alert), already: answer.kind === "already" };
    },
  );
}

/** Who did what to what, when and why. */
export function auditRoutes(app: Api, { store }: ApiPorts): void {
  const subject = nameText.optional().describe("only of this request or site");
  app.get(
    "/audit",
    reads("What people did, and what the program did about sites; newest first", auditPageSchema, {
      querystring: z.strictObject({ ...paging, subject }),
    }),
    (request, reply) => {
      const filters = given({ subject: request.query.subject });
      return answerPage(request, reply, filters, (page) => store.audit.list({ ...filters, ...page }), auditView);
    },
  );

  app.get(
    "/requests/:name/audit",
    reads("What people did to a request, newest first", auditPageSchema, {
      params: nameParams,
      querystring: pageQuery,
    }),
    async (request, reply) => {
      const { name: subject } = request.params;
      await found("request", subject, store.requests.get(subject));
      return answerPage(request, reply, {}, (page) => store.audit.list({ subject, ...page }), auditView);
    },
  );
}
