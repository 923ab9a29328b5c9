import { createHash, randomBytes, randomUUID } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { type Logger, pino } from "pino";
import { makeAlertDelivery } from "./alerts/delivery.ts";
import { makeSinks } from "./alerts/sink.ts";
import type { Turns } from "./alerts/turns.ts";
import { makeWatch } from "./alerts/watch.ts";
import { makeEventBus } from "./api/event-bus.ts";
import { makeMetrics } from "./api/metrics.ts";
import { buildApi } from "./api/server.ts";
import type { Clock } from "./base/clock.ts";
import { VERSION } from "./base/version.ts";
import { makeLocalCatalog } from "./catalogs/local-catalog.ts";
import { type Config, section } from "./config/settings.ts";
import { replaceFile, unwritable } from "./disk/atomic-file.ts";
import { readPolicyFile } from "./disk/policy-file.ts";
import { makeSpool, type SpoolOptions } from "./disk/spool.ts";
import type { AdmissionLimits } from "./domain/admission.ts";
import { DEFAULT_INTAKE_RULES, type IntakeRules } from "./domain/submission.ts";
import { makeDagmanEngine } from "./engine/dagman/dagman-engine.ts";
import { makeLocalEngine } from "./engine/local/local-engine.ts";
import type { Engine } from "./engine/port.ts";
import { makeHousekeeping } from "./housekeeping/housekeeper.ts";
import { makeCommands } from "./lifecycle/commands.ts";
import { type Loop, makeLoop } from "./lifecycle/loop.ts";
import type { Log, LoopPolicy, Ports } from "./lifecycle/ports.ts";
import { timedEngine } from "./lifecycle/timed-engine.ts";
import { openEmbedded, openPostgres } from "./store/open.ts";
import type { Store } from "./store/port.ts";

/** A running server. `close` ends passes, the API and the store; jobs of the engine live on. */
export interface Server {
  readonly url: string;
  readonly token: string;
  readonly tokenFile: string;
  readonly ports: Ports;
  readonly loop: Loop;
  close(): Promise<void>;
}

const systemClock: Clock = { now: () => new Date() };

/** The composition root: the only place that chooses adapters. */
export async function startServer(config: Config): Promise<Server> {
  const logger: Logger = pino({ level: config["log.level"] }, pino.destination(2));
  await makeDirectories([config.data_dir, config.spool_dir, config.storage_dir]);
  const store = await openStoreFor(config);
  const metrics = makeMetrics(VERSION);
  const events = makeEventBus();
  const engine = timedEngine(makeEngine(config), metrics, systemClock);
  const ports: Ports = {
    store,
    engine,
    catalog: makeLocalCatalog(config.storage_dir),
    spool: makeSpool(await spoolOptions(config)),
    clock: systemClock,
    ids: { next: randomUUID },
    log: logTo(logger),
    metrics,
    events,
  };
  const { token, tokenFile } = await operatorToken(store, config);
  await firstSettings(ports, config);
  const loop = makeLoop(ports, loopPolicy(config), leaseOwner(config));
  const commands = makeCommands(ports, loopPolicy(config), intakeRules(config), () => loop.nudge());
  const api = await buildApi({
    ...ports,
    metrics,
    events,
    commands,
    loop,
    logger,
    info: {
      version: VERSION,
      startedAt: systemClock.now(),
      engine: engine.name,
      store: config["database.url"] ? "postgresql" : "embedded",
    },
    requireAuthForReads: !isLoopback(config["listen.host"]),
  });
  const url = await api.listen(section(config, "listen")).catch(async (error: unknown) => {
    await Promise.allSettled([api.close(), engine.close(), store.close()]);
    throw error;
  });
  await replaceFile(join(config.data_dir, "server.json"), `${JSON.stringify({ url, pid: process.pid })}\n`);
  loop.start();
  const caretakers = makeCaretakers(ports, config, async () => (await loop.status()).isLeader);
  for (const caretaker of caretakers) caretaker.start();
  logger.info({ url, engine: engine.name }, "server.ready");
  return {
    url,
    token,
    tokenFile,
    ports,
    loop,
    async close() {
      await Promise.all(caretakers.map((caretaker) => caretaker.stop()));
      await loop.stop();
      await api.close();
      await engine.close();
      await store.close();
    },
  };
}

/** What runs beside the passes, on the server that holds the lease: watching, telling, tidying. */
function makeCaretakers(ports: Ports, config: Config, isLeader: () => Promise<boolean>): readonly Turns[] {
  const { store, clock, log } = ports;
  const { spool_dir: spoolDir, storage_dir: storageDir } = config;
  return [
    makeWatch(ports, {
      ...section(config, "alerts"),
      moreErrorsThan: config["lifecycle.max_errors"],
      places: [
        { what: "spool", path: spoolDir },
        { what: "storage", path: storageDir },
      ],
      isLeader,
    }),
    makeAlertDelivery(store, makeSinks(config["alerts.sinks"], clock), clock, log, { isLeader }),
    makeHousekeeping({ ...ports, spoolDir, storageDir }, { ...section(config, "housekeeping"), isLeader }),
  ];
}

/**
 * The embedded database is locked for one process, so whoever opens it may take the lease of the one before at once;
 * several servers on PostgreSQL are told apart.
 */
const leaseOwner = (config: Config): string =>
  config["database.url"] ? `${hostname()}:${process.pid}` : `${hostname()}:embedded`;

const isLoopback = (host: string): boolean =>
  ["127.0.0.1", "::1", "localhost"].includes(host) || host.startsWith("127.");

async function makeDirectories(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    try {
      await mkdir(path, { recursive: true });
    } catch (error) {
      throw unwritable(path, error);
    }
  }
}

export async function openStoreFor(config: Config): Promise<Store> {
  const url = config["database.url"];
  return url ? openPostgres(url) : openEmbedded(join(config.data_dir, "database"));
}

/** Who owns what the server writes for the pool when it is root; null: whoever we are. */
function submitter(config: Config): { uid: number; gid: number } | null {
  const { submitUid: uid, submitGid: gid } = section(config, "engine.dagman");
  return uid === null || config["engine.kind"] !== "dagman" ? null : { uid, gid: gid ?? uid };
}

export function makeEngine(config: Config): Engine {
  const timeoutSec = config["engine.timeout_sec"];
  if (config["engine.kind"] === "dagman") {
    const { prefix: commandPrefix, maxIdle } = section(config, "engine.dagman");
    return makeDagmanEngine({ commandPrefix, submitAs: submitter(config), maxIdle, timeoutSec });
  }
  const sites = config["engine.local.sites"].map(({ memory_mb: memoryMb, ...site }) => ({ ...site, memoryMb }));
  return makeLocalEngine({ dir: join(config.data_dir, "engine"), sites, timeoutSec });
}

export async function spoolOptions(config: Config): Promise<SpoolOptions> {
  const installation = await readPolicyFile(config["recovery.policy_file"]);
  return {
    ...section(config, "dag"),
    spoolDir: config.spool_dir,
    storageDir: config.storage_dir,
    owner: submitter(config),
    avoidHostSec: config["recovery.avoid_host_sec"],
    recovery: { ...section(config, "recovery"), ...section(config, "planning"), installation },
  };
}

export const loopPolicy = (config: Config): LoopPolicy => ({
  ...section(config, "lifecycle"),
  ...section(config, "planning"),
  bans: section(config, "bans"),
  versionLimit: config["recovery.version_limit"],
  maxRegistrationTries: 5,
  ...(config["engine.kind"] === "local" && { resubmitGraceSec: 0 }),
});

export const intakeRules = (config: Config): IntakeRules => ({
  ...DEFAULT_INTAKE_RULES,
  ...section(config, "planning"),
});

function logTo(logger: Logger): Log {
  return {
    info: (event, detail) => logger.info(detail, event),
    warn: (event, detail) => logger.warn(detail, event),
    error: (event, detail) => logger.error(detail, event),
  };
}

/** The token that allows changes: made at the first start, readable by its owner only, known to the store as a hash. */
async function operatorToken(store: Store, config: Config): Promise<{ token: string; tokenFile: string }> {
  const tokenFile = join(config.data_dir, "operator.token");
  const kept = await readFile(tokenFile, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw unwritable(tokenFile, error);
  });
  const token = kept?.trim() || randomBytes(24).toString("base64url");
  if (!kept) await replaceFile(tokenFile, `${token}\n`, 0o600);
  const sha256 = createHash("sha256").update(token).digest("hex");
  if (!(await store.settings.findToken(sha256))) {
    await store.settings.addToken({ sha256, name: "operator", at: systemClock.now() });
  }
  return { token, tokenFile };
}

/** What the configuration says is a beginning; what an operator set through the API stays. */
async function firstSettings(ports: Ports, config: Config): Promise<void> {
  if (await ports.store.settings.get<AdmissionLimits>("admission")) return;
  const limits: AdmissionLimits = { maxActive: config["admission.max_active"] };
  await ports.store.settings.set("admission", limits, "config", systemClock.now());
}
