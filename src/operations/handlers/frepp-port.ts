import type { StateLine } from "../../core/frepp.ts";
import type { RequestName } from "../../core/names.ts";
import type { NodeState } from "../../core/segments.ts";
import type { TransferOutput, TransferStep } from "../../core/transfers.ts";
import type { TransferState } from "../../kinds/segments/frepp/transfer.ts";
import type { By, Refusal } from "./port.ts";

/** What people may ask of a model run that frepp looks after, too. All paths are the server's. */
export interface FreppCommands {
  /** State files become our rows. `repair`: what an empty file stands for is planned again · `theirs`: newer files are believed. */
  importState(
    name: RequestName,
    wanted: { readonly directory: string; readonly repair: boolean; readonly theirs: boolean },
    by: By,
  ): Promise<StateAnswer>;
  /** Our rows become state files. `ours`: newer files are overwritten. */
  exportState(
    name: RequestName,
    wanted: { readonly directory: string; readonly ours: boolean },
    by: By,
  ): Promise<StateAnswer>;
  transfers(name: RequestName): Promise<TransfersAnswer>;
  /** `segments` empty: all that are not done. `force`: once more, although the limit is reached; counters stay. */
  retryTransfers(
    name: RequestName,
    wanted: { readonly segments: readonly string[]; readonly force: boolean; readonly reason: string },
    by: By,
  ): Promise<RetriedTransfers>;
}

type NotSegments = { readonly kind: "unknown-request" } | Refusal<"refused">;
export type StateAnswer =
  | {
      readonly kind: "done" | "would";
      readonly lines: readonly StateLine[];
      /** What else is in the directory; nobody touches it. */
      readonly others: readonly string[];
      /** What somebody else changed at the same moment, and what was left as it is therefore. */
      readonly moved: readonly string[];
    }
  | NotSegments;

/** What is known of the output of one segment: by its argument file, by our row, or both. */
export interface TransferView {
  readonly segment: string;
  readonly output: TransferOutput;
  readonly file: string | null;
  readonly state: TransferState["kind"] | NodeState;
  readonly reason: string;
  readonly until: Date | null;
  /** What is left to do, in order. */
  readonly left: readonly TransferStep[];
  readonly saves: { readonly failed: number; readonly limit: number } | null;
  readonly transfers: { readonly failed: number; readonly limit: number } | null;
  readonly lock: "held" | "stale" | "unknown" | null;
}
export type TransfersAnswer = { readonly kind: "found"; readonly items: readonly TransferView[] } | NotSegments;

interface RetriedTransfer {
  readonly segment: string;
  readonly action: "retry" | "leave";
  readonly reason: string;
  readonly removesLock: boolean;
}
export type RetriedTransfers =
  | {
      readonly kind: "done" | "would";
      readonly items: readonly RetriedTransfer[];
      readonly moved: readonly string[];
      readonly message: string;
    }
  | NotSegments;
