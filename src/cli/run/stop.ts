import { isTerminal } from "../../core/request-status.ts";
import type { Client } from "../client.ts";
import { follow } from "../follow.ts";
import { onSignals, talk } from "../terminal.ts";
import type { WatchedRequest } from "../view/watched.ts";

/** Jobs must be gone before the server goes: afterwards nobody would remove them. */
export async function abortAll(client: Client, watched: readonly WatchedRequest[]): Promise<void> {
  talk("stopping …");
  const open = watched.filter(({ request }) => !isTerminal(request.status)).map(({ request }) => request.request_name);
  for (const name of open) {
    await client.actions.abort({ name, reason: "the demo was interrupted" });
  }
  const quiet = { update() {}, close() {} };
  await follow(client, open, quiet, { everyMs: 100, signal: AbortSignal.timeout(15_000) });
}

/** The first Ctrl-C (or a terminal that closes) stops in order; the second one leaves at once. */
export function stopOnSignal(): { readonly signal: AbortSignal; forget(): void } {
  const stop = new AbortController();
  const forget = onSignals(() => {
    if (stop.signal.aborted) process.exit(130);
    stop.abort();
  });
  return { signal: stop.signal, forget };
}
