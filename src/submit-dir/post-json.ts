import { parseJson } from "../base/json.ts";

/**
 * <node>.post.json: the last verdict on a node, with the field names of the error-handling specification. A success is
 * written by verdict.sh; failures are built by recovery/records.ts.
 */
export interface PostJson {
  readonly node_name: string;
  readonly timestamp: string;
  readonly attempt: number;
  readonly max_retries: number;
  readonly final: boolean;
  /** The line of the ledger; absent: the attempt could not be classified. */
  readonly verdict?: unknown;
  readonly job: { readonly exit_code: number };
  readonly classification: { readonly category: string | null; readonly action: string; readonly reason: string };
}

export const postJsonText = (document: PostJson): string => `${JSON.stringify(document)}\n`;

/** Which attempt the last verdict is about; null: there is none, or it cannot be read. */
export function verdictIn(text: string | null): { readonly cluster?: unknown; readonly at?: unknown } | null {
  const json = parseJson(text ?? "");
  return json.ok ? (((json.value as Partial<PostJson> | null)?.verdict as object | undefined) ?? null) : null;
}
