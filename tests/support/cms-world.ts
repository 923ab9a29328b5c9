import { type Emulated, startEmulators } from "../../lab/emulate/index.ts";
import { killable, Life } from "../../lab/simulate/killable.ts";
import { makeCmsCatalog } from "../../src/catalogs/cms/catalog.ts";
import { makeCmsServices } from "../../src/catalogs/cms/cms-services.ts";
import { loadConfig } from "../../src/config/load.ts";
import { makeLoop } from "../../src/loop/loop.ts";
import type { Ports } from "../../src/loop/ports.ts";
import { cmsOptions } from "../../src/main.ts";
import { makeWorld, POLICY } from "./world.ts";

export const SITES = ["T1_US_North", "T2_CH_South"] as const;

/** A StepChain of two steps that both keep their output; each job is a work unit. */
export const stepChain = (name: string, units: number, over: Record<string, unknown> = {}): string =>
  JSON.stringify({
    RequestName: name,
    RequestType: "StepChain",
    RequestString: name,
    Campaign: "C26",
    AcquisitionEra: "Era26",
    ProcessingString: "test",
    ProcessingVersion: 1,
    RequestPriority: 1000,
    CMSSWVersion: "CMSSW_14_0_1",
    ScramArch: ["el8_amd64_gcc12"],
    GlobalTag: "GT_1",
    PrepID: "T-1",
    TimePerEvent: 1,
    SizePerEvent: 800_000,
    Memory: 2000,
    Multicore: 1,
    MergedLFNBase: "/store/mc",
    StepChain: 2,
    Step1: { StepName: "GEN", PrimaryDataset: `P_${name}`, RequestNumEvents: units * 10, ...JOB },
    Step2: { StepName: "RECO", InputStep: "GEN", InputFromOutputModule: "GENoutput", ...JOB },
    ...over,
  });
const JOB = { ConfigCacheID: "emulated_gen", KeepOutput: true, EventsPerJob: 10, EventsPerLumi: 10, GlobalTag: "GT_1" };

/** A world whose catalog is CMS's: emulated services over HTTPS, and servers that can die between any two calls of theirs. */
export async function makeCmsWorld(emulated?: Emulated, tapeExpression: string | null = `${SITES[0]}_Tape`) {
  const services = emulated ?? (await startEmulators({ sites: SITES, dbsCallsPerSec: 10_000 }));
  const world = await makeWorld();
  world.engine.site = SITES[0];
  world.engine.fileFacts = { adler32: "0cc737eb", runLumis: { "1": [[1, 2]] } };
  const { config } = loadConfig({ environment: {}, flags: { ...services.settings, data_dir: world.dir } });
  const closes: (() => Promise<void>)[] = [];

  /** A server of its own, with breakers and tokens of its own. It dies after so many calls; null: never. */
  const server = (calls: number | null = null) => {
    const life = new Life(() => {});
    if (calls !== null) life.arm(null, "before", calls);
    const { clock, log } = world.ports;
    const made = makeCmsServices(cmsOptions(config), {
      clock,
      log,
      metrics: { observeCall() {} },
      wait: async () => {},
    });
    closes.push(() => made.close());
    const services = { ...made, dbs: killableService(made.dbs, life), rucio: killableService(made.rucio, life) };
    const catalog = makeCmsCatalog(services, {
      tapeExpression,
      wanted: { team: null, campaigns: null },
      statuses: null,
      storedSites: async () => [],
    });
    const own: Ports = {
      ...world.ports,
      catalog,
      store: killable(world.ports.store, life, "store"),
      engine: killable(world.ports.engine, life, "engine"),
      spool: killable(world.ports.spool, life, "spool"),
    };
    const owner = `server-${closes.length}`;
    const loop = makeLoop(own, POLICY, owner);
    /** Answers whether it lived through it. */
    const pass = async () => {
      await loop.passOnce().catch((error: unknown) => {
        if (!life.isDead) throw error;
      });
      return !life.isDead;
    };
    return { pass, life, services: made, ports: own };
  };
  return {
    ...world,
    services,
    server,
    close: async () => {
      for (const close of closes) await close();
      if (!emulated) await services.close();
    },
  };
}

/** Methods that wait go through a life; what streams does not. */
const killableService = <T extends object>(target: T, life: Life): T =>
  new Proxy(target, {
    get(from, key) {
      const value: unknown = Reflect.get(from, key, from);
      if (typeof value !== "function" || key === "files" || key === "lumis" || key === "replicas") return value;
      return (...args: unknown[]) => life.through(String(key), () => value.apply(from, args));
    },
  });
