import type { Result } from "../base/result.ts";
import type { RequestSpec } from "../domain/request.ts";
import type { InputFile, OutputFile } from "../domain/workflow.ts";

/** Datasets in, outputs out. May throw WorldError("catalog-unreachable"); all else is a value. */
export interface Catalog {
  readonly name: "local" | "cms";

  /** All files of the request's input, in a stable order. Throws the reason of `signal` when it is told to end. */
  inputFiles(spec: RequestSpec, signal?: AbortSignal): Promise<Result<readonly InputFile[], DatasetProblem>>;

  /**
   * Makes one unit's outputs known. Idempotent by LFN: known with the same size and checksum is adopted,
   * known with others is a conflict that only a person can settle.
   */
  register(request: string, unit: string, outputs: readonly OutputFile[]): Promise<RegisterOutcome>;
}

export interface DatasetProblem {
  readonly code: "unknown-dataset" | "empty-dataset" | "unreadable";
  readonly message: string;
  readonly evidence: Readonly<Record<string, unknown>>;
}

export type RegisterOutcome =
  | { readonly kind: "registered"; readonly adopted: number }
  | { readonly kind: "conflict"; readonly lfn: string; readonly message: string }
  /** Something the ledger is told about is not there (yet). */
  | { readonly kind: "missing"; readonly path: string };
