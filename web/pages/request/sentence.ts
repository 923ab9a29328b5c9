import { HOLDS, isHoldCode } from "../../../src/core/holds.ts";
import type { RequestStatus } from "../../../src/core/request-status.ts";
import type { Answer } from "../../api/client.ts";
import { count } from "../../words.ts";

type Request = Pick<
  Answer<"requests.show">,
  "status" | "status_meaning" | "hold" | "waiting" | "wish" | "error" | "superseded_by_request" | "status_transitions"
>;
type Workflow = Pick<Answer<"workflows.status">, "work_units" | "eta" | "round">;

/** What a person wants to know first: what it is, because of what, what comes next, and when. */
interface Sentence {
  readonly is: string;
  readonly because: string | null;
  readonly next: string | null;
  /** null: unknown, or there is nothing to wait for. */
  readonly when: { readonly at: string } | string | null;
}

const IS: Readonly<Record<RequestStatus, string>> = {
  new: "It is a draft, not submitted yet",
  submitted: "It was submitted and is being set up",
  queued: "It waits in the queue",
  planning: "Its next round is being planned",
  active: "It runs",
  partial: "Its run ended with failures",
  stopping: "Its jobs are being removed; finished work is kept",
  resubmitting: "It was stopped and goes back to the queue",
  held: "It is held",
  completed: "It is completed",
  failed: "It was given up",
  aborted: "It was cancelled",
};

const NEXT: Readonly<Record<RequestStatus, string | null>> = {
  new: "submit it",
  submitted: "it joins the queue",
  queued: "it is planned when a slot is free",
  planning: "the engine gets its jobs",
  active: "when the round has ended, the next one is planned or the outputs are registered",
  partial: "recovery decides by itself: a rescue, another round, or a hold",
  stopping: "it waits for a person or goes back to the queue",
  resubmitting: "it is planned again from where it was",
  held: null,
  completed: null,
  failed: null,
  aborted: null,
};

export function sentenceOf(request: Request, workflow: Workflow | null): Sentence {
  const { status, wish, status_meaning } = request;
  const asked = wish ? `${wish.actor} asked to ${wish.kind} it: the scheduler does it at its next pass` : null;
  return {
    is: status === "completed" ? `It is completed: ${status_meaning}` : isWords(request, workflow),
    because: becauseOf(request),
    next: asked ?? (status === "held" ? heldNext(request) : nextOf(request)),
    when: whenOf(request, workflow),
  };
}

/** In the queue without waiting for a slot: what it waits for is said already, or a person has to act. */
function nextOf({ status, waiting }: Request): string | null {
  if (status !== "queued" || !waiting || waiting.code.startsWith("admission")) return NEXT[status];
  return waiting.who === "operator" ? "it waits for a person" : null;
}

function isWords({ status, waiting }: Request, workflow: Workflow | null): string {
  if (status === "queued" && waiting && !waiting.code.startsWith("admission")) return "It has nothing to run now";
  if (status !== "active" || !workflow) return IS[status];
  const { done, total, failed } = workflow.work_units;
  const bad = failed > 0 ? `, ${failed.toLocaleString("en")} failed` : "";
  return `It runs round ${workflow.round}: ${done.toLocaleString("en")} of ${count(total, "work unit")} done${bad}`;
}

function becauseOf({
  status,
  hold,
  error,
  waiting,
  status_transitions,
  superseded_by_request,
}: Request): string | null {
  if (status === "held" && hold) return hold.message;
  if (error) return `the last ${count(error.count, "pass", "passes")} over it failed: ${error.message}`;
  if (superseded_by_request) return `${superseded_by_request} took its place`;
  // That its jobs run was said already.
  if (waiting) return status === "active" && waiting.code === "running" ? null : waiting.reason;
  const last = status_transitions.findLast(({ to }) => to === status);
  return last ? last.reason : null;
}

function heldNext({ hold }: Request): string {
  if (!hold) return "it waits for a person";
  const who = isHoldCode(hold.code) ? HOLDS[hold.code].who : "operator";
  const actions = hold.actions.slice(0, 3).join(", ");
  return `it waits for ${/^[aeiou]/.test(who) ? "an" : "a"} ${who}${actions ? `: ${actions}` : ""}`;
}

function whenOf({ status, waiting }: Request, workflow: Workflow | null): Sentence["when"] {
  if (status === "active" && workflow?.eta) return `this round: ${workflow.eta.text}`;
  return waiting?.until ? { at: waiting.until } : null;
}
