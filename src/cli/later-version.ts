import { WorldError } from "../base/errors.ts";
import type { Client } from "./client.ts";

/**
 * A name means the request of that name, here as on the page and in the API. Who names one that has a later version may have
 * meant that one, and is told; null: there is none, or no such request, which the command says itself.
 */
export async function laterVersion({ requests }: Pick<Client, "requests">, name: string): Promise<string | null> {
  const later = await supersededBy(requests, name);
  if (later === null) return null;
  let newest = later;
  for (let next: string | null = later; next !== null; next = await supersededBy(requests, next)) newest = next;
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
