import type { ActedView, BulkAnswerView } from "../../api/client-types.ts";
import type { Paint } from "../terminal.ts";
import { table } from "./table.ts";
import { count } from "./text.ts";

type Item = BulkAnswerView["items"][number];

/** What one action on one request came to, for people. */
export function actedLines(view: ActedView, paint: Paint): string[] {
  const { request_name: name, message, already, dry_run, warnings } = view;
  const head = already
    ? `${name}: ${message}; nothing was changed`
    : dry_run
      ? `${name}: would be done, nothing was changed: ${message}`
      : `${name}: ${message}`;
  const lines = [head, ...warnings.map((words) => `${paint.yellow("mind:")} ${words}`)];
  const { clone } = view.detail;
  if (typeof clone === "string") lines.push(`the new version is ${clone}`);
  if (!already && !dry_run) lines.push(`see it through with: wms2 watch ${typeof clone === "string" ? clone : name}`);
  return lines;
}

/** A line per request. */
export function bulkTable(
  items: readonly Item[],
  { width, paint }: { readonly width: number; readonly paint: Paint },
): string {
  const colours: Record<Item["outcome"], (text: string) => string> = {
    done: paint.green,
    would: paint.cyan,
    already: paint.dim,
    refused: paint.red,
    unknown: paint.red,
    stale: paint.yellow,
  };
  const columns = [{ head: "name" }, { head: "status" }, { head: "outcome" }, { head: "why", flexible: true }] as const;
  const rows = items.map(({ request_name, status, outcome, message, warnings }) => [
    request_name,
    status ?? "-",
    colours[outcome](outcome),
    [message, ...warnings].join("; "),
  ]);
  return table(columns, rows, { width, paint });
}

/** "3 done, 1 refused": the order of the table of outcomes. */
export function bulkSummary(items: readonly Item[]): string {
  const order: readonly Item["outcome"][] = ["done", "would", "already", "refused", "unknown", "stale"];
  const words = order.flatMap((outcome) => {
    const number = items.filter((item) => item.outcome === outcome).length;
    return number > 0 ? [`${number} ${outcome}`] : [];
  });
  return `${count(items.length, "request")}: ${words.join(", ") || "none matches"}`;
}
