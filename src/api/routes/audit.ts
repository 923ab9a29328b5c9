import { z } from "zod";
import type { RequestName } from "../../domain/names.ts";
import { answerPage } from "../cursor.ts";
import type { ApiPorts } from "../ports.ts";
import { notFound } from "../problem.ts";
import { auditPageSchema } from "../schemas/operators.ts";
import { itemErrors, readErrors } from "../schemas/problem.ts";
import { nameParams, nameText, paging } from "../schemas/query.ts";
import { auditView } from "../views/operators.ts";
import type { Api } from "./api.ts";

type PageOf = { limit: number; cursor?: string };

/** Who did what to what, when and why. */
export function auditRoutes(app: Api, { store }: ApiPorts): void {
  app.get(
    "/audit",
    {
      schema: {
        tags: ["system"],
        summary: "What people did, and what the program did about sites; newest first",
        querystring: z.strictObject({
          ...paging,
          subject: nameText.optional().describe("only of this request or site"),
        }),
        response: { 200: auditPageSchema, ...readErrors },
      },
    },
    (request, reply) => {
      const { limit, cursor, subject } = request.query;
      const filters = subject === undefined ? {} : { subject };
      const load = (page: PageOf) => store.audit.list({ ...filters, ...page });
      return answerPage(request, reply, { limit, cursor }, filters, load, auditView);
    },
  );

  app.get(
    "/requests/:name/audit",
    {
      schema: {
        tags: ["requests"],
        summary: "What people did to a request, newest first",
        params: nameParams,
        querystring: z.strictObject(paging),
        response: { 200: auditPageSchema, ...itemErrors },
      },
    },
    async (request, reply) => {
      const subject = request.params.name;
      if (!(await store.requests.get(subject as RequestName))) throw notFound("request", subject);
      const load = (page: PageOf) => store.audit.list({ subject, ...page });
      return answerPage(request, reply, request.query, {}, load, auditView);
    },
  );
}
