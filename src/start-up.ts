import { existsSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { type Logger, pino } from "pino";
import { decideWarnings, type Warning } from "./config/safety.ts";
import { type Config, section } from "./config/settings.ts";
import type { AdmissionLimits } from "./core/admission.ts";
import { WorldError } from "./core/base/errors.ts";
import type { Log } from "./core/base/log.ts";
import { plainJson } from "./core/base/plain-text.ts";
import { orUnwritable, readIfThere, replaceFile } from "./core/disk/atomic-file.ts";
import { closedAncestor, describeClosed } from "./engines/dagman/give-away.ts";
import { missingProgram } from "./engines/dagman/spawn.ts";
import type { Ports } from "./loop/ports.ts";
import { hashOf, newToken } from "./operations/http/tokens.ts";

/** What a server sees to before its parts start: directories, the token, and what is unsafe about the way it runs. */

/** Who owns what the server writes for the pool when it is root; null: whoever we are. */
export function submitter(config: Config): { uid: number; gid: number } | null {
  const { submitUid: uid, submitGid: gid } = section(config, "engine.dagman");
  return uid === null || config["engine.kind"] !== "dagman" ? null : { uid, gid: gid ?? uid };
}

/** Without it every request would wait for an engine that never answers. */
export async function requireHtcondor(config: Config): Promise<void> {
  if (config["engine.kind"] !== "dagman") return;
  const missing = await missingProgram([...config["engine.dagman.prefix"], "condor_submit_dag"]);
  if (missing === null) return;
  const hint =
    "install HTCondor here, or say how to reach it with engine.dagman.prefix (npm run pool -- up makes a pool of your own; " +
    "docs/guides/htcondor.md); without HTCondor: wms2 serve --engine local";
  throw new WorldError("bad-config", missing, `there is no ${missing} on the PATH, and engine dagman needs it`, {
    hint,
  });
}

/**
 * Browsers and fetch, and so our own command line, refuse these (the Fetch standard's bad ports, from 1024 on). A system
 * that hands out ports from 1024 on, as one tuned by HTCondor does, hits one of them in a few thousand starts.
 */
const REFUSED_PORTS: ReadonlySet<number> = new Set([
  ...[1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000],
  ...[6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080],
]);

/** Where to listen; port 0: at any that is free and can be reached. */
export async function listenAt(
  { host, port }: { readonly host: string; readonly port: number },
  freePort = systemPort,
): Promise<{ readonly host: string; readonly port: number }> {
  if (REFUSED_PORTS.has(port))
    throw new WorldError("bad-config", `port ${port}`, `browsers and the command line refuse to call port ${port}`, {
      hint: "listen at another one: --port 8420, or listen.port",
    });
  if (port !== 0) return { host, port };
  for (;;) {
    const free = await freePort(host);
    if (!REFUSED_PORTS.has(free)) return { host, port: free };
  }
}

function systemPort(host: string): Promise<number> {
  return new Promise((done, failed) => {
    const server = createServer().once("error", failed);
    server.listen(0, host, () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => done(port));
    });
  });
}

/** The owner of jobs who is not us has to pass through the data directory to the spool below it. */
const passage = (config: Config): number => (submitter(config) === null ? 0 : 0o011);

/** Closed to others from the beginning; a directory that is there stays as it is. */
export async function makeDirectories(config: Config): Promise<void> {
  const modes = { [config.data_dir]: 0o700 | passage(config), [config.spool_dir]: 0o755, [config.storage_dir]: 0o755 };
  for (const [path, mode] of Object.entries(modes))
    await orUnwritable(path, () => mkdir(path, { recursive: true, mode }));
}

/** Jobs that cannot reach their directory would all be refused: better told before the first one. */
export async function closedSpool(config: Config): Promise<readonly Warning[]> {
  const owner = submitter(config);
  const closed = owner && (await closedAncestor(join(config.spool_dir, "request"), owner));
  return closed
    ? [{ what: describeClosed(closed, owner), fix: `chmod o+x ${closed}, or set spool_dir elsewhere` }]
    : [];
}

export async function safetyWarnings(config: Config, tokenFile: string): Promise<readonly Warning[]> {
  const modeOf = async (path: string) => ({ path, mode: (await stat(path)).mode });
  return decideWarnings({
    host: config["listen.host"],
    engine: config["engine.kind"],
    uid: process.getuid?.() ?? null,
    dataDir: { ...(await modeOf(config.data_dir)), allowed: passage(config) },
    tokenFile: await modeOf(tokenFile),
    keyFiles: await Promise.all(keyFiles(config).filter(existsSync).map(modeOf)),
  });
}

function keyFiles(config: Config): readonly string[] {
  if (config["catalog.kind"] !== "cms") return [];
  const key = config["catalog.cms.proxy_file"] ?? config["catalog.cms.key_file"];
  return key === null ? [] : [key];
}

/**
 * The token that allows changes: made at the first start, readable by its owner only, known to the store as a hash. One
 * that was withdrawn stays so: a file brings its token back only to a database that knows none.
 */
export async function operatorToken(
  { store, clock, log }: Ports,
  config: Config,
): Promise<{ token: string; tokenFile: string }> {
  const tokenFile = join(config.data_dir, "operator.token");
  const kept = (await readIfThere(tokenFile))?.trim();
  const token = kept || newToken();
  if (!kept) await replaceFile(tokenFile, `${token}\n`, 0o600);
  const known = await store.settings.listTokens();
  const sha256 = hashOf(token);
  if (!kept || known.length === 0) await store.settings.addToken({ sha256, name: "operator", at: clock.now() });
  else if (!known.some((one) => one.sha256 === sha256))
    log.warn("token.withdrawn", { file: tokenFile, fix: "delete the file and restart for a new token, or ignore it" });
  return { token, tokenFile };
}

/** What the configuration says is a beginning; what an operator set through the API stays. */
export async function firstSettings({ store, clock }: Ports, config: Config): Promise<void> {
  if (await store.settings.get<AdmissionLimits>("admission")) return;
  const limits: AdmissionLimits = { maxActive: config["admission.max_active"] };
  await store.settings.set("admission", limits, "config", clock.now());
}

/**
 * To stderr. Where that cannot be written (its disk is full), lines wait for a while and are then left out: a server that
 * cannot tell what it does goes on doing it.
 */
export function makeLogger(level: string): Logger {
  const stderr = pino.destination({ dest: 2, sync: true, maxLength: 1_000_000 });
  stderr.on("error", () => {});
  return pino({ level }, { write: (line: string): void => void stderr.write(plainJson(line)) });
}

export function logTo(logger: Logger): Log {
  return {
    info: (event, detail) => logger.info(detail, event),
    warn: (event, detail) => logger.warn(detail, event),
    error: (event, detail) => logger.error(detail, event),
  };
}
