import { MAX_PRIORITY } from "../../domain/request.ts";
import type { BulkBody } from "../../operations/actions.ts";
import type { RequestRowView } from "../../operations/requests.ts";
import type { OperatorAction } from "../../recovery/round/actions.ts";
import type { BulkItem } from "../view/tables.ts";

/** The requests something is about: by name, or all that match, where there are more than names are told. */
export interface Target {
  readonly names: readonly string[];
  readonly filter?: BulkBody["filter"];
}

/** What somebody is about to ask for. */
export type Wish =
  | ({ readonly action: OperatorAction } & Target)
  | { readonly action: "priority"; readonly names: readonly string[]; readonly change: PriorityChange };

/** Either is enough. */
interface PriorityChange {
  readonly priority?: number;
  readonly urgent?: boolean;
}

/** "200000", "urgent", "normal"; null: none of them. */
export function readPriority(text: string): PriorityChange | null {
  const word = text.trim();
  if (word === "urgent" || word === "normal") return { urgent: word === "urgent" };
  return /^\d{1,10}$/.test(word) && Number(word) <= MAX_PRIORITY ? { priority: Number(word) } : null;
}

/** A priority is changed at once, so there is no dry run of it: the rows tell what it changes. */
export function priorityPreview(
  rows: readonly RequestRowView[],
  names: readonly string[],
  { priority, urgent }: PriorityChange,
): readonly BulkItem[] {
  const known = new Map(rows.map((row) => [row.request_name, row]));
  return names.map((name) => {
    const request = known.get(name);
    const before = request?.urgent ? `urgent, ${request.priority}` : String(request?.priority ?? "?");
    const after = urgent === undefined ? String(priority) : urgent ? "urgent" : "not urgent";
    const message = `priority: now ${before}, then ${after}`;
    return {
      request_name: name,
      outcome: "would",
      status: request?.status ?? null,
      message,
      version: null,
      effect: null,
      warnings: [],
      problems: [],
    };
  });
}
