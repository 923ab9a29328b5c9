import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Call } from "./calls.ts";
import { type CertificateFiles, certificatesIn } from "./certificates.ts";
import { cric, siteStatus } from "./cric/service.ts";
import { dbsReader, dbsWriter } from "./dbs/service.ts";
import { defaultSeed } from "./default-seed.ts";
import type { Fault } from "./faults.ts";
import { listen } from "./listen.ts";
import { configCache, reqmgr2 } from "./reqmgr2/service.ts";
import { rucioAuth } from "./rucio/auth.ts";
import { rucio } from "./rucio/service.ts";
import { plant, type Seed } from "./seed.ts";
import { World, type WorldOptions } from "./world.ts";

export type { Fault, Seed };
export { defaultSeed };

export interface EmulateOptions extends Partial<WorldOptions> {
  /** 0: any that is free. */
  readonly port?: number;
  /** Where state and certificates are kept; a temporary one that close() removes when not given. */
  readonly dir?: string;
  /** Planted at the first start in that directory; the demo's own when not given. */
  readonly seed?: Seed | unknown;
  /** Names of the sites in the demo's own seed, the first being the one with tape. */
  readonly sites?: readonly string[];
  readonly faults?: readonly unknown[];
}

export interface Emulated extends CertificateFiles {
  readonly port: number;
  readonly dir: string;
  readonly urls: ReturnType<typeof urlsAt>;
  /** Settings that point a server here. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** More faults, after those there are. */
  faults(...faults: readonly Fault[]): void;
  clearFaults(): void;
  /** "rucio" includes its authentication host; 0 seconds ends it. */
  outage(service: string, seconds: number): void;
  calls(): readonly Call[];
  /** Table → key → row. */
  state(): Record<string, Record<string, unknown>>;
  /** Adds to what the services know, or replaces it. */
  seed(seed: Seed): void;
  remove(table: string, key: string): boolean;
  close(): Promise<void>;
}

const SERVICES = [reqmgr2, configCache, dbsReader, dbsWriter, rucioAuth, rucio, cric, siteStatus];

/** ReqMgr2, DBS, Rucio and CRIC on one loopback port. Killed at any moment, it goes on from the same directory. */
export async function startEmulators(options: EmulateOptions = {}): Promise<Emulated> {
  const { dbsCallsPerSec = 100, ruleGraceSec = 3600, tokenSec = 3600 } = options;
  const world = new World({ dbsCallsPerSec, ruleGraceSec, tokenSec });
  const { faults, journal, calls } = world;
  faults.add(options.faults ?? []);
  const dir = options.dir ?? mkdtempSync(join(tmpdir(), "wms2-emulate-"));
  const files = certificatesIn(dir);
  const server = await listen(world, SERVICES, files, options.port ?? 0);
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
    journal.close();
    calls.close();
    if (options.dir === undefined) rmSync(dir, { recursive: true, force: true });
  };
  // Not before the port is ours: a second one by mistake must not touch the journal of the first.
  try {
    calls.open(join(dir, "calls.jsonl"));
    if (!journal.open(join(dir, "journal.jsonl"))) plant(world, options.seed ?? defaultSeed(options.sites));
    journal.commit();
  } catch (error) {
    await close();
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  const urls = urlsAt(`https://127.0.0.1:${port}`);
  return {
    ...files,
    port,
    dir,
    urls,
    settings: settingsFor(urls, files, tapesIn(journal.state())),
    faults: (...more) => faults.add(more),
    clearFaults: () => faults.clear(),
    outage: (service, seconds) => faults.outage(service, seconds),
    calls: () => calls.list(),
    state: () => journal.state(),
    seed: (seed) => {
      plant(world, seed);
      journal.commit();
    },
    remove: (table, key) => {
      const there = journal.remove(table, key);
      journal.commit();
      return there;
    },
    close,
  };
}

const urlsAt = (origin: string) => ({
  reqmgr2: `${origin}/reqmgr2/data`,
  configCache: `${origin}/couchdb/reqmgr_config_cache`,
  dbsReader: `${origin}/dbs/DBSReader`,
  dbsWriter: `${origin}/dbs/DBSWriter`,
  rucio: `${origin}/rucio`,
  rucioAuth: `${origin}/rucio-auth`,
  cric: `${origin}/cric`,
  siteStatus: `${origin}/site-status/prod_status.json`,
  /** How they are steered from another process. */
  steering: `${origin}/_emulate`,
});

const tapesIn = (state: Readonly<Record<string, Readonly<Record<string, unknown>>>>): string =>
  Object.entries(state["rucio.rses"] ?? {})
    .flatMap(([name, row]) => ((row as { rse_type?: string }).rse_type === "TAPE" ? [name] : []))
    .join("|") || "none";

const settingsFor = (
  urls: ReturnType<typeof urlsAt>,
  files: CertificateFiles,
  tapes: string,
): Record<string, unknown> => ({
  "catalog.kind": "cms",
  "catalog.cms.reqmgr2_url": urls.reqmgr2,
  "catalog.cms.config_cache_url": urls.configCache,
  "catalog.cms.dbs_reader_url": urls.dbsReader,
  "catalog.cms.dbs_writer_url": urls.dbsWriter,
  "catalog.cms.rucio_url": urls.rucio,
  "catalog.cms.rucio_auth_url": urls.rucioAuth,
  "catalog.cms.rucio_account": "wms2",
  "catalog.cms.cric_url": urls.cric,
  "catalog.cms.proxy_file": files.proxyFile,
  "catalog.cms.ca_file": files.caFile,
  "outputs.tape_rses": tapes,
});
