import { WorldError } from "../../../core/base/errors.ts";
import type { alerts, audit, tokens } from "../../operators.ts";
import type { Runs } from "../call.ts";
import { given } from "../cursor.ts";
import { notFound } from "../problem.ts";

export const alertRuns: Runs<typeof alerts> = {
  async list({ state, ...page }, call) {
    const filters = state === "all" ? {} : { open: state === "open" };
    const [alerts, counts] = await Promise.all([
      call.page(page, { state }, (wanted) => call.queries.alerts({ ...filters, ...wanted })),
      call.queries.openAlerts(),
    ]);
    return { ...alerts, ...counts };
  },
  async acknowledge({ id, reason = "seen" }, { commands, actor }) {
    const answer = await commands.acknowledge(id, reason, actor);
    if (answer.kind === "unknown") throw notFound("alert", id);
    if (answer.kind === "closed") throw new WorldError("conflict", id, `alert ${id} is closed already`);
    return { ...answer.alert, already: answer.kind === "already" };
  },
};

export const auditRuns: Runs<typeof audit> = {
  list({ subject, ...page }, call) {
    const filters = given({ subject });
    return call.page(page, filters, (wanted) => call.queries.audit({ ...filters, ...wanted }));
  },
};

export const tokenRuns: Runs<typeof tokens> = {
  list: async (_, { ports }) => ({ items: await ports.tokens.list() }),
  async add({ name }, { ports, actor, reply }) {
    const made = await ports.tokens.add(name, actor);
    reply.code(201);
    return made;
  },
  remove: async ({ id }, { ports, actor }) => ({ items: [await ports.tokens.remove(id, actor)] }),
};
