import { parseJson } from "../core/base/json.ts";

/**
 * <node>.post.json: the last verdict on a node, with the field names of the error-handling specification. `verdict` is
 * its line of the ledger. A success is written by verdict.sh; failures are built by recovery/records.ts.
 */
export const postJsonText = (document: { readonly node_name: string; readonly final: boolean }): string =>
  `${JSON.stringify(document)}\n`;

/** Which attempt the last verdict is about; null: there is none, or it cannot be read. */
export function verdictIn(text: string | null): { readonly cluster?: unknown; readonly at?: unknown } | null {
  const json = parseJson(text ?? "");
  return json.ok ? ((json.value as { verdict?: object } | null)?.verdict ?? null) : null;
}
