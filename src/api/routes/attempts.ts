import { z } from "zod";
import { WorldError } from "../../base/errors.ts";
import type { RequestName } from "../../domain/names.ts";
import { linkNext, listScope, openCursor, sealCursor } from "../cursor.ts";
import type { ApiPorts } from "../ports.ts";
import { notFound, ProblemsError } from "../problem.ts";
import { attemptPageSchema, classifiedSchema, classifySchema, unclassifiedSchema } from "../schemas/attempts.ts";
import { dryRunQuery } from "../schemas/operate.ts";
import { actErrors, itemErrors } from "../schemas/problem.ts";
import { limitUpTo, nameParams, nameText, paging } from "../schemas/query.ts";
import { attemptPageView, classifiedView, unclassifiedItemView } from "../views/attempts.ts";
import { type Api, seenBy, setVersion } from "./api.ts";
import { changesOf } from "./request-actions.ts";

const tags = ["requests"];
const attemptsQuery = z.strictObject({
  limit: limitUpTo(10_000, 200),
  cursor: paging.cursor,
  unit: nameText.optional().describe("only of this work unit, like mg_000003"),
  node: z
    .string()
    .regex(/^[A-Za-z0-9][\w.-]{0,199}([/:][A-Za-z0-9][\w.-]{0,199})?$/, "not a node")
    .optional()
    .describe("only of this node, like proc_000021 or mg_000003/merge"),
});

/** The stories of nodes, and what their failures mean. */
export function attemptRoutes(app: Api, { commands }: ApiPorts): void {
  app.get(
    "/requests/:name/attempts",
    {
      schema: {
        tags,
        summary: "Every attempt of every node: newest round first, whole work units a page",
        params: nameParams,
        querystring: attemptsQuery,
        response: { 200: attemptPageSchema, ...itemErrors },
      },
    },
    async (request, reply) => {
      const { limit, cursor, unit, node } = request.query;
      const filter = { ...(unit !== undefined && { unit }), ...(node !== undefined && { node }) };
      const scope = listScope(request, filter);
      const page = await commands.attempts(request.params.name as RequestName, {
        ...filter,
        limit,
        ...(cursor !== undefined && { cursor: openCursor(scope, cursor) }),
      });
      if (!page) throw notFound("request", request.params.name);
      const next = page.nextCursor === null ? null : sealCursor(scope, page.nextCursor);
      return linkNext(request, reply, attemptPageView(page, next));
    },
  );

  app.get(
    "/requests/:name/unclassified",
    {
      schema: {
        tags,
        summary: "Failures no rule knows, with the ends of their logs: a person or an agent says what they mean",
        params: nameParams,
        querystring: z.strictObject({ limit: limitUpTo(1000, 100), cursor: paging.cursor }),
        response: { 200: unclassifiedSchema, ...itemErrors },
      },
    },
    async (request, reply) => {
      const { limit, cursor } = request.query;
      const scope = listScope(request, {});
      const offset = cursor === undefined ? 0 : Number(openCursor(scope, cursor));
      const page = await commands.unclassified(request.params.name as RequestName, { offset, limit });
      if (!page) throw notFound("request", request.params.name);
      const to = offset + limit;
      const next_cursor = to < page.total ? sealCursor(scope, String(to)) : null;
      const items = page.items.map(unclassifiedItemView);
      return linkNext(request, reply, { total: page.total, open: page.open, items, next_cursor });
    },
  );

  app.post(
    "/requests/:name/classify",
    {
      schema: {
        tags,
        security: [{ operator: [] }],
        summary: "Classify failures as retry or fail, all of them or none; the last one sets the retries going",
        params: nameParams,
        querystring: dryRunQuery,
        body: classifySchema,
        response: { 200: classifiedSchema, ...actErrors },
      },
    },
    async (request, reply) => {
      const name = request.params.name as RequestName;
      const { items, reason = `classified by ${request.actor}` } = request.body;
      const dryRun = request.query.dry_run === "true" || request.body.dry_run === true;
      const answer = await commands.classify(
        name,
        items.map((item) => ({
          node: item.node,
          action: item.action,
          changes: changesOf(item),
          reason: item.reason ?? reason,
        })),
        { ...seenBy(request), dryRun },
      );
      switch (answer.kind) {
        case "done":
        case "would":
          setVersion(reply, answer.request.version);
          return classifiedView(answer);
        case "unknown-request":
          throw notFound("request", name);
        case "stale":
          throw new WorldError("stale", name, `request ${name} moved on meanwhile`);
        case "refused":
        case "conflict": {
          const words = answer.problems.map(({ path, message }) => `${path} ${message}`.trim()).join("; ");
          const code = answer.kind === "refused" ? "bad-request" : "conflict";
          throw new ProblemsError(code, name, `nothing was classified: ${words}`, answer.problems);
        }
      }
    },
  );
}
