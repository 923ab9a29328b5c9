import { loadConfig } from "../../src/config/load.ts";
import { KINDS } from "../../src/kinds/table.ts";
import { makeLoop } from "../../src/loop/loop.ts";
import type { Ports } from "../../src/loop/ports.ts";
import { intakeRules, loopPolicy, makeCatalog, recoveryOptions, spoolOptions } from "../../src/main.ts";
import { makeCommands } from "../../src/operations/handlers/commands.ts";
import { migrate, readMigrations } from "../../src/store/migrate.ts";
import { openPglite, pgliteSql } from "../../src/store/pglite.ts";
import type { Store } from "../../src/store/port.ts";
import { emptyDatabase } from "../../src/store/snapshot.ts";
import { openStore } from "../../src/store/store.ts";
import { makeSpool } from "../../src/submit-dir/disk/spool.ts";
import { makeOutcomes } from "./engine/outcome.ts";
import { SimulatedEngine } from "./engine/simulated-engine.ts";
import { SitePool } from "./engine/site-pool.ts";
import { killable, type Life } from "./killable.ts";
import { Laws } from "./laws.ts";
import { PassPlan } from "./pass-plan.ts";
import type { Scenario } from "./scenario.ts";
import { makeServerListener } from "./server-listener.ts";
import { makeSimulatedCatalog } from "./simulated-catalog.ts";
import { type Entry, makeTimeline } from "./timeline.ts";
import { VirtualTime } from "./virtual-time.ts";
import { makeEngineWatch } from "./watch-engine.ts";

export interface StoryOptions {
  readonly dir: string;
  readonly seed: number;
  readonly tell: (entry: Entry) => void;
  /** An empty store; absent: a new one in memory. */
  readonly store?: Store;
  /** Ends the story between two moments. */
  readonly signal?: AbortSignal;
  /** The story is given up when more than this would happen in it, or it takes longer; absent: it may take what it takes. */
  readonly mostEvents?: number | undefined;
  readonly mostSec?: number | undefined;
}

const BEGIN = new Date("2026-01-01T00:00:00Z");

/** What outlives every server of a story: time, store, disk, engine and catalog, and what is known of all that happened. */
export type World = Awaited<ReturnType<typeof makeWorld>>;

export async function makeWorld(scenario: Scenario, options: StoryOptions) {
  const { config } = loadConfig({
    environment: {},
    // Nobody watches a story, and it lasts for days: it passes less often.
    flags: { "engine.kind": "dagman", "lifecycle.interval_sec": 5, ...scenario.settings, data_dir: options.dir },
  });
  // Slices are of real time, which a story has none of: every pass works on each request to the end.
  const policy = { ...loopPolicy(config), sliceSec: 3600, workLimitSec: 3600 };
  const recovery = { ...(await recoveryOptions(config)), installation: scenario.policy };
  const store = options.store ?? (await openMemory());
  const time = new VirtualTime(BEGIN);
  const timeline = makeTimeline(time, options.tell);
  const laws = new Laws((words, request) => timeline.add("law", request, `broken law: ${words}`));
  const passes = new PassPlan(time, policy.intervalSec);
  const watch = makeEngineWatch(timeline, laws, passes);
  const sites = new SitePool(scenario.sites);
  const host = { time, sites, outcomeOf: makeOutcomes(scenario, options.seed), listener: watch };
  const engine = new SimulatedEngine(host, scenario.durations.removalSec);
  let ids = 0;
  const ports: Ports = {
    store,
    engine,
    catalog: makeSimulatedCatalog(scenario.datasets, makeCatalog(config)),
    kinds: KINDS,
    spool: makeSpool(spoolOptions(config, recovery)),
    clock: time,
    ids: {
      next: () => {
        ids += 1;
        return `${String(ids).padStart(8, "0")}-0000-4000-8000-000000000000`;
      },
    },
    ...makeServerListener(timeline, passes),
  };
  return { config, policy, store, engine, sites, ports, time, timeline, laws, passes, watch };
}

export type Server = ReturnType<typeof startServer>;

/** One server over the world: it may die, and then nothing it does has any effect. */
export function startServer({ ports, policy, config, passes }: World, name: string, life: Life) {
  const own: Ports = {
    ...ports,
    store: killable(ports.store, life, "store"),
    engine: killable(ports.engine, life, "engine"),
    catalog: killable(ports.catalog, life, "catalog"),
    spool: killable(ports.spool, life, "spool"),
  };
  const rules = { ...intakeRules(config), requestor: "story" };
  return { life, loop: makeLoop(own, policy, name), commands: makeCommands(own, policy, rules, () => passes.nudge()) };
}

async function openMemory(): Promise<Store> {
  const migrations = await readMigrations();
  const db = await openPglite({ dataDir: "memory://", loadDataDir: await emptyDatabase(migrations) });
  const sql = pgliteSql(db, "the story's database");
  await migrate(sql, migrations);
  return openStore(sql);
}
