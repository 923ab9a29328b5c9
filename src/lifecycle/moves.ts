import { REQUEST_STATUS, type RequestStatus } from "../domain/request-status.ts";
import type { RequestChange } from "../store/port.ts";
import type { Decision, Facts } from "./decision.ts";
import type { Ports } from "./ports.ts";

/** What came of a decision: rest until the next pass, or look again at once. */
export type Applied = { readonly rest: boolean; readonly waiting: string | null };

export const again: Applied = { rest: false, waiting: null };
export const rest = (waiting: string | null): Applied => ({ rest: true, waiting });

const WORKFLOW_STATUS = {
  submitted: "new",
  new: "new",
  queued: "new",
  planning: "planning",
  active: "active",
  partial: "partial",
  stopping: "stopping",
  resubmitting: "resubmitting",
  held: "held",
  completed: "completed",
  failed: "failed",
  aborted: "aborted",
} as const satisfies Record<RequestStatus, string>;

/** Request and workflow move together, or not at all when somebody else moved the request meanwhile. */
export async function move(
  ports: Ports,
  facts: Facts,
  to: RequestStatus,
  reason: string,
  more: RequestChange = {},
  within?: (store: Ports["store"]) => Promise<void>,
): Promise<Applied> {
  const { request, workflow } = facts;
  const moved = await ports.store.transaction(async (store) => {
    const why = { reason, actor: "wms2", at: ports.clock.now() };
    const hold = request.hold && to !== "held" ? { hold: null } : {};
    if (!(await store.requests.change(request.spec.name, request.version, { status: to, ...hold, ...more }, why)))
      return false;
    await within?.(store);
    const fresh = workflow ? await store.workflows.get(workflow.id) : null;
    if (fresh) await store.workflows.change(fresh.id, fresh.version, { status: WORKFLOW_STATUS[to] });
    return true;
  });
  if (moved) announce(ports, facts, to, reason);
  return REQUEST_STATUS[to].moves.length === 0 && moved ? rest(null) : again;
}

function announce(ports: Ports, facts: Facts, to: RequestStatus, reason: string): void {
  const detail = { request: facts.request.spec.name, from: facts.request.status, to, reason };
  ports.log.info("request.moved", detail);
  ports.events.emit("request.moved", detail);
}

export async function applyHold(
  ports: Ports,
  facts: Facts,
  decision: Extract<Decision, { kind: "hold" }>,
): Promise<Applied> {
  const { code, message } = decision.hold;
  await move(ports, facts, "held", `${code}: ${message}`, { hold: decision.hold });
  return rest(`held: ${message}`);
}
