import { plural } from "../core/base/text.ts";
import type { DagPlan } from "../core/plan.ts";
import type { RequestRecord } from "../core/request.ts";
import type { Workflow } from "../core/workflow.ts";
import { kindOf } from "../kinds/kind.ts";
import type { Store } from "../store/port.ts";
import type { Facts } from "./decision.ts";
import type { Filling } from "./gather-fill.ts";
import type { Ports } from "./ports.ts";
import { verifyProducts } from "./verify-products.ts";

/** Before the first round: what is there and passes its check is done. Answers whether there was such a thing. */
export async function takeWhatIsThere(ports: Ports, { request, filling }: Facts, workflow: Workflow): Promise<boolean> {
  const { products } = kindOf(ports.kinds, request.spec.work);
  if (!products || !filling || filling.rows.size > 0 || workflow.nextUnit > 0) return false;
  const found = await verifyProducts(ports, products, request, filling);
  if (found.length === 0) return false;
  await ports.store.segmentNodes.write(workflow.id, found);
  const notice = `${plural(found.length, "product")} there already: verified and taken as done`;
  ports.log.info("products.taken", { request: request.spec.name, products: found.length, notice });
  return true;
}

/** Somebody changed rows while their round was planned. */
export class ProductsMoved extends Error {}

/**
 * With the directory ready, rows say so: of two who plan the same, the later one finds them moved on, and nothing of its round is
 * called ready. A fill that somebody asked for is carried out with the round that has all of it.
 */
export async function submitProducts(
  { kinds, clock }: Ports,
  tx: Store,
  { spec }: RequestRecord,
  workflow: Workflow,
  plan: DagPlan,
  { rows, asked, plan: fill }: Filling,
): Promise<void> {
  const submitted = kindOf(kinds, spec.work).products?.submitted(plan, rows, clock.now()) ?? [];
  const moved = await tx.segmentNodes.write(workflow.id, submitted);
  if (moved.size > 0) throw new ProductsMoved(`${[...moved][0]} was changed while it was planned`);
  if (asked && submitted.length === fill.actions.length) await tx.segmentNodes.endFill(workflow.id, asked);
}
