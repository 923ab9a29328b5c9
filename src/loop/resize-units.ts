import type { Dag } from "../core/dag.ts";
import { roleOfNode } from "../core/roles.ts";
import type { Workflow } from "../core/workflow.ts";
import { sizingLimits } from "../planning/size-round.ts";
import { resizeMemory } from "../planning/sizing/size.ts";
import { isAttempt } from "../recovery/ledger-record.ts";
import type { Facts } from "./decision.ts";
import { assertLeads } from "./in-progress.ts";
import { gatherSizing } from "./measure.ts";
import type { PassWork } from "./ports.ts";

/**
 * A run goes on: units of it that have not begun get the memory that the jobs so far say they need; what has begun or finished
 * keeps its own. Cores and events are in files that a whole round shares, so they stay. Repeatable.
 */
export async function resizeUnits(
  ports: PassWork,
  { request }: Facts,
  workflow: Workflow,
  { id, submitDir }: Dag,
  units: readonly string[],
): Promise<void> {
  if (!request.spec.adaptive) return;
  const known = await gatherSizing(ports, request, workflow, false);
  const sized = resizeMemory(known, sizingLimits(ports.policy));
  if (!sized) return;
  const { value: memoryMb, why } = sized;
  const resized: string[] = [];
  for (const unit of units) {
    const { lines } = await ports.spool.ledger(submitDir, unit);
    if (lines.some((line) => isAttempt(line) && roleOfNode(line.node) === "processing")) continue;
    assertLeads(ports);
    await ports.spool.adjust(submitDir, unit, null, () => ({ memoryMb }));
    resized.push(unit);
  }
  if (resized.length === 0) return;
  const detail = { units: resized.length, first: resized[0], memoryMb, why };
  await ports.store.dags.addEvent({ dagId: id, type: "resized", detail, at: ports.clock.now() });
  ports.log.info("units.resized", { request: request.spec.name, ...detail });
}
