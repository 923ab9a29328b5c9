import { join } from "node:path";
import { parseJson } from "../base/json.ts";
import { isSiteName } from "../domain/names.ts";
import { readIfThere } from "./disk.ts";

/** What the unit's manifest says of one node. It has a line per key and per node; only the two needed are parsed. */
export function planned(
  dir: string,
  node: string,
): { readonly sites: readonly string[] | null; readonly inputs: readonly string[] } {
  const text = readIfThere(join(dir, "manifest.json")) ?? "";
  const sites = lineValue(text, "sites");
  const entry = lineValue(text, node) as { inputs?: { lfn?: unknown }[] } | null;
  const named = Array.isArray(sites) ? sites.filter((site) => typeof site === "string" && isSiteName(site)) : [];
  return {
    // Where the unit may run at all, whatever it was pinned to since; none named: anywhere.
    sites: named.length > 0 ? named : null,
    inputs: (entry?.inputs ?? []).flatMap(({ lfn }) => (typeof lfn === "string" ? [lfn] : [])),
  };
}

function lineValue(text: string, key: string): unknown {
  const head = `\n${JSON.stringify(key)}:`;
  const at = text.indexOf(head);
  if (at < 0) return null;
  const end = text.indexOf("\n", at + 1);
  const parsed = parseJson(text.slice(at + head.length, end < 0 ? undefined : end).replace(/,$/, ""));
  return parsed.ok ? parsed.value : null;
}
