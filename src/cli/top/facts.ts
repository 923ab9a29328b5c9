import type { RequestStatus } from "../../core/request-status.ts";
import { NEEDS_PERSON } from "../../core/wait.ts";
import type { CauseView } from "../../operations/desk.ts";
import type { AlertView } from "../../operations/operators.ts";
import type { RequestRowView } from "../../operations/requests.ts";
import type { QueueView } from "../../operations/system.ts";

/** One look at everything an operator wants to see at once. */
export interface Facts {
  /** When the server was asked, in milliseconds. */
  readonly at: number;
  readonly rows: readonly RequestRowView[];
  /** All requests by status, also those that were not fetched. */
  readonly counts: Readonly<Record<string, number>>;
  /** How many wait for a person, held or not. */
  readonly inNeed: number;
  readonly causes: readonly CauseView[];
  /** The newest. */
  readonly alerts: readonly AlertView[];
  /** Over all of them. */
  readonly openAlerts: { readonly open: number; readonly critical: number };
  readonly queue: QueueView;
}

/** Those that need a person first, then what moves, then what waits, then what is over; the newest first among equals. */
export const NEED: readonly RequestStatus[] = [
  ...(["held", "partial", "stopping", "active", "planning", "resubmitting"] as const),
  ...(["queued", "submitted", "new", "failed", "aborted", "completed"] as const),
];
const need = ({ status, error, waiting }: RequestRowView): number =>
  error || NEEDS_PERSON.includes(waiting?.code ?? "") ? 0 : NEED.indexOf(status);
export const byNeed = (rows: readonly RequestRowView[]): readonly RequestRowView[] =>
  [...rows].sort((a, b) => need(a) - need(b));

/** Every word somewhere in what the row says: "held alice", "no-site". */
export function matching(rows: readonly RequestRowView[], filter: string): readonly RequestRowView[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  return rows.filter(({ request_name, status, kind, requestor, campaign, hold, waiting, reason }) => {
    const told = [request_name, status, kind, requestor, campaign, hold?.code, waiting?.code, reason];
    const text = told.join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
