import { stringify } from "../core/base/json.ts";
import type { Operation } from "./operation.ts";

/** By which an agent that uses a person's token says its own name, for the audit. */
export const AGENT_HEADER = "wms2-agent";

type Input = Readonly<Record<string, unknown>>;

/** An operation and its input as they travel: what goes into the path (with its query) and what into the body. */
interface HttpParts {
  readonly path: string;
  readonly body: string | null;
  /** Of the body. */
  readonly type: string | null;
}

export function httpParts({ path, query, body, rawBody }: Operation, input: Input): HttpParts {
  const rest = { ...input };
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = String(rest[name]);
    delete rest[name];
    return encodeURIComponent(value);
  });
  const search = new URLSearchParams();
  for (const name of Object.keys(query?.shape ?? {})) {
    for (const value of [rest[name] ?? []].flat()) search.append(name, String(value));
    delete rest[name];
  }
  const text = search.toString();
  const full = text ? `${filled}?${text}` : filled;
  if (!body) return { path: full, body: null, type: null };
  const sent = "body" in rest ? rest.body : rest;
  if (!rawBody || typeof sent !== "string") return { path: full, body: stringify(sent), type: "application/json" };
  // As somebody wrote it.
  const isJson = sent.trimStart().startsWith("{");
  return { path: full, body: sent, type: isJson ? "application/json" : "application/yaml" };
}
