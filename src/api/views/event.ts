import type { NodeTally, UnitTally } from "../../domain/dag.ts";
import type { LiveEvent } from "../event-bus.ts";

/** What travels on the event stream: `event:` is the type, `data:` is one of these as JSON. */
export type LiveEventView =
  | { type: "request.moved"; request_name: string; from: string | null; to: string; reason: string; actor: string; at: string }
  | { type: "dag.progress"; request_name: string; dag_id: string; nodes: NodeTally; work_units: UnitTally; at: string }
  | { type: "loop.pass"; seconds: number; open_requests: number; requests_with_errors: number; at: string };

export function eventView(event: LiveEvent): LiveEventView {
  const at = event.at.toISOString();
  switch (event.type) {
    case "request.moved":
      return {
        type: event.type,
        request_name: event.requestName,
        from: event.from,
        to: event.to,
        reason: event.reason,
        actor: event.actor,
        at,
      };
    case "dag.progress":
      return {
        type: event.type,
        request_name: event.requestName,
        dag_id: event.dagId,
        nodes: event.nodes,
        work_units: event.units,
        at,
      };
    case "loop.pass":
      return {
        type: event.type,
        seconds: event.seconds,
        open_requests: event.openRequests,
        requests_with_errors: event.requestsWithErrors,
        at,
      };
  }
}

/** One frame of text/event-stream. JSON has no raw line breaks, so one data line is enough. */
export const eventFrame = (view: LiveEventView): string => `event: ${view.type}\ndata: ${JSON.stringify(view)}\n\n`;
