import type { Interval, Month } from "./calendar.ts";
import type { Cause } from "./cause.ts";
import type { FillChoice, NodeId } from "./segments.ts";
import type { FileStamp } from "./workflow.ts";

/** What a look at the history of a segment said. */
export interface HistoryFact {
  /**
   * present: complete by its rule · partial: still being copied · short: smaller than it must be · absent · unknown: nobody could
   * look.
   */
  readonly state: "present" | "partial" | "short" | "absent" | "unknown";
  /** Of the file as it is; null: there is none, or nobody could look. */
  readonly stamp: { readonly sizeBytes: number; readonly mtime: number } | null;
}

/** By the first months of segments; what is not there could not be looked at. */
export type HistoryFacts = ReadonlyMap<Month, HistoryFact>;

/** What a look at all history said, and up to where products are due. */
export interface Look {
  readonly history: HistoryFacts;
  readonly range: Interval;
}

/** A lock that frepp's stager has on a transfer: its owner lives, is gone for sure, or nobody can tell. */
export interface TransferLock {
  readonly kind: "held" | "stale" | "unknown";
  readonly reason: string;
}

/** What is known of a unit of ours, or a job of frepp's, that has not ended. */
export type Liveness = "running" | "queued" | "unknown";

/** What somebody asked to have filled, until a round carries it out. */
export interface PendingFill {
  readonly choice: FillChoice;
  readonly actor: string;
  readonly reason: string;
  readonly askedAt: Date;
}

/** How a unit that made products went, attempt by attempt. None: it never began. */
export interface UnitEnding {
  readonly attempts: readonly UnitAttempt[];
}
export interface UnitAttempt {
  /** null: it went well. */
  readonly cause: Cause | null;
  readonly exitCode: number;
  readonly reason: string;
  /** What its report says of each product; empty: there is none, or it says nothing. */
  readonly products: ReadonlyMap<NodeId, ProductTold>;
}
/** `makes` null: it failed at this one. `reads`: the chunks that were there. */
export interface ProductTold {
  readonly history: readonly FileStamp[];
  readonly reads: readonly FileStamp[];
  readonly makes: readonly FileStamp[] | null;
}

/** What has to be so of a product's files for it to be done; lists in one order. */
export interface ProductCheck {
  readonly id: NodeId;
  readonly files: readonly string[];
  readonly least: readonly number[];
  /** Files that a folder has at least. Absent: one. */
  readonly leastFiles?: readonly number[];
  readonly expected: readonly (number | null)[];
  /** {output}: the file. */
  readonly levels: readonly (readonly string[] | null)[];
}
/** What was seen of them, in the same order. `levels` null: nobody counts; "unknown": nobody could. */
export interface ProductSeen {
  readonly stamps: readonly (FileStamp | null)[];
  readonly levels: readonly (number | "unknown" | null)[];
}
