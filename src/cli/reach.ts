import { readFileSync } from "node:fs";
import { join } from "node:path";
import { WorldError } from "../core/base/errors.ts";
import { parseJson } from "../core/base/json.ts";
import { isLoopback } from "../core/base/loopback.ts";
import { isProcess } from "../core/disk/processes.ts";
import { type Client, makeClient, type Reach } from "./client.ts";
import { given } from "./option-values.ts";
import { type GlobalOptions, settingsFrom } from "./settings.ts";
import { typed } from "./view/text.ts";

const DEFAULT_URL = "http://127.0.0.1:8420";

/** A client of the server these options mean. */
export const clientFor = (options: GlobalOptions): Client => makeClient(reachOf(options));

/** Where that server is, and the token for it, whenever it is asked. */
export function reachOf(options: GlobalOptions): () => Reach {
  const { config } = settingsFrom(options);
  const told = namedServer(options);
  const url = told === undefined ? null : checkedUrl(told);
  // What a run left behind is looked at with a server on the same data directory.
  const where = given({ "--data-dir": options.dataDir, "--config": options.config });
  const serve = ["wms2", "serve", ...Object.entries(where).flat()].map((word) => typed(String(word))).join(" ");
  const hint = url === null ? { hint: `start it with: ${serve}` } : {};
  return () => ({ ...reach(config.data_dir, url, options.tokenFile), ...hint });
}

/**
 * Where and as whom. The token of the data directory goes to this machine only: a server named elsewhere gets
 * a token only if one was named for it.
 */
export function reach(dataDir: string, told: string | null, tokenFile: string | undefined): Reach {
  const url = told ?? runningServer(dataDir)?.url ?? DEFAULT_URL;
  const given = tokenFile === undefined ? process.env.WMS2_TOKEN?.trim() || null : readToken(tokenFile);
  if (given !== null) return { url, token: given };
  return { url, token: isLoopback(new URL(url).hostname) ? ownToken(dataDir) : null };
}

export interface RunningServer {
  readonly url: string;
  readonly pid: number;
}

/** What a server left in its data directory when it began to listen; it may be gone by now. */
export function runningServer(dataDir: string): RunningServer | null {
  const text = textIfReadable(join(dataDir, "server.json"));
  const json = text === null ? null : parseJson(text);
  const told = (json?.ok ? json.value : null) as Partial<RunningServer> | null;
  if (typeof told?.url !== "string" || typeof told.pid !== "number") return null;
  return { url: told.url, pid: told.pid };
}

/** The server of a data directory, if its process is there. */
export function liveServer(dataDir: string): RunningServer | null {
  const server = runningServer(dataDir);
  return server && isProcess(server.pid) ? server : null;
}

/** The server the surroundings name, by option or environment. */
export const namedServer = (options: GlobalOptions): string | undefined => options.server ?? process.env.WMS2_SERVER;

export const ownToken = (dataDir: string): string | null =>
  textIfReadable(join(dataDir, "operator.token"))?.trim() || null;

function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url && (url.protocol === "http:" || url.protocol === "https:")) return text.replace(/\/+$/, "");
  throw new WorldError("bad-usage", text, `"${text}" is not the address of a server`, {
    hint: `for example: --server ${DEFAULT_URL}`,
  });
}

function readToken(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new WorldError("unauthenticated", file, `the token file ${file} cannot be read`, { cause: error });
  }
}

/** null: it is not there, or not for us. */
function textIfReadable(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}
