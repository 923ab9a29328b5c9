import type { Command } from "commander";
import { WorldError } from "../base/errors.ts";
import type { LoadedConfig } from "../config/load.ts";
import { collect, type GlobalOptions, optionsOf, settingsFrom } from "./settings.ts";
import { paintFor, talk } from "./terminal.ts";

interface ServeOptions {
  readonly set?: readonly string[];
  readonly port?: string;
  readonly host?: string;
  readonly engine?: string;
}

export function addServe(program: Command): void {
  program
    .command("serve")
    .description("run the server: API, lifecycle loop and engine")
    .option("--port <port>", "port of the API; 0 picks a free one")
    .option("--host <address>", "address to listen on; elsewhere than loopback, reading needs the token too")
    .option("--engine <kind>", "what runs the jobs: local or dagman")
    .option("--set <key=value>", "any setting (see: wms2 config show); may be repeated", collect)
    .addHelpText(
      "after",
      `
Examples:
  wms2 serve                                       everything embedded, on 127.0.0.1:8420
  wms2 serve --data-dir /srv/wms2 --port 9000
  wms2 serve --engine dagman                       hand the DAGs to HTCondor
  wms2 serve --set lifecycle.interval_sec=2 --set admission.max_active=50

Ctrl-C ends it after the present pass; a second Ctrl-C at once. Jobs live on and are found again at the next start.`,
    )
    .action(async (_options: unknown, command: Command) => serve(serveSettings(optionsOf(command))));
}

/** The flags of `serve` are settings under shorter names. */
export function serveSettings(options: ServeOptions & GlobalOptions): LoadedConfig {
  const flags = {
    ...(options.port !== undefined && { "listen.port": numberOrText(options.port) }),
    ...(options.host !== undefined && { "listen.host": options.host }),
    ...(options.engine !== undefined && { "engine.kind": options.engine }),
  };
  return settingsFrom(options, { set: options.set, flags });
}

const numberOrText = (text: string): unknown => (/^\d+$/.test(text) ? Number(text) : text);

async function serve({ config }: LoadedConfig): Promise<void> {
  const { startServer } = await import("../main.ts");
  const stop = stopSignal();
  const server = await startServer(config).catch((error: unknown) => {
    throw listenFailure(config["listen.host"], config["listen.port"], error) ?? error;
  });
  const paint = paintFor(process.stderr);
  const engine = config["engine.kind"];
  const rows = [
    ["listening", paint.bold(server.url)],
    ["described at", `${server.url}/docs`],
    ["engine", engine],
    ["database", config["database.url"] ? "PostgreSQL" : "embedded"],
    ["data", config.data_dir],
    ["token", server.tokenFile],
  ];
  talk(rows.map(([name, value]) => `  ${paint.dim((name ?? "").padEnd(13))} ${value}`).join("\n"));
  await stop;
  talk("stopping after the present pass; once more ends at once");
  await server.close();
}

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
