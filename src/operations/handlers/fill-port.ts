import type { RequestName } from "../../core/names.ts";
import type { PendingFill } from "../../core/products.ts";
import type { FillChoice, FillPlan, NodeId, NodeRow, NodeState } from "../../core/segments.ts";
import type { By, Refusal } from "./port.ts";

/** What people may ask of a request whose products are looked after one by one (docs/adr/0019-segments.md). */
export interface FillCommands {
  /** What is missing, and what would be done about it, as things are now. */
  fillPlan(name: RequestName, choice: FillChoice): Promise<FillPlanAnswer>;
  /** The same, and the loop does it. */
  fill(name: RequestName, choice: FillChoice, reason: string, by: By): Promise<FillAnswer>;
  /** Looks at what products left: rows that say something else are put right. `after`: the ones that come after it. */
  verify(
    name: RequestName,
    how: { readonly reason: string; readonly after: NodeId | null },
    by: By,
  ): Promise<VerifyAnswer>;
  /** Nodes by id or glob get a new epoch, and are tried again. */
  releaseNodes(name: RequestName, nodes: readonly string[], reason: string, by: By): Promise<ReleasedNodes>;
  /** Rows, by id. */
  nodes(name: RequestName, filter: NodeFilter): Promise<NodePage>;
}

type NoProducts = { readonly kind: "unknown-request" } | Refusal<"refused">;
export type FillPlanAnswer =
  | {
      readonly kind: "found";
      readonly plan: FillPlan;
      /** What a fill of it comes to, or why it is refused. */
      readonly message: string;
      readonly mayBeMade: boolean;
    }
  | NoProducts;
export type FillAnswer =
  | {
      readonly kind: "done" | "would" | "already" | "nothing";
      readonly plan: FillPlan;
      /** What stands; null: nothing was asked for, or nothing can be done. */
      readonly asked: PendingFill | null;
      readonly message: string;
    }
  | NoProducts;

/** demoted: it is not what it should be · promoted: it is · changed: it is, and another than before. */
export interface VerifiedNode {
  readonly id: NodeId;
  readonly outcome: "demoted" | "promoted" | "changed";
  readonly reason: string | null;
}
export type VerifyAnswer =
  | {
      readonly kind: "done" | "would";
      readonly nodes: readonly VerifiedNode[];
      /** As it is with them. */
      readonly plan: FillPlan;
      readonly message: string;
      /** Products from the first one on, of all. */
      readonly looked: number;
      readonly of: number;
      /** The last one that was looked at; null: all are. */
      readonly next: NodeId | null;
    }
  | NoProducts;

export type ReleasedNodes =
  | {
      readonly kind: "done" | "would" | "already";
      readonly nodes: readonly NodeId[];
      /** Somebody changed these at the same moment. */
      readonly moved: readonly NodeId[];
      readonly message: string;
    }
  | NoProducts;

export interface NodeFilter {
  readonly state?: NodeState;
  readonly limit: number;
  readonly cursor?: string;
}
export type NodePage =
  | {
      readonly kind: "found";
      readonly items: readonly NodeRow[];
      readonly counts: Readonly<Partial<Record<NodeState, number>>>;
      readonly nextCursor: string | null;
    }
  | NoProducts;
