import { MAX_PRIORITY } from "../../core/request.ts";
import type { BulkBody } from "../../operations/actions.ts";
import type { OperatorAction } from "../../recovery/round/actions.ts";

/** The requests something is about: by name, or all that match, where there are more than names are told. */
export interface Target {
  readonly names: readonly string[];
  readonly filter?: BulkBody["filter"];
}

/** What somebody is about to ask for. */
export type Wish = ActionWish | PriorityWish;
export type ActionWish = { readonly action: OperatorAction } & Target;
export interface PriorityWish {
  readonly action: "priority";
  readonly names: readonly string[];
  readonly change: PriorityChange;
}

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
