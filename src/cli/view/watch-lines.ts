import { whyNotMoving } from "./request-list.ts";
import { count, duration } from "./text.ts";
import { progressOf, type WatchedRequest } from "./watched.ts";

/** What a line is printed for, when nobody looks live: the same key means nothing worth a line has changed. */
export function changeKey(watched: WatchedRequest): string {
  const { request } = watched;
  const { units, retries, round } = progressOf(watched, new Date(0));
  return JSON.stringify([
    request.status,
    round,
    units.done,
    units.failed,
    retries,

    whyNotMoving(request),
  ]);
}

export function changeLine(watched: WatchedRequest, now: Date): string {
  const { request } = watched;
  const { units, nodes, retries, round, elapsedSec } = progressOf(watched, now);
  const why = whyNotMoving(request);
  const words = [
    `${units.done}/${units.total} units`,
    `${nodes.done}/${nodes.total} jobs`,
    retries ? count(retries, "retry", "retries") : "",
    units.failed ? `${count(units.failed, "unit")} failed` : "",
    round > 0 ? `round ${round}` : "",
    duration(elapsedSec),
  ];
  const head = `${now.toISOString().slice(11, 19)}  ${request.request_name}  ${request.status}`;
  return `${head}  ${words.filter(Boolean).join(", ")}${why ? `  (${why})` : ""}`;
}

/** How a request ended, for the last line of a watch. */
export function outcomeLine(watched: WatchedRequest, now: Date): string {
  const { request } = watched;
  const { units, retries, elapsedSec } = progressOf(watched, now);
  const name = request.request_name;
  const work = `${units.done}/${units.total} units${retries ? `, ${count(retries, "retry", "retries")}` : ""}, ${duration(elapsedSec)}`;
  switch (request.status) {
    case "completed":
      return `${name} completed: ${work}; outputs: wms2 outputs ${name}`;
    case "held":
      return `${name} is held: ${whyNotMoving(request)}; more: wms2 show ${name}`;
    default: {
      const last = request.status_transitions.at(-1);
      return `${name} is ${request.status}: ${last?.reason ?? "no reason given"} (${work})`;
    }
  }
}
