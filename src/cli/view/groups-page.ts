import type { FailureGroupsView } from "../../operations/recovery.ts";
import type { Look } from "../terminal.ts";
import { count, cut } from "./text.ts";

/** Failures alike, each group with what its logs say. */
export function groupsPage(groups: FailureGroupsView["groups"], { width, paint }: Look): string {
  return groups
    .map(({ key, failures, unclassified, why_not, cause, exit_code, lines, example }) => {
      const what = cause === null || cause === "exit" ? `exit ${exit_code}` : cause;
      const waits = unclassified > 0 ? `, ${unclassified} to be classified` : "";
      const said = why_not === null ? [] : [`  ${why_not}`];
      return [
        `${paint.bold(key)}  ${count(failures, "failure")}  ${what}${waits}  like ${example.job ?? `${example.unit}/${example.node}`}`,
        ...said,
        ...lines.map((line) => paint.dim(`  | ${line}`)),
        ...(lines.length === 0 ? [paint.dim(`  ${example.reason}`)] : []),
      ];
    })
    .map((lines) => lines.map((line) => cut(line, width)).join("\n"))
    .join("\n\n");
}
