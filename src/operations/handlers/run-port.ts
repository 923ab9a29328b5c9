import type { Result } from "../../core/base/result.ts";
import type { JobToRun } from "../../core/credit.ts";
import type { RequestName } from "../../core/names.ts";
import type { RunDecision } from "../../recovery/round/decide-run.ts";
import type { By, Document, SubmitAnswer } from "./port.ts";

export interface RunCommands {
  /** Hands a document in, or goes on with the request of its name. */
  run(document: Document, by: By): Promise<RunAnswer>;
}

/** What running a document came to. */
export interface RunTold {
  /** The request that runs, or would. */
  readonly name: RequestName;
  /** The version before it, if this is a new one. */
  readonly previous: RequestName | null;
  readonly decision: Exclude<RunDecision, { readonly kind: "refuse" }>;
  readonly warnings: readonly string[];
  /** Of a kind that knows what still holds; null: of any other. */
  readonly jobs: { readonly jobs: readonly JobToRun[]; readonly credited: number } | null;
}
export type RunAnswer = Result<
  RunTold,
  | Exclude<Extract<SubmitAnswer, { ok: false }>["error"], { kind: "unknown" }>
  | Extract<RunDecision, { readonly kind: "refuse" }>
>;
