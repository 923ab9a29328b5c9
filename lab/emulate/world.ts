import { Calls } from "./calls.ts";
import { Faults } from "./faults.ts";
import { type Generated, GeneratedDataset } from "./generated.ts";
import type { Row } from "./http.ts";
import { Journal } from "./journal.ts";

interface DbsDataset extends Row {
  readonly dataset: string;
  readonly dataset_access_type: string;
  readonly primary_ds_name: string;
  readonly processed_ds_name: string;
  readonly data_tier_name: string;
}
export interface DbsBlockRow extends Row {
  readonly block_name: string;
  readonly dataset: string;
  readonly open_for_writing: number;
  readonly block_size: number;
  readonly file_count: number;
  readonly origin_site_name: string;
  readonly creation_date: number;
}
export interface Lumi {
  readonly run_num: number;
  readonly lumi_section_num: number;
  readonly event_count: number | null;
}
export interface DbsFileRow {
  /** As it is answered with detail=1. */
  readonly row: Row & {
    readonly logical_file_name: string;
    readonly is_file_valid: number;
    readonly dataset: string;
    readonly block_name: string;
    readonly event_count: number;
    readonly file_size: number;
  };
  readonly lumis: readonly Lumi[];
  readonly parents: readonly string[];
  readonly configs: readonly string[];
}

export interface Did {
  readonly name: string;
  readonly type: "CONTAINER" | "DATASET" | "FILE";
  readonly account: string;
  readonly open: boolean;
  readonly bytes: number | null;
  readonly adler32: string | null;
}
interface Replica {
  readonly name: string;
  readonly rse: string;
  readonly state: string;
}
export interface Rse {
  readonly rse: string;
  readonly rse_type: "DISK" | "TAPE";
  readonly availability_write: boolean;
  readonly attributes: Row;
}
export interface Rule extends Row {
  readonly id: string;
  readonly name: string;
  readonly account: string;
  readonly rse_expression: string;
  readonly copies: number;
  readonly locked: boolean;
  /** In seconds since 1970; null: it stays. */
  readonly expires: number | null;
}
/** Limits of bytes by RSE; "*": any; null: no limit. */
interface Account {
  readonly account: string;
  readonly admin: boolean;
  readonly limits: Readonly<Record<string, number | null>>;
}
export interface Site {
  readonly site: string;
  readonly rses: readonly string[];
  readonly state: string;
  readonly prod_status: string;
}

export interface WorldOptions {
  /** Calls to DBS a second that one client may make. */
  readonly dbsCallsPerSec: number;
  /** How long a deleted rule stays visible; Rucio says an hour. */
  readonly ruleGraceSec: number;
  readonly tokenSec: number;
}

/** Everything the emulated services know, and what happens to those who ask. */
export class World {
  readonly options: WorldOptions;
  readonly faults = new Faults();
  readonly calls = new Calls();
  readonly journal = new Journal();
  /** Calls to DBS in this second. */
  readonly dbsRate = { second: 0, calls: 0 };
  readonly #made = new Map<string, GeneratedDataset>();

  readonly datasets = this.journal.table<DbsDataset>("dbs.datasets");
  readonly blocks = this.journal.table<DbsBlockRow>("dbs.blocks");
  readonly blocksOf = this.blocks.by(({ dataset }) => dataset);
  readonly files = this.journal.table<DbsFileRow>("dbs.files");
  readonly filesOfBlock = this.files.by(({ row }) => row.block_name);
  readonly filesOfDataset = this.files.by(({ row }) => row.dataset);
  /** Eras, tiers, groups, types, primary datasets, configurations: by kind and name. */
  readonly names = this.journal.table<Row>("dbs.names");
  readonly generated = this.journal.table<Generated>("generated");

  readonly dids = this.journal.table<Did>("rucio.dids");
  readonly contents = this.journal.table<{ readonly parent: string; readonly child: string }>("rucio.contents");
  readonly childrenOf = this.contents.by(({ parent }) => parent);
  readonly parentsOf = this.contents.by(({ child }) => child);
  readonly replicas = this.journal.table<Replica>("rucio.replicas");
  readonly replicasOf = this.replicas.by(({ name }) => name);
  readonly rules = this.journal.table<Rule>("rucio.rules");
  readonly rulesOf = this.rules.by(({ name }) => name);
  readonly rses = this.journal.table<Rse>("rucio.rses");
  readonly accounts = this.journal.table<Account>("rucio.accounts");
  readonly tokens = this.journal.table<{ readonly account: string; readonly expires: number }>("rucio.tokens");

  readonly requests = this.journal.table<Row>("reqmgr2.requests");
  readonly configs = this.journal.table<string>("couchdb.configs");
  readonly sites = this.journal.table<Site>("cric.sites");

  constructor(options: WorldOptions) {
    this.options = options;
  }

  /** The dataset made up by rule of which this is the name, or the name of a block; null: there is none. */
  generatedOf(name: string): { readonly made: GeneratedDataset; readonly block: number | null } | null {
    const dataset = name.split("#", 1)[0]!;
    const spec = this.generated.get(dataset);
    if (!spec) return null;
    let made = this.#made.get(dataset);
    if (!made || made.spec !== spec) {
      made = new GeneratedDataset(spec);
      this.#made.set(dataset, made);
    }
    if (name === dataset) return { made, block: null };
    const block = made.blockNumber(name);
    return block === null ? null : { made, block };
  }
}
