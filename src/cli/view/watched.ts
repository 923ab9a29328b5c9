import { isTerminal } from "../../core/request-status.ts";
import type { DagView, UnitRowView } from "../../operations/dags.ts";
import type { RequestDetailView } from "../../operations/requests.ts";
import type { BarParts } from "./bar.ts";
import { readyText } from "./request-page.ts";
import { whyNotMoving } from "./tables.ts";
import { count, duration, secondsSince } from "./text.ts";
import { unitsAndJobs, unitsOf, unitWord } from "./unit-word.ts";

/** A request as somebody who watches sees it. */
export interface WatchedRequest {
  readonly request: RequestDetailView;
  /** Its present DAG; null before one was planned. */
  readonly dag: DagView | null;
  /** Units of that DAG; empty when there are none yet, or more than one wants to look at. */
  readonly units: readonly UnitRowView[];
}

/** Watching ends when a request is over, or waits for a person who has not asked for anything yet. */
export const hasEnded = ({ request }: WatchedRequest): boolean =>
  (request.status === "held" && request.wish === null) || isTerminal(request.status);

export type Progress = ReturnType<typeof progressOf>;

/** How far a request is. */
export function progressOf(watched: WatchedRequest, now: Date) {
  const { request, dag, units } = watched;
  const ended = hasEnded(watched);
  const nodes: BarParts = {
    total: dag?.total_nodes ?? 0,
    done: dag?.nodes_done ?? 0,
    running: ended ? 0 : (dag?.nodes_running ?? 0),
    failed: dag?.nodes_failed ?? 0,
  };
  const end = ended ? new Date(request.status_since) : now;
  const sinceSubmit = dag?.submitted_at ? secondsSince(dag.submitted_at, end) : 0;
  // Nodes per second since the DAG was handed over; null when there is nothing to tell yet.
  const rate = nodes.done > 0 && sinceSubmit > 0.5 ? nodes.done / sinceSubmit : null;
  return {
    units: request.progress ?? NOTHING_PLANNED,
    nodes,
    retries: units.reduce((sum, unit) => sum + unit.retries, 0),
    round: request.workflow?.round ?? 0,
    /** Nothing will change without a person. */
    ended,
    elapsedSec: Math.max(0, secondsSince(begunAt(request), end)),
    rate,
    ready: ended ? "" : readyText(request),
  };
}

const NOTHING_PLANNED = { total: 0, done: 0, running: 0, failed: 0 };

/** When what goes on, or has ended, was begun: as it was handed in, or when a person last let it go on. */
function begunAt({ created_at, status_transitions: moves }: RequestDetailView): string {
  const again = moves.findLast(({ from, to }) => (from === "held" || from === "completed") && to !== from);
  return again?.at ?? created_at;
}

/** What a line is printed for, when nobody looks live: the same key means nothing worth a line has changed. */
export function changeKey(watched: WatchedRequest): string {
  const { request } = watched;
  const { units, retries, round } = progressOf(watched, new Date(0));
  return JSON.stringify([request.status, round, units.done, units.failed, retries, whyNotMoving(request)]);
}

export function changeLine(watched: WatchedRequest, now: Date): string {
  const { request } = watched;
  const { units, nodes, retries, round, elapsedSec } = progressOf(watched, now);
  const why = whyNotMoving(request);
  const parts = [
    ...unitsAndJobs(request.kind, units, nodes),
    retries ? count(retries, "retry", "retries") : "",
    units.failed ? `${count(units.failed, unitWord(request.kind))} failed` : "",
    round > 0 ? `round ${round}` : "",
    duration(elapsedSec),
  ];
  const head = `${now.toISOString().slice(11, 19)}  ${request.request_name}  ${request.status}`;
  return `${head}  ${parts.filter(Boolean).join(", ")}${why ? `  (${why})` : ""}`;
}

/** How a request ended, for the last line of a watch. */
export function outcomeLine(watched: WatchedRequest, now: Date): string {
  const { request } = watched;
  const { units, retries, elapsedSec } = progressOf(watched, now);
  const name = request.request_name;
  const work = `${unitsOf(request.kind, units.done, units.total)}${retries ? `, ${count(retries, "retry", "retries")}` : ""}, ${duration(elapsedSec)}`;
  switch (request.status) {
    case "completed":
      if (request.output_state !== "active") return `${name} completed: ${work}; ${request.status_meaning}`;
      return `${name} completed: ${work}; outputs: wms2 outputs ${name}`;
    case "held":
      return `${name} is held: ${whyNotMoving(request)}; more: wms2 show ${name}`;
    default: {
      const last = request.status_transitions.at(-1);
      return `${name} is ${request.status}: ${last?.reason ?? "no reason given"} (${work})`;
    }
  }
}
