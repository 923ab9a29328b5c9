import type { RequestName } from "../../core/names.ts";
import type { NodeId, NodeRow, SegmentsWork } from "../../core/segments.ts";
import type { Workflow } from "../../core/workflow.ts";
import { readRows } from "../../loop/gather-fill.ts";
import type { Ports } from "../../loop/ports.ts";
import { findProducts, NOT_BEGUN, refused, type WithProducts } from "./fill.ts";
import type { Refusal } from "./port.ts";

/** A request that frepp may look after, too, and all its rows. */
export interface ModelRun extends WithProducts {
  readonly work: SegmentsWork;
  readonly workflow: Workflow;
  readonly rows: ReadonlyMap<NodeId, NodeRow>;
}

export async function loadModelRun(
  ports: Ports,
  name: RequestName,
): Promise<ModelRun | { readonly kind: "unknown-request" } | Refusal<"refused">> {
  const found = await findProducts(ports, name);
  if (found.kind !== "found") return found;
  const { request, workflow, products } = found;
  const work = products.modelRun?.(request.spec.work);
  if (!work) return refused(`it is of kind ${request.spec.work.kind}`, "requests of kind segments");
  return workflow ? { ...found, work, workflow, rows: await readRows(ports, workflow) } : NOT_BEGUN;
}
