import { parseJson } from "../../core/base/json.ts";

/** What a node was told by its last verdict. */
export interface Deferral {
  readonly notBeforeMs: number;
  readonly reason: string;
}

/**
 * Who is not to be tried again before a time, by the ledger: the last word on a node counts, and an operator's "retry now"
 * ends the wait. Lines are compact JSON, so that only those worth it are parsed.
 */
export function deferralsIn(ledger: string): ReadonlyMap<string, Deferral> {
  const found = new Map<string, Deferral>();
  for (const line of ledger.split("\n")) {
    if (!line.includes('"event":"attempt"') && !line.includes('"event":"retry-now"')) continue;
    const isRetry = line.includes('"decision":"retry"') || line.includes('"event":"retry-now"');
    const parsed = isRetry ? parseJson(line) : null;
    const row = parsed?.ok ? (parsed.value as Record<string, unknown>) : null;
    const at = typeof row?.notBefore === "string" ? Date.parse(row.notBefore) : Number.NaN;
    const node = /"node":"([^"]*)"/.exec(line)?.[1];
    for (const name of Array.isArray(row?.nodes) ? row.nodes : [node]) found.delete(name);
    if (node !== undefined && !Number.isNaN(at)) found.set(node, { notBeforeMs: at, reason: firstPart(row?.reason) });
  }
  return found;
}

/** What happened, without what follows from it: that is told beside it. */
const firstPart = (reason: unknown): string =>
  (typeof reason === "string" && reason.split("; ")[0]) || "no reason given";
