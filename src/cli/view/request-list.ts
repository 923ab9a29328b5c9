import type { RequestRowView, WorkflowView } from "../../api/client-types.ts";
import type { Paint } from "../terminal.ts";
import { statusWord } from "./status.ts";
import { type Column, table } from "./table.ts";
import { secondsSince, shortAge } from "./text.ts";

const COLUMNS: readonly Column[] = [
  { head: "name" },
  { head: "status" },
  { head: "units", align: "right" },
  { head: "%", align: "right" },
  { head: "priority", align: "right" },
  { head: "age", align: "right" },
  { head: "why", flexible: true },
];

export interface ListedRequest {
  readonly request: RequestRowView;
  /** null before its workflow was set up. */
  readonly workflow: Pick<WorkflowView, "total_work_units" | "work_units_done" | "progress_percent"> | null;
}

export function requestList(
  rows: readonly ListedRequest[],
  look: { readonly now: Date; readonly width: number; readonly paint: Paint },
): string {
  if (rows.length === 0) return "";
  const cells = rows.map(({ request, workflow }) => [
    request.request_name,
    statusWord(request.status, look.paint),
    workflow === null || workflow.total_work_units === 0
      ? "-"
      : `${workflow.work_units_done}/${workflow.total_work_units}`,
    workflow === null ? "-" : String(Math.floor(workflow.progress_percent)),
    request.urgent ? "urgent" : String(request.priority),
    shortAge(secondsSince(request.created_at, look.now)),
    whyNotMoving(request),
  ]);
  return table(COLUMNS, cells, look);
}

/** The one thing that keeps it: a hold, a failing pass, or what it waits for. */
export function whyNotMoving(request: Pick<RequestRowView, "status" | "hold" | "error" | "waiting">): string {
  if (request.hold) return `${request.hold.code}: ${request.hold.message}`;
  if (request.error) return `pass failed ${request.error.count}×: ${request.error.message}`;
  // While jobs run, the loop waits for nothing but them: the units tell that better.
  if (request.status === "active" && request.waiting?.startsWith("running:")) return "";
  return request.waiting ?? "";
}
