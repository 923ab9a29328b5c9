import { loadConfig } from "../config/load.ts";
import type { Config } from "../config/settings.ts";
import { makeSpool } from "../disk/spool.ts";
import { makeCommands } from "../lifecycle/commands.ts";
import { type Loop, makeLoop } from "../lifecycle/loop.ts";
import type { Commands } from "../lifecycle/port.ts";
import type { LoopPolicy, Ports } from "../lifecycle/ports.ts";
import { intakeRules, loopPolicy, spoolOptions } from "../main.ts";
import { migrate, readMigrations } from "../store/migrate.ts";
import { openPglite, pgliteSql } from "../store/pglite.ts";
import type { Store } from "../store/port.ts";
import { emptyDatabase } from "../store/snapshot.ts";
import { openStore } from "../store/store.ts";
import { Outcomes } from "./engine/outcome.ts";
import { SimulatedEngine } from "./engine/simulated-engine.ts";
import { SitePool } from "./engine/site-pool.ts";
import { type Life, mortal } from "./mortal.ts";
import type { Scenario } from "./scenario.ts";
import { SimulatedCatalog } from "./simulated-catalog.ts";
import type { VirtualTime } from "./virtual-time.ts";
import type { EngineWatch } from "./watch-engine.ts";

/** What outlives every server of a story: the store, the disk, the engine and the catalog. */
export interface World {
  readonly config: Config;
  readonly policy: LoopPolicy;
  readonly store: Store;
  readonly engine: SimulatedEngine;
  readonly sites: SitePool;
  readonly catalog: SimulatedCatalog;
  readonly ports: Ports;
}

/** What a server tells of itself while it works. */
export interface ServerEars {
  decided(kind: string): void;
  logged(level: "info" | "warn" | "error", event: string, detail: Record<string, unknown>): void;
  emitted(type: string, detail: Record<string, unknown>): void;
}

export async function makeWorld(
  scenario: Scenario,
  seed: number,
  dir: string,
  store: Store,
  time: VirtualTime,
  watch: EngineWatch,
  ears: ServerEars,
): Promise<World> {
  const { config } = loadConfig({
    environment: {},
    flags: { "engine.kind": "dagman", ...scenario.settings, data_dir: dir },
  });
  const options = await spoolOptions(config);
  const sites = new SitePool(scenario.sites);
  const host = { time, sites, outcomes: new Outcomes(scenario, seed), listener: watch };
  const engine = new SimulatedEngine(host, scenario.durations.removalSec);
  const catalog = new SimulatedCatalog(scenario.datasets);
  let ids = 0;
  const ports: Ports = {
    store,
    engine,
    catalog,
    spool: makeSpool({ ...options, recovery: { ...options.recovery, installation: scenario.policy } }),
    clock: time,
    ids: {
      next: () => {
        ids += 1;
        return `${String(ids).padStart(8, "0")}-0000-4000-8000-000000000000`;
      },
    },
    log: {
      info: (event, detail) => ears.logged("info", event, detail),
      warn: (event, detail) => ears.logged("warn", event, detail),
      error: (event, detail) => ears.logged("error", event, detail),
    },
    metrics: { observePass() {}, countDecision: ears.decided, observeEngineCall() {} },
    events: { emit: ears.emitted },
  };
  return { config, policy: loopPolicy(config), store, engine, sites, catalog, ports };
}

/** One server over the world: it may die, and then nothing it does has any effect. */
export interface Server {
  readonly name: string;
  readonly loop: Loop;
  readonly commands: Commands;
  readonly life: Life;
}

export function startServer(world: World, name: string, life: Life, nudge: () => void): Server {
  const { ports, policy, config } = world;
  const own: Ports = {
    ...ports,
    store: mortal(ports.store, life, "store"),
    engine: mortal(ports.engine, life, "engine"),
    catalog: mortal(ports.catalog, life, "catalog"),
    spool: mortal(ports.spool, life, "spool"),
  };
  const loop = makeLoop(own, policy, name);
  const commands = makeCommands(own, policy, { ...intakeRules(config), requestor: "story" }, nudge);
  return { name, loop, commands, life };
}

export async function openMemory(): Promise<Store> {
  const migrations = await readMigrations();
  const db = await openPglite({ dataDir: "memory://", loadDataDir: await emptyDatabase(migrations) });
  const sql = pgliteSql(db, "the story's database");
  await migrate(sql, migrations);
  return openStore(sql);
}
