import { WorldError } from "../base/errors.ts";
import type { Client } from "./client.ts";

/**
 * Which version of a request a name means, for every command: a name that says its version (sweep-v2, …_v1_…) means that one,
 * any other the latest; NAME-v1 is the first. `said`: why it is another than was named.
 */
export async function meantVersion(
  client: Pick<Client, "requests">,
  name: string,
): Promise<{ readonly name: string; readonly said: string | null }> {
  const known = await versionsOf(client, name);
  if (SAYS_VERSION.test(name)) {
    const first = known === null && name.endsWith(FIRST) ? name.slice(0, -FIRST.length) : null;
    return first !== null && (await versionsOf(client, first)) ? { name: first, said: null } : { name, said: null };
  }
  let [latest, next] = [name, known?.supersededBy ?? null];
  while (next !== null) [latest, next] = [next, (await versionsOf(client, next))?.supersededBy ?? null];
  return { name: latest, said: latest === name ? null : `${name} has later versions (its first is ${name}${FIRST})` };
}

const SAYS_VERSION = /[-_]v\d+(_|$)/;
const FIRST = "-v1";

/** null: there is no such request; the command says so. */
async function versionsOf({ requests }: Pick<Client, "requests">, name: string) {
  try {
    return { supersededBy: (await requests.show({ name })).superseded_by_request };
  } catch (error) {
    if (error instanceof WorldError && ["not-found", "bad-usage"].includes(error.code)) return null;
    throw error;
  }
}
