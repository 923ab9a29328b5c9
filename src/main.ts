import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { makeSimulator } from "../lab/simulate/simulate-child.ts";
import { makeCmsCatalog } from "./catalogs/cms/catalog.ts";
import { type CmsOptions, type CmsPorts, makeCmsServices } from "./catalogs/cms/cms-services.ts";
import { makeLocalCatalog } from "./catalogs/local-catalog.ts";
import type { Catalog } from "./catalogs/port.ts";
import type { Warning } from "./config/safety.ts";
import { type Config, section } from "./config/settings.ts";
import type { Clock } from "./core/base/clock.ts";
import type { Log } from "./core/base/log.ts";
import { isLoopback } from "./core/base/loopback.ts";
import type { Turns } from "./core/base/turns.ts";
import { VERSION } from "./core/base/version.ts";
import { replaceFile } from "./core/disk/atomic-file.ts";
import { PACKAGE_ROOT } from "./core/disk/package-root.ts";
import { API_URL_FILE, batchName, type DagId } from "./core/names.ts";
import { DEFAULT_INTAKE_RULES, type IntakeRules } from "./core/submission.ts";
import { makeDagmanEngine } from "./engines/dagman/dagman-engine.ts";
import { holdsRun, NAMELESS } from "./engines/local/identity.ts";
import { makeLocalEngine } from "./engines/local/local-engine.ts";
import type { Engine } from "./engines/port.ts";
import { makeReadAside } from "./intake/read-aside.ts";
import { makeFreppWorld } from "./kinds/segments/shell/frepp-commands.ts";
import { KINDS } from "./kinds/table.ts";
import { type Loop, makeLoop } from "./loop/loop.ts";
import type { LoopPolicy, Ports } from "./loop/ports.ts";
import { timedEngine } from "./loop/timed-engine.ts";
import { makeCommands } from "./operations/handlers/commands.ts";
import { makeDeskTurns } from "./operations/handlers/desk-turns.ts";
import { makeSiteSync } from "./operations/handlers/sync-sites.ts";
import { makeEventBus } from "./operations/http/event-bus.ts";
import { makeMetrics } from "./operations/http/metrics.ts";
import { buildApi } from "./operations/http/server.ts";
import { makeAlertDelivery } from "./operations/upkeep/alerts/delivery.ts";
import { makeSinks } from "./operations/upkeep/alerts/sink.ts";
import { makeWatch } from "./operations/upkeep/alerts/watch.ts";
import { makeHousekeeping } from "./operations/upkeep/housekeeping/housekeeper.ts";
import { makeImporters } from "./operations/upkeep/reqmgr2/importers.ts";
import { policyText, type RecoveryOptions } from "./recovery/policy-text.ts";
import {
  closedSpool,
  firstSettings,
  listenAt,
  logTo,
  makeDirectories,
  makeLogger,
  operatorToken,
  requireHtcondor,
  safetyWarnings,
  submitter,
} from "./start-up.ts";
import { openEmbedded, openPostgres } from "./store/open.ts";
import type { Store } from "./store/port.ts";
import { readPolicyFile } from "./submit-dir/disk/policy-file.ts";
import { makeSpool, type SpoolOptions } from "./submit-dir/disk/spool.ts";
import { makeRunHook } from "./submit-dir/disk/user-command.ts";
import { workerFacts } from "./submit-dir/payload/facts.ts";
import { renderDag } from "./submit-dir/render/render-dag.ts";

/** A running server. `close` ends passes, the API and the store, and says what it waits for; jobs of the engine live on. */
export interface Server {
  readonly url: string;
  readonly token: string;
  readonly tokenFile: string;
  /** What is unsafe about the way it runs. */
  readonly warnings: readonly Warning[];
  readonly ports: Ports;
  readonly loop: Loop;
  close(waitsFor?: (what: string) => void): Promise<void>;
}

const systemClock: Clock = { now: () => new Date() };

/** The composition root: the only place that chooses adapters. */
export async function startServer(config: Config): Promise<Server> {
  const logger = makeLogger(config["log.level"]);
  await requireHtcondor(config);
  await makeDirectories(config);
  const ports = await makePorts(config, await openStoreFor(config), logTo(logger));
  const { store, engine } = ports;
  await adoptRuns(ports, config);
  const { token, tokenFile } = await operatorToken(ports, config);
  const warnings = [...(await safetyWarnings(config, tokenFile)), ...(await closedSpool(config))];
  for (const warning of warnings) logger.warn(warning, "server.warning");
  await firstSettings(ports, config);
  const loop = makeLoop(ports, loopPolicy(config), leaseOwner(config));
  const commands = makeCommands(ports, loopPolicy(config), intakeRules(config), () => loop.nudge());
  const info = serverInfo(config, warnings);
  const requireAuthForReads = !isLoopback(config["listen.host"]);
  const simulate = makeSimulator();
  const dirs = { deskDir: join(PACKAGE_ROOT, "dist-web"), examplesDir: join(PACKAGE_ROOT, "examples") };
  const api = buildApi({ ...ports, commands, loop, logger, info, simulate, requireAuthForReads, ...dirs });
  const listening = async () => api.listen(await listenAt(section(config, "listen")));
  const url = await listening().catch(async (error: unknown) => {
    await Promise.allSettled([api.close(), engine.close(), ports.catalog.services?.close(), store.close()]);
    throw error;
  });
  await replaceFile(join(config.data_dir, "server.json"), `${JSON.stringify({ url, pid: process.pid })}\n`);
  await replaceFile(join(config.spool_dir, API_URL_FILE), `${config.public_url ?? url}\n`);
  loop.start();
  engine.onEnd(() => loop.nudge());
  const isLeader = async () => (await loop.status()).isLeader;
  const importing = { ...section(config, "reqmgr2"), rules: intakeRules(config), nudge: () => loop.nudge(), isLeader };
  const caretakers = [
    ...makeCaretakers(ports, config, config.public_url ?? url, isLeader),
    ...makeImporters({ ...ports, policy: loopPolicy(config) }, importing),
  ];
  for (const caretaker of caretakers) caretaker.start();
  logger.info({ url, engine: engine.name }, "server.ready");
  const parts: Record<string, () => Promise<unknown>> = {
    "alerts and housekeeping": () => Promise.all(caretakers.map((caretaker) => caretaker.stop())),
    "the pass under way": () => loop.stop(),
    "callers of the API": () => api.close(),
    "the engine": () => engine.close(),
    "services of the catalog": async () => ports.catalog.services?.close(),
    "the database": () => store.close(),
  };
  return { url, token, tokenFile, warnings, ports, loop, close: closeInOrder(parts) };
}

async function makePorts(config: Config, store: Store, log: Log) {
  const metrics = makeMetrics(VERSION);
  return {
    store,
    engine: timedEngine(makeEngine(config), metrics, systemClock),
    catalog: makeCatalog(config, { clock: systemClock, log, metrics }, store),
    kinds: KINDS,
    spool: makeSpool(spoolOptions(config, await recoveryOptions(config))),
    readAside: makeReadAside(),
    runHook: makeRunHook(submitter(config)),
    frepp: makeFreppWorld(section(config, "frepp")),
    clock: systemClock,
    ids: { next: randomUUID },
    log,
    metrics,
    events: makeEventBus(),
  } satisfies Ports;
}

/** What depends on others is closed before them; `waitsFor` hears what is waited for. */
const closeInOrder =
  (parts: Readonly<Record<string, () => Promise<unknown>>>): Server["close"] =>
  async (waitsFor = () => {}) => {
    for (const [what, end] of Object.entries(parts)) {
      waitsFor(what);
      await end();
    }
  };

const serverInfo = (config: Config, warnings: readonly Warning[]) => ({
  version: VERSION,
  instance: randomUUID(),
  host: hostname(),
  startedAt: systemClock.now(),
  engine: config["engine.kind"],
  catalog: config["catalog.kind"],
  directories: { dataDir: config.data_dir, spoolDir: config.spool_dir, storageDir: config.storage_dir },
  warnings,
  store: config["database.url"] ? ("postgresql" as const) : ("embedded" as const),
});

/** What runs beside the passes, on the server that holds the lease: watching, telling, cleaning up. */
function makeCaretakers(
  ports: Ports,
  config: Config,
  server: string,
  isLeader: () => Promise<boolean>,
): readonly Turns[] {
  const { store, clock, log } = ports;
  const { spool_dir: spoolDir, storage_dir: storageDir } = config;
  return [
    makeWatch(ports, {
      ...section(config, "alerts"),
      moreErrorsThan: config["lifecycle.max_errors"],
      disks: [
        { what: "spool", path: spoolDir },
        { what: "storage", path: storageDir },
      ],
      isLeader,
    }),
    makeAlertDelivery(store, makeSinks(config["alerts.sinks"], clock), clock, log, { isLeader, server }),
    makeHousekeeping({ ...ports, spoolDir, storageDir }, { ...section(config, "housekeeping"), isLeader }),
    makeSiteSync(ports, config["sites.sync_minutes"] * 60, isLeader),
    ...makeDeskTurns(ports, isLeader),
  ];
}

/**
 * The embedded database is locked for one process, so whoever opens it may take the lease of the one before at once;
 * several servers on PostgreSQL are told apart.
 */
const leaseOwner = (config: Config): string =>
  config["database.url"] ? `${hostname()}:${process.pid}` : `${hostname()}:embedded`;

export async function openStoreFor(config: Config): Promise<Store> {
  const url = config["database.url"];
  return url ? openPostgres(url) : openEmbedded(join(config.data_dir, "database"));
}

export function makeEngine(config: Config): Engine {
  const timeoutSec = config["engine.timeout_sec"];
  if (config["engine.kind"] === "dagman") {
    const { prefix: commandPrefix, maxIdle } = section(config, "engine.dagman");
    const lostJobSec = config["dag.lost_job_sec"];
    return makeDagmanEngine({ commandPrefix, submitAs: submitter(config), maxIdle, timeoutSec, lostJobSec });
  }
  const sites = config["engine.local.sites"].map(({ memory_mb: memoryMb, gpus = 0, ...site }) => ({
    ...site,
    memoryMb,
    gpus,
  }));
  return makeLocalEngine({ dir: engineDir(config), sites, timeoutSec });
}

const UNHEARD: CmsPorts = {
  clock: systemClock,
  log: { info() {}, warn() {}, error() {} },
  metrics: { observeCall() {} },
};
/** What an installation without tape says in its settings. */
const NO_TAPE = "none";
type KnownSites = Pick<Store, "sites"> | null;
const CATALOGS: Record<Config["catalog.kind"], (config: Config, ports: CmsPorts, known: KnownSites) => Catalog> = {
  local: (config) => makeLocalCatalog(config.storage_dir),
  cms: (config, ports, known) => {
    const services = makeCmsServices(cmsOptions(config), ports);
    const { statusFile: file, statusUrl: url } = section(config, "sites");
    return makeCmsCatalog(services, {
      tapeExpression: config["outputs.tape_rses"] === NO_TAPE ? null : config["outputs.tape_rses"],
      wanted: section(config, "reqmgr2"),
      statuses: file ? () => readFile(file, "utf8") : url ? () => services.cric.status(url) : null,
      storedSites: async () => ((await known?.sites.list()) ?? []).map((site) => ({ ...site, rses: site.rses ?? [] })),
    });
  },
};
export const makeCatalog = (config: Config, ports = UNHEARD, known: KnownSites = null): Catalog =>
  CATALOGS[config["catalog.kind"]](config, ports, known);

/** What cannot be missing here was asked for when the configuration was loaded. */
export const cmsOptions = (config: Config): CmsOptions => section(config, "catalog.cms") as CmsOptions;

/** Runs from before local engines had names are those of the data directory that holds them; an embedded database has but one. */
async function adoptRuns({ store, engine, log }: Ports, config: Config): Promise<void> {
  if (engine.name !== "local") return;
  const isOurs = ({ dagId, submitDir }: { dagId: DagId; submitDir: string }) =>
    !config["database.url"] || holdsRun(engineDir(config), { batchName: batchName(dagId), submitDir });
  const ours = (await store.workflows.runsOf(NAMELESS)).filter(isOurs).map(({ workflowId }) => workflowId);
  if (ours.length === 0) return;
  await store.transaction((tx) => tx.workflows.renameEngine([...new Set(ours)], NAMELESS, engine.id));
  log.info("engine.adopted", { engine: engine.id, requests: new Set(ours).size });
}

const engineDir = (config: Config): string => join(config.data_dir, "engine");

export const recoveryOptions = async (config: Config): Promise<RecoveryOptions> => ({
  ...section(config, "recovery"),
  ...section(config, "planning"),
  installation: await readPolicyFile(config["recovery.policy_file"]),
});

export const renderOptions = (config: Config) => ({
  ...section(config, "dag"),
  avoidHostSec: config["recovery.avoid_host_sec"],
});

export const spoolOptions = (config: Config, recovery: RecoveryOptions): SpoolOptions => ({
  spoolDir: config.spool_dir,
  storageDir: config.storage_dir,
  owner: submitter(config),
  render: (plan, storage) => renderDag(plan, { ...renderOptions(config), ...storage }),
  policyText: (spec, rules) => policyText(recovery, spec, rules),
  factsText: (spec) => workerFacts(spec, section(config, "cmssw")),
});

export const loopPolicy = (config: Config): LoopPolicy => ({
  ...section(config, "lifecycle"),
  ...section(config, "planning"),
  bans: section(config, "bans"),
  versionLimit: config["recovery.version_limit"],
  outputs: outputPatience(config),
  // The longest thing a healthy pass waits for is one call to the engine.
  stuckSec: Math.max(120, 2 * config["engine.timeout_sec"]),
  sliceSec: 5,
});

const outputPatience = (config: Config): LoopPolicy["outputs"] => {
  const { backoffSec, giveUpAfterHours } = section(config, "outputs");
  return { backoffSec, giveUpAfterSec: giveUpAfterHours * 3600, maxRefusals: 5 };
};

export const intakeRules = (config: Config): IntakeRules => ({
  ...DEFAULT_INTAKE_RULES,
  ...section(config, "planning"),
  cmsPayload: config["cmssw.cmsset"] && config["cmssw.enabled"] ? "cmssw" : "simulator",
});
