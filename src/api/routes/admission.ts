import type { ApiPorts } from "../ports.ts";
import { changeErrors } from "../problem.ts";
import { admissionConfigSchema, queueSchema, queueView } from "../views/system.ts";
import { type Api, reads, route } from "./api.ts";

export function admissionRoutes(app: Api, { commands }: ApiPorts): void {
  app.get("/admission/queue", reads("Who waits, at which place and why", queueSchema), async () =>
    queueView(await commands.queue()),
  );

  app.get("/admission/config", reads("The limits in force", admissionConfigSchema), async () => ({
    max_active_dags: (await commands.queue()).limits.maxActive,
  }));

  app.patch(
    "/admission/config",
    route(
      "Change the limits; they are kept over restarts",
      { 200: admissionConfigSchema, ...changeErrors },
      { body: admissionConfigSchema },
    ),
    async ({ body, actor }) => {
      const limits = await commands.setAdmission({ maxActive: body.max_active_dags }, actor);
      return { max_active_dags: limits.maxActive };
    },
  );
}
