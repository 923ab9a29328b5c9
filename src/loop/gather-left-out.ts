import { plural, thousands } from "../core/base/text.ts";
import type { RequestRecord } from "../core/request.ts";
import { makesEvents } from "../core/work.ts";
import type { Workflow } from "../core/workflow.ts";
import { kindOf } from "../kinds/kind.ts";
import { effectiveSpec } from "./gather-round.ts";
import type { Ports } from "./ports.ts";

/** What a request that completes now was asked for and does not have, in words; null: it has all. */
export async function gatherLeftOut(ports: Ports, request: RequestRecord, workflow: Workflow): Promise<string | null> {
  const { store, kinds } = ports;
  const { work } = effectiveSpec(request);
  const kind = kindOf(kinds, work);
  if (work.input) {
    const { fresh, attempted, processed, excluded } = await store.files.countByState(workflow.id);
    const left = excluded > 0 ? await store.files.countLeftOut(workflow.id, kind.notWanted ?? null) : 0;
    return left > 0 ? `${left} of ${plural(fresh + attempted + processed + excluded, "input file")} left out` : null;
  }
  if (kind.isOneRound) {
    const left = (await store.units.abandonedNames(workflow.id)).size;
    return left > 0 ? `${left} of ${plural(workflow.nextUnit, kind.unitWord)} left out` : null;
  }
  const { abandonedEvents } = workflow;
  if (!makesEvents(work) || work.topUp || abandonedEvents === 0n) return null;
  return `${thousands(abandonedEvents)} of ${thousands(work.totalEvents)} events left out`;
}
