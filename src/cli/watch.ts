import { WorldError } from "../core/base/errors.ts";
import { isTerminal, REQUEST_STATUSES } from "../core/request-status.ts";
import { allOf, type Client } from "./client.ts";
import { aRequest, command } from "./command.ts";
import { follow } from "./follow.ts";
import { jsonShow, personShow } from "./shows.ts";
import { paintFor, talk } from "./terminal.ts";
import { outcomeLine } from "./view/watched.ts";

export const addWatch = command("watch", {
  about: "live progress by work unit, until all requests have ended or wait for a person",
  arguments: { "[names...]": aRequest("requests to watch") },
  options: {
    "--all": "every request that is open, also those submitted meanwhile",
    "--interval <seconds>": { about: "time between looks", fallback: "1" },
  },
  json: "one JSON line per change",
  examples: [
    "wms2 watch weather-example",
    "wms2 watch --all",
    'wms2 watch weather-example && echo "outputs are there"',
  ],
  more: "Exits with 0 when all completed, 3 when one is held, failed or aborted. Ctrl-C leaves; the requests go on.",
  async run({ client, options }, names: readonly string[]) {
    if (names.length === 0 && !options.all)
      throw new WorldError("bad-usage", "watch", "watch needs the name of a request, or --all");
    await watchAndTell(client, names, options);
  },
});

/** Watches, says how each request ended, and sets the exit code by it. */
export async function watchAndTell(
  client: Client,
  names: readonly string[],
  options: { readonly all?: boolean; readonly json?: boolean; readonly interval: string },
): Promise<void> {
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  process.once("SIGINT", onSignal);
  process.once("SIGTERM", onSignal);
  const watched = await follow(client, names, options.json ? jsonShow() : personShow(process.stdout), {
    everyMs: Math.max(100, Number(options.interval) * 1000 || 1000),
    signal: stop.signal,
    ...(options.all && { more: () => openRequests(client) }),
  }).finally(() => {
    process.off("SIGINT", onSignal);
    process.off("SIGTERM", onSignal);
  });
  if (stop.signal.aborted) {
    talk("not watching any more; the requests go on");
    process.exitCode = 130;
    return;
  }
  const paint = paintFor(process.stderr);
  if (watched.length === 0) talk("nothing is open");
  for (const one of watched) {
    const line = outcomeLine(one, new Date());
    talk(one.request.status === "completed" ? paint.green(line) : paint.red(line));
  }
  process.exitCode = watched.every(({ request }) => request.status === "completed") ? 0 : 3;
}

async function openRequests(client: Client): Promise<readonly string[]> {
  const status = REQUEST_STATUSES.filter((one) => !isTerminal(one) && one !== "new");
  const { items } = await allOf(client.requests.list, { status }, 500);
  return items.map((item) => item.request_name).reverse();
}
