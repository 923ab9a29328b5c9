import type { ApiPorts } from "../ports.ts";
import { changeErrors, readErrors } from "../schemas/problem.ts";
import { admissionConfigSchema, queueSchema } from "../schemas/system.ts";
import { queueView } from "../views/system.ts";
import type { Api } from "./api.ts";

const tags = ["admission"];

export function admissionRoutes(app: Api, { commands }: ApiPorts): void {
  app.get(
    "/admission/queue",
    { schema: { tags, summary: "Who waits, at which place and why", response: { 200: queueSchema, ...readErrors } } },
    async () => queueView(await commands.queue()),
  );

  app.get(
    "/admission/config",
    { schema: { tags, summary: "The limits in force", response: { 200: admissionConfigSchema, ...readErrors } } },
    async () => ({ max_active_dags: (await commands.queue()).limits.maxActive }),
  );

  app.patch(
    "/admission/config",
    {
      schema: {
        tags,
        security: [{ operator: [] }],
        summary: "Change the limits; they are kept over restarts",
        body: admissionConfigSchema,
        response: { 200: admissionConfigSchema, ...changeErrors },
      },
    },
    async (request) => {
      const limits = await commands.setAdmission({ maxActive: request.body.max_active_dags }, request.actor);
      return { max_active_dags: limits.maxActive };
    },
  );
}
