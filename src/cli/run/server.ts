import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../../config/settings.ts";
import { WorldError } from "../../core/base/errors.ts";
import { isTerminal, REQUEST_STATUSES } from "../../core/request-status.ts";
import type { Server } from "../../main.ts";
import { type Client, makeClient } from "../client.ts";
import { clientFor, liveServer, namedServer, reach } from "../reach.ts";
import { type GlobalOptions, settingsFrom } from "../settings.ts";
import { endEngine } from "./stop-engine.ts";

/** The server a run talks to: one that is there, else one of its own for as long as the run lasts. */
export interface RunServer {
  readonly client: Client;
  readonly isOwn: boolean;
  /** Sees to it that one answers: it may have belonged to another run that is over. */
  ensure(): Promise<void>;
  /** Ends the own one, and the engine's process unless jobs of others are there. */
  close(): Promise<void>;
}

/** A second run waits so long for the server that another one is just starting, or closing. */
const PATIENCE_MS = 30_000;
/** Somebody looks on: passes may come as often as looks do. */
const FOR_A_RUN = {
  "listen.port": 0,
  "listen.host": "127.0.0.1",
  "log.level": "silent",
  "lifecycle.interval_sec": 0.2,
};

export function runServer(options: GlobalOptions): RunServer {
  if (namedServer(options) !== undefined)
    return { client: clientFor(options), isOwn: false, ensure: async () => {}, close: async () => {} };
  const { config } = settingsFrom(options, [], FOR_A_RUN);
  const dataDir = config.data_dir;
  let own: Server | null = null;
  let starting: Promise<void> | null = null;
  const client = makeClient(() => own ?? reach(dataDir, null, options.tokenFile));
  const start = async (): Promise<void> => {
    for (const end = Date.now() + PATIENCE_MS; ; await sleep(50)) {
      if (own || (liveServer(dataDir) && (await answers(client)))) return;
      try {
        own = await startServer(config);
        return;
      } catch (error) {
        if (!(error instanceof WorldError) || error.code !== "store-locked" || Date.now() > end) throw error;
      }
    }
  };
  return {
    client,
    get isOwn() {
      return own !== null;
    },
    ensure: () =>
      (starting ??= start().finally(() => {
        starting = null;
      })),
    async close() {
      await starting?.catch(() => {});
      if (!own) return;
      await own.loop.stop();
      // Before the database is free for another run, which would start an engine of its own.
      if (config["engine.kind"] === "local" && !(await hasOpenRequests(client))) await endEngine(dataDir);
      await own.close();
      own = null;
    },
  };
}

/** Loaded only when it is needed: most runs of people with a server never do. */
async function startServer(config: Config): Promise<Server> {
  const main = await import("../../main.ts");
  return main.startServer(config);
}

const answers = (client: Client): Promise<boolean> =>
  client.system.status().then(
    () => true,
    () => false,
  );

/** Whether jobs may be in the engine; what is held has none there. */
async function hasOpenRequests(client: Client): Promise<boolean> {
  const status = REQUEST_STATUSES.filter((one) => !isTerminal(one) && one !== "new" && one !== "held");
  return (await client.requests.list({ status, limit: 1 })).items.length > 0;
}
