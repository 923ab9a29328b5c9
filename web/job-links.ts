import { requestHref } from "./request-status.tsx";

/** Addresses of the pages around one work unit and one job. A job of a graph is the only node of its unit. */
export interface NodePlace {
  readonly unit: string;
  readonly node: string;
}
interface LogPlace extends NodePlace {
  readonly cluster?: string | number | null;
  readonly file?: "out" | "err";
  /** The first byte of a line. */
  readonly at?: number;
}

export const graphHref = (name: string): string => `${requestHref(name)}/graph`;
export const unitHref = (name: string, unit: string): string =>
  `${requestHref(name)}/units/${encodeURIComponent(unit)}`;
export const nodeHref = (name: string, { unit, node }: NodePlace): string =>
  `${requestHref(name)}/nodes/${[...new Set([unit, node])].map(encodeURIComponent).join(":")}`;

/** What is as usual is left out: the newest attempt, and what it wrote as errors. */
export function logHref(name: string, { unit, node, cluster, file, at }: LogPlace): string {
  const query = new URLSearchParams({ unit });
  if (node !== unit) query.set("node", node);
  if (file === "out") query.set("file", file);
  if (cluster !== undefined && cluster !== null) query.set("cluster", String(cluster));
  if (at !== undefined) query.set("at", String(at));
  return `${requestHref(name)}/log?${query}`;
}

/** "mg_000003/proc_000021" or "mg_000003:proc_000021", or the name of a graph's job. */
export function placeOf(text: string): NodePlace {
  const [, unit, node] = /^((?:mg|job)_\d+)[:/](.+)$/.exec(text) ?? [];
  return unit !== undefined && node !== undefined ? { unit, node } : { unit: text, node: text };
}
export const placeName = ({ unit, node }: NodePlace): string => (unit === node ? node : `${unit}/${node}`);
