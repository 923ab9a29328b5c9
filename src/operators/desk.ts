import type { RequestName } from "../domain/names.ts";
import { filterOf, suggestForCause } from "../explain/suggest-cause.ts";
import type { Work } from "../lifecycle/ports.ts";
import { loadQueue } from "../lifecycle/queue.ts";
import { OPERATOR_ACTIONS } from "../recovery/round/actions.ts";
import { codeName, meaningOf } from "../recovery/round/tally.ts";
import { act } from "./act.ts";
import type { DeskCommands } from "./desk-port.ts";
import { unitMap } from "./unit-map.ts";

/** What only looks, for the operator's desk. */
export const deskCommands = (ports: Work): DeskCommands => ({
  async causes(filter) {
    const { desk } = ports.store;
    const [rows, lookedAt] = await Promise.all([desk.causes(filter), desk.oldestLook()]);
    const causes = rows.map((row) => ({
      ...row,
      codeName: codeName(row.exitCode, row.cause),
      meaning: meaningOf(row.exitCode, row.rule, row.cause),
      suggestion: suggestForCause(row),
      filter: filterOf(row),
    }));
    return { causes, lookedAt };
  },

  async actionsOf(name) {
    const request = await ports.store.requests.get(name);
    if (!request) return null;
    const asked = OPERATOR_ACTIONS.map(async (action) => {
      const seen = { actor: "", version: null, dryRun: true };
      return { action, answer: await act(ports, name, { action, reason: "…" }, seen) };
    });
    return { request, choices: await Promise.all(asked) };
  },

  unitMap: (id, paints) => unitMap(ports, id, paints),

  async queueIf(priorities) {
    const { records, ...queue } = await loadQueue(ports, priorities);
    const queued = new Set<RequestName>(records.map(({ spec }) => spec.name));
    return [...priorities.keys()].every((name) => queued.has(name as RequestName)) ? queue : null;
  },
});
