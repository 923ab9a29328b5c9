import { z } from "zod";
import { WorldError } from "../../base/errors.ts";
import { plainText } from "../../base/plain-text.ts";
import { describeErrors } from "../../lifecycle/port.ts";
import {
  attemptPageSchema,
  attemptPageView,
  classifiedSchema,
  classifiedView,
  classifySchema,
  unclassifiedSchema,
  unclassifiedView,
} from "../../operations/attempts.ts";
import { errorsBodyView, errorsSchema } from "../../operations/errors.ts";
import { dryRunQuery, given, limitUpTo, nameParams, nameText, pageQuery, pagingUpTo } from "../../operations/inputs.ts";
import { linkNext, loadPage } from "../cursor.ts";
import type { ApiPorts } from "../ports.ts";
import { actErrors, found, notFound, ProblemsError, told } from "../problem.ts";
import { type Api, askedBy, reads, route, seenBy, setVersion } from "./api.ts";
import { changesOf } from "./request-actions.ts";

const attemptsQuery = z.strictObject({
  ...pagingUpTo(10_000, 200),
  unit: nameText.optional().describe("only of this work unit, like mg_000003"),
  node: z
    .string()
    .regex(/^[A-Za-z0-9][\w.-]{0,199}([/:][A-Za-z0-9][\w.-]{0,199})?$/, "not a node")
    .optional()
    .describe("only of this node, like proc_000021 or mg_000003/merge"),
});

/** The stories of nodes, what failed, and what failures mean. */
export function attemptRoutes(app: Api, { commands }: ApiPorts): void {
  app.get(
    "/requests/:name/attempts",
    reads("Every attempt of every node: newest round first, whole work units a page", attemptPageSchema, {
      params: nameParams,
      querystring: attemptsQuery,
    }),
    async (request, reply) => {
      const { name } = request.params;
      const { unit, node } = request.query;
      const filter = given({ unit, node });
      const page = await loadPage(request, request.query, filter, (page) =>
        found("request", name, commands.attempts(name, { ...filter, ...page })),
      );
      return linkNext(request, reply, attemptPageView(page));
    },
  );

  app.get(
    "/requests/:name/errors",
    reads("What failed in the present round; with Accept: text/plain as one screen of text", errorsSchema, {
      params: nameParams,
      querystring: z.strictObject({ width: limitUpTo(400, 120) }),
    }),
    async (request, reply) => {
      const { name } = request.params;
      const view = await found("request", name, commands.errors(name));
      if (!wantsText(request.headers.accept)) return errorsBodyView({ ...view, requestName: name });
      const text = plainText(`${describeErrors(view, request.query.width).join("\n")}\n`);
      return reply
        .type("text/plain; charset=utf-8")
        .serializer((words: unknown) => String(words))
        .send(text as never);
    },
  );

  app.get(
    "/requests/:name/unclassified",
    reads(
      "Failures no rule knows, with the ends of their logs: a person or an agent says what they mean",
      unclassifiedSchema,
      { params: nameParams, querystring: pageQuery },
    ),
    async (request, reply) => {
      const { name } = request.params;
      const page = await loadPage(request, request.query, {}, async ({ limit, cursor }) => {
        const offset = Number(cursor ?? 0);
        const part = await found("request", name, commands.unclassified(name, { offset, limit }));
        return { ...part, nextCursor: offset + limit < part.total ? String(offset + limit) : null };
      });
      return linkNext(request, reply, unclassifiedView(page));
    },
  );

  app.post(
    "/requests/:name/classify",
    route(
      "Classify failures as retry or fail, all of them or none; the last one sets the retries going",
      { 200: classifiedSchema, ...actErrors },
      { params: nameParams, querystring: dryRunQuery, body: classifySchema },
    ),
    async (request, reply) => {
      const { name } = request.params;
      const { reason = `classified by ${request.actor}` } = request.body;
      const items = request.body.items.map((item) => ({
        node: item.node,
        action: item.action,
        changes: changesOf(item),
        reason: item.reason ?? reason,
      }));
      const answer = await commands.classify(name, items, { ...askedBy(request), ...seenBy(request) });
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
          const code = answer.kind === "refused" ? "bad-request" : "conflict";
          throw new ProblemsError(code, name, `nothing was classified: ${told(answer.problems)}`, answer.problems);
        }
      }
    },
  );
}

/** Text for who asks for text and not for JSON as well. */
const wantsText = (accept: string | undefined): boolean =>
  accept?.includes("text/plain") === true && !accept.includes("json");
