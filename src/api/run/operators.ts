import { WorldError } from "../../base/errors.ts";
import type { alerts, audit, tokens } from "../../operations/operators.ts";
import type { Runs } from "../call.ts";
import { given } from "../cursor.ts";
import type { RunPorts } from "../ports.ts";
import { notFound } from "../problem.ts";

export const alertRuns = ({ queries, commands }: RunPorts): Runs<typeof alerts> => ({
  list: ({ state, ...page }, call) => {
    const filters = state === "all" ? {} : { open: state === "open" };
    return call.page(page, { state }, (wanted) => queries.alerts({ ...filters, ...wanted }));
  },
  async acknowledge({ id, reason = "seen" }, { actor }) {
    const answer = await commands.acknowledge(id, reason, actor);
    if (answer.kind === "unknown") throw notFound("alert", id);
    if (answer.kind === "closed") throw new WorldError("conflict", id, `alert ${id} is closed already`);
    return { ...answer.alert, already: answer.kind === "already" };
  },
});

export const auditRuns = ({ queries }: RunPorts): Runs<typeof audit> => ({
  list: ({ subject, ...page }, call) => {
    const filters = given({ subject });
    return call.page(page, filters, (wanted) => queries.audit({ ...filters, ...wanted }));
  },
});

export const tokenRuns = ({ tokens: kept }: RunPorts): Runs<typeof tokens> => ({
  list: async () => ({ items: await kept.list() }),
  async add({ name }, { actor, reply }) {
    const made = await kept.add(name, actor);
    reply.code(201);
    return made;
  },
  remove: async ({ id }, { actor }) => ({ items: [await kept.remove(id, actor)] }),
});
