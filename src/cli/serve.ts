import type { Config } from "../config/settings.ts";
import { WorldError } from "../core/base/errors.ts";
import { collect, command, type Options, type Values } from "./command.ts";
import { type GlobalOptions, settingsFrom } from "./settings.ts";
import { paintFor, talk, tellWarnings } from "./terminal.ts";

const OPTIONS = {
  "--port <port>": "port of the API; 0 picks a free one",
  "--host <address>": "address to listen on; elsewhere than loopback, reading needs the token too",
  "--engine <kind>": "what runs the jobs: local or dagman",
  "--set <key=value>": { about: "any setting (see: wms2 config show); may be repeated", parse: collect },
} as const satisfies Options;

export const addServe = command("serve", {
  about: "run the server: API, lifecycle loop and engine",
  options: OPTIONS,
  json: null,
  examples: [
    "wms2 serve                                       everything embedded, on 127.0.0.1:8420",
    "wms2 serve --data-dir /srv/wms2 --port 9000",
    "wms2 serve --engine dagman                       hand the DAGs to HTCondor",
    "wms2 serve --set lifecycle.interval_sec=2 --set admission.max_active=50",
  ],
  more: "Ctrl-C ends it within 10 seconds; a second Ctrl-C at once. Jobs live on and are found again at the next start.",
  async run({ options }) {
    await serve(serveSettings(options));
  },
});

/** The flags of `serve` are settings under shorter names. */
export const serveSettings = ({
  set,
  port,
  host,
  engine,
  ...options
}: Values<typeof OPTIONS> & GlobalOptions): Config =>
  settingsFrom(options, set, {
    "listen.port": port === undefined ? undefined : numberOrText(port),
    "listen.host": host,
    "engine.kind": engine,
  }).config;

const numberOrText = (text: string): unknown => (/^\d+$/.test(text) ? Number(text) : text);

async function serve(config: Config): Promise<void> {
  const { startServer } = await import("../main.ts");
  // What is told here goes to a log that may lie on a full disk: no reason to end.
  for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners("error").on("error", () => {});
  const stop = stopSignal();
  const server = await startServer(config).catch((error: unknown) => {
    throw listenFailure(config["listen.host"], config["listen.port"], error) ?? error;
  });
  const paint = paintFor(process.stderr);
  const rows = [
    ["listening", paint.bold(server.url)],
    ["described at", `${server.url}/docs`],
    ["engine", config["engine.kind"]],
    ["database", config["database.url"] ? "PostgreSQL" : "embedded"],
    ["data", config.data_dir],
    ["token", server.tokenFile],
  ];
  talk(rows.map(([name, value]) => `  ${paint.dim((name ?? "").padEnd(13))} ${value}`).join("\n"));
  tellWarnings(server.warnings.map(({ what, fix }) => `${what}; try: ${fix}`));
  await stop;
  talk("stopping; once more ends at once");
  let part = "";
  const closed = server.close((what) => {
    part = what;
  });
  const giveUp = setTimeout(() => {
    talk(`ended after ${STOP_SEC} s without waiting for ${part} any longer; the next start goes on from there`);
    process.exit(1);
  }, STOP_SEC * 1000);
  await closed;
  clearTimeout(giveUp);
}

/** Everything is safe to be killed at any moment: a stop waits out of politeness, and not for long. */
const STOP_SEC = 8;

/** An address that cannot be had is for a person to change, not a bug. */
function listenFailure(host: string, port: number, error: unknown): WorldError | null {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall !== "listen" && code !== "ENOTFOUND") return null;
  const why = code === "EADDRINUSE" ? "somebody else listens there" : "the address cannot be had";
  return new WorldError("bad-config", `${host}:${port}`, `cannot listen on ${host}:${port}: ${why}`, {
    cause: error,
    hint: "give another --port (0 picks a free one) or --host",
  });
}

/** Resolves at the first SIGINT or SIGTERM; the second one ends the process. */
function stopSignal(): Promise<void> {
  return new Promise((resume) => {
    let asked = false;
    for (const [signal, number] of [["SIGINT", 2] as const, ["SIGTERM", 15] as const]) {
      process.on(signal, () => {
        if (asked) process.exit(128 + number);
        asked = true;
        resume();
      });
    }
  });
}
