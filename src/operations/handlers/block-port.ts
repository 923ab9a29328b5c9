import type { RequestName } from "../../core/names.ts";
import type { By, NotAsSeen, Refusal } from "./port.ts";

/** The commands (see port.ts) that are about blocks of outputs. */
export interface BlockCommands {
  /** Blocks of outputs that failed or wait are tried now; a request that is held for them is released. */
  retryBlocks(
    which: { readonly request: RequestName } | { readonly block: string },
    reason: string,
    by: By,
  ): Promise<RetryBlocksAnswer>;
  /** The outputs of a request that is over are taken back from the catalog. */
  withdraw(name: RequestName, reason: string, by: By): Promise<WithdrawAnswer>;
}

export type RetryBlocksAnswer =
  | {
      readonly kind: "done" | "would" | "nothing";
      readonly blocks: readonly string[];
      /** The request was held for them, and goes on. */
      readonly released: boolean;
      readonly message: string;
    }
  | { readonly kind: "unknown" }
  | Refusal<"refused">
  | NotAsSeen;
export type WithdrawAnswer =
  | {
      readonly kind: "done" | "would" | "already";
      readonly blocks: readonly string[];
      readonly files: number;
      readonly rules: readonly string[];
      readonly message: string;
    }
  | Refusal<"refused">
  | NotAsSeen;
