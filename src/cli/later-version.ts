import { WorldError } from "../core/base/errors.ts";
import type { Client } from "./client.ts";

/**
 * A name means the request of that name, here as on the page and in the API. Who names one that has a later version may have
 * meant that one, and is told; null: there is none, or no such request, which the command says itself.
 */
export async function laterVersion({ requests }: Pick<Client, "requests">, name: string): Promise<string | null> {
  const chain = new Set([name]);
  for (let next = await supersededBy(requests, name); next && !chain.has(next); ) {
    chain.add(next);
    next = await supersededBy(requests, next);
  }
  const newest = [...chain].at(-1);
  if (newest === name) return null;
  return `${name} has a later version, ${newest}: this is about ${name} itself`;
}

async function supersededBy(requests: Client["requests"], name: string): Promise<string | null> {
  try {
    return (await requests.show({ name })).superseded_by_request;
  } catch (error) {
    if (error instanceof WorldError && ["not-found", "bad-usage"].includes(error.code)) return null;
    throw error;
  }
}
