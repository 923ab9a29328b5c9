import { useSearch } from "wouter";
import type { Input } from "../../api/client.ts";
import { requestHref } from "../../request-status.tsx";
import { useNames } from "../../url-state.ts";

/** Which log, which part of it, which line, what is looked for: all of it stands in the address. */
export interface LogAddress {
  readonly name: string;
  readonly unit: string;
  readonly node: string;
  readonly file: "out" | "err";
  readonly cluster: string | null;
  readonly from: number | null;
  readonly at: number | null;
  readonly q: string;
  readonly isFollowed: boolean;
  /** What every question about this log has. */
  readonly log: Pick<Input<"attempts.log">, "name" | "unit" | "node" | "file" | "cluster">;
  /** The same page, with something changed. */
  readonly with: (changes: Changes) => string;
}
type Key = "file" | "cluster" | "from" | "at" | "q" | "follow";
type Changes = Readonly<Partial<Record<Key, string | number | null>>>;

export function useLogAddress(): LogAddress {
  const { name = "" } = useNames();
  const query = new URLSearchParams(useSearch());
  const text = (key: string): string | null => query.get(key) || null;
  const number = (key: string): number | null =>
    /^\d{1,15}$/.test(query.get(key) ?? "") ? Number(query.get(key)) : null;
  const unit = text("unit") ?? "";
  const node = text("node") ?? unit;
  const file = text("file") === "out" ? "out" : "err";
  const cluster = text("cluster");
  return {
    ...{ name, unit, node, file, cluster, from: number("from"), at: number("at"), q: text("q") ?? "" },
    isFollowed: text("follow") !== null,
    log: { name, unit, file, ...(node !== unit && { node }), ...(cluster !== null && { cluster }) },
    with(changes) {
      const next = new URLSearchParams(query);
      for (const [key, value] of Object.entries(changes))
        if (value === null) next.delete(key);
        else next.set(key, String(value));
      return `${requestHref(name)}/log?${next}`;
    },
  };
}
