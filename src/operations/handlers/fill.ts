import { isDeepStrictEqual } from "node:util";
import { plural } from "../../core/base/text.ts";
import type { RequestName } from "../../core/names.ts";
import type { PendingFill } from "../../core/products.ts";
import type { RequestRecord } from "../../core/request.ts";
import { isTerminal } from "../../core/request-status.ts";
import type { FillChoice, FillPlan } from "../../core/segments.ts";
import { type Workflow, workflowStatus } from "../../core/workflow.ts";
import { kindOf, type Products } from "../../kinds/kind.ts";
import { gatherFill } from "../../loop/gather-fill.ts";
import type { Ports } from "../../loop/ports.ts";
import type { Store } from "../../store/port.ts";
import type { FillAnswer, FillPlanAnswer } from "./fill-port.ts";
import type { By, Refusal } from "./port.ts";

/** A request whose products are looked after one by one. */
export interface WithProducts {
  readonly kind: "found";
  readonly request: RequestRecord;
  readonly workflow: Workflow | null;
  readonly products: Products;
}

export const refusedAt = (path: string, message: string, allowed: string): Refusal<"refused"> => ({
  kind: "refused",
  problems: [{ path, message, allowed }],
});
export const refused = (message: string, allowed: string): Refusal<"refused"> => refusedAt("", message, allowed);

export async function findProducts(
  { store, kinds }: Ports,
  name: RequestName,
): Promise<WithProducts | { readonly kind: "unknown-request" } | Refusal<"refused">> {
  const request = await store.requests.get(name);
  if (!request) return { kind: "unknown-request" };
  const { work } = request.spec;
  const { products } = kindOf(kinds, work);
  if (!products) return refused(`it is of kind ${work.kind}, which has no products`, "requests of kind segments");
  return { kind: "found", request, workflow: await store.workflows.forRequest(name), products };
}

/** The same, with a choice that names only what there is. */
async function findChosen(ports: Ports, name: RequestName, { component }: FillChoice) {
  const found = await findProducts(ports, name);
  if (found.kind !== "found" || component === null) return found;
  const all = found.products.components(found.request.spec.work);
  if (all.includes(component)) return found;
  return refusedAt("component", `there is no component ${component}`, all.join(", "));
}

export async function fillPlan(ports: Ports, name: RequestName, choice: FillChoice): Promise<FillPlanAnswer> {
  const found = await findChosen(ports, name, choice);
  if (found.kind !== "found") return found;
  const { plan } = await gatherFill(ports, found.products, found.request, found.workflow, choice);
  const told = await foresee(ports, found, choice, plan);
  if ("problems" in told) return { kind: "found", plan, message: told.problems[0]!.message, mayBeMade: false };
  return { kind: "found", plan, message: told.message, mayBeMade: told.kind === "would" || told.kind === "already" };
}

/** What a fill of it comes to; nothing is stored. */
async function foresee(
  { store }: Ports,
  { request, workflow }: WithProducts,
  choice: FillChoice,
  plan: FillPlan,
): Promise<{ kind: "would" | "already" | "nothing"; asked: PendingFill | null; message: string } | Refusal<"refused">> {
  const closed = mayNotFill(request, workflow);
  if (closed || !workflow) return closed ?? NOT_BEGUN;
  if (plan.actions.length === 0)
    return { kind: "nothing", asked: null, message: "there is nothing that could be made now" };
  const asked = await store.segmentNodes.pendingFill(workflow.id);
  const message = `${plural(plan.actions.length, "product")} to be made ${whenIt(request)}`;
  return otherFill(asked, choice) ?? { kind: asked ? "already" : "would", asked, message };
}

/** Stored as it was asked for: the loop plans it again with what is so then, in the round that carries it out. */
export async function fill(
  ports: Ports,
  name: RequestName,
  choice: FillChoice,
  reason: string,
  { actor, dryRun }: By,
): Promise<FillAnswer> {
  const found = await findChosen(ports, name, choice);
  if (found.kind !== "found") return found;
  const { request, workflow, products } = found;
  const { plan } = await gatherFill(ports, products, request, workflow, choice);
  const told = await foresee(ports, found, choice, plan);
  if ("problems" in told) return told;
  if (dryRun || told.kind === "nothing" || !workflow) return { ...told, plan };
  const { message } = told;
  const wanted: PendingFill = { choice, actor, reason, askedAt: ports.clock.now() };
  const asked = await askFor(ports, request, workflow, wanted);
  const other = otherFill(asked, choice);
  if (other) return other;
  const isOurs = isDeepStrictEqual(asked, wanted);
  await noteFill(ports, request, wanted, isOurs ? "done" : "already", { actions: plan.actions.length });
  return { kind: isOurs ? "done" : "already", plan, asked, message };
}

/** One that stands and is not this one: there is one at a time. */
export const otherFill = (asked: PendingFill | null, choice: FillChoice): Refusal<"refused"> | null =>
  asked === null || isDeepStrictEqual(asked.choice, choice)
    ? null
    : refused(
        `${asked.actor} asked for another fill, which is not carried out yet: ${asked.reason}`,
        "ask again when its round has begun",
      );

export const NOT_BEGUN = refused("it has not begun yet", "submit it, and ask again in a moment");

/** Nothing is made for a request that is over for good, nor for one that has not begun. */
export function mayNotFill({ status }: RequestRecord, workflow: Workflow | null): Refusal<"refused"> | null {
  if (status === "failed" || status === "aborted")
    return refused(`it is ${status}, and that is final`, "a new request");
  return workflow ? null : NOT_BEGUN;
}

const whenIt = ({ status }: RequestRecord): string =>
  status === "held"
    ? "once the request is released"
    : status === "queued" || isTerminal(status)
      ? "now"
      : "when the round that runs has ended";

/** With what was asked for, one that was complete is open again. */
export const askFor = (
  ports: Ports,
  request: RequestRecord,
  workflow: Workflow,
  wanted: PendingFill,
): Promise<PendingFill> =>
  ports.store.transaction(async (tx) => {
    const asked = await tx.segmentNodes.askFill(workflow.id, wanted);
    await reopen(tx, request, workflow, wanted);
    return asked;
  });

/** What is known of its products changed: what it last said of them may not be so any more, and it looks again. */
export const lookAgain = (tx: Store, { spec, status }: RequestRecord): Promise<void> =>
  status === "queued" ? tx.requests.remark(spec.name, { waiting: null }) : Promise.resolve();

export async function reopen(
  tx: Store,
  { spec, status, version }: RequestRecord,
  { id }: Workflow,
  { actor, reason, askedAt: at }: Omit<PendingFill, "choice">,
): Promise<void> {
  if (status !== "completed") return;
  const why = { reason: `opened again by ${actor}: ${reason}`, actor, at };
  if (!(await tx.requests.change(spec.name, version, { status: "queued" }, why))) return;
  const workflow = await tx.workflows.get(id);
  if (workflow) await tx.workflows.change(id, workflow.version, { status: workflowStatus("queued") });
}

const noteFill = (
  { store }: Ports,
  { spec }: RequestRecord,
  { actor, reason, choice, askedAt }: PendingFill,
  outcome: "done" | "already",
  detail: object,
) =>
  store.audit.add({
    at: askedAt,
    actor,
    action: "fill",
    subject: spec.name,
    reason,
    detail: { ...choice, ...detail },
    outcome,
  });
