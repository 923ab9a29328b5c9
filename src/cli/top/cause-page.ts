import type { CauseView } from "../../operations/desk.ts";
import { count, stamp, wrap } from "../view/text.ts";

/** What is known of one cause, and what to do about it. */
export function causePage(cause: CauseView, width: number): readonly string[] {
  const { example, suggestion, request_names: names } = cause;
  const more = cause.requests - names.length;
  return [
    `${cause.name} (${cause.category})${cause.site ? ` at ${cause.site}` : ""}${cause.file ? `, file ${cause.file}` : ""}`,
    `${count(cause.failures, "failure")} in ${count(cause.units, "unit")} of ${count(cause.requests, "request")}, ${cause.held} held`,
    ...(cause.last_at ? [`last at ${stamp(cause.last_at)}`] : []),
    "",
    ...wrap(`for example ${example.request_name} ${example.node}: ${example.reason}`, width),
    "",
    ...wrap(`to try: ${suggestion.action}: ${suggestion.reason}`, width),
    ...(suggestion.command ? [`  ${suggestion.command}`] : []),
    ...(suggestion.everybody_command ? ["or for all requests:", `  ${suggestion.everybody_command}`] : []),
    "",
    "requests:",
    ...names.map((name) => `  ${name}`),
    ...(more > 0 ? [`  … and ${more} more`] : []),
  ];
}
