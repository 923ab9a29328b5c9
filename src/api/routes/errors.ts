import { z } from "zod";
import type { RequestName } from "../../domain/names.ts";
import { describeErrors } from "../../lifecycle/port.ts";
import type { ApiPorts } from "../ports.ts";
import { notFound } from "../problem.ts";
import { errorsSchema } from "../schemas/errors.ts";
import { itemErrors } from "../schemas/problem.ts";
import { limitUpTo, nameParams } from "../schemas/query.ts";
import { errorsBodyView } from "../views/errors.ts";
import type { Api } from "./api.ts";

export function errorRoutes(app: Api, { commands }: ApiPorts): void {
  app.get(
    "/requests/:name/errors",
    {
      schema: {
        tags: ["requests"],
        summary: "What failed in the present round; with Accept: text/plain as one screen of text",
        params: nameParams,
        querystring: z.strictObject({ width: limitUpTo(400, 120) }),
        response: { 200: errorsSchema, ...itemErrors },
      },
    },
    async (request, reply) => {
      const { name } = request.params;
      const view = await commands.errors(name as RequestName);
      if (!view) throw notFound("request", name);
      if (!wantsText(request.headers.accept)) return errorsBodyView(name, view);
      const text = `${describeErrors(view, request.query.width).join("\n")}\n`;
      return reply
        .type("text/plain; charset=utf-8")
        .serializer((words: unknown) => String(words))
        .send(text as never);
    },
  );
}

/** Text for who asks for text and not for JSON as well. */
const wantsText = (accept: string | undefined): boolean =>
  accept?.includes("text/plain") === true && !accept.includes("json");
