import { stringify } from "../../base/json.ts";
import type { NodeTally, UnitTally } from "../../domain/dag.ts";
import type { LiveEvent } from "../event-bus.ts";

/** What travels on the event stream: `event:` is the type, `data:` is one of these as JSON. */
export type LiveEventView = { at: string } & (
  | { type: "request.moved"; request_name: string; from: string | null; to: string; reason: string }
  | { type: "dag.progress"; request_name: string; dag_id: string; work_units: UnitTally; nodes: NodeTally }
  | { type: "loop.pass"; seconds: number; error: string | null; requests: number }
);

/** The words of the log's events and those of the API. */
const RENAMED: Readonly<Record<string, string>> = { request: "request_name", dag: "dag_id", units: "work_units" };

export function eventView(event: LiveEvent, at: Date): LiveEventView {
  const detail = Object.entries(event.detail).map(([key, value]) => [RENAMED[key] ?? key, value]);
  return { type: event.type, ...Object.fromEntries(detail), at: at.toISOString() } as LiveEventView;
}

/** One frame of text/event-stream. JSON has no raw line breaks, so one data line is enough. */
export const eventFrame = (view: LiveEventView): string => `event: ${view.type}\ndata: ${stringify(view)}\n\n`;
