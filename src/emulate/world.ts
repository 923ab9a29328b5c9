import { type Generated, GeneratedDataset } from "./generated.ts";
import type { Row } from "./http.ts";
import { Journal } from "./journal.ts";

export interface DbsDataset extends Row {
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
export interface Account {
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

/** Everything the emulated services know. */
export class World {
  readonly journal: Journal;
  readonly options: WorldOptions;
  readonly #made = new Map<string, GeneratedDataset>();

  readonly datasets;
  readonly blocks;
  readonly files;
  /** Eras, tiers, groups, types, primary datasets, configurations: by kind and name. */
  readonly names;
  readonly generated;
  readonly blocksOf;
  readonly filesOfBlock;
  readonly filesOfDataset;

  readonly dids;
  readonly contents;
  readonly childrenOf;
  readonly parentsOf;
  readonly replicas;
  readonly replicasOf;
  readonly rules;
  readonly rulesOf;
  readonly rses;
  readonly accounts;
  readonly tokens;

  readonly requests;
  readonly configs;
  readonly sites;

  constructor(dir: string, options: WorldOptions) {
    this.options = options;
    const journal = new Journal(dir);
    this.journal = journal;
    this.datasets = journal.table<DbsDataset>("dbs.datasets");
    this.blocks = journal.table<DbsBlockRow>("dbs.blocks");
    this.files = journal.table<DbsFileRow>("dbs.files");
    this.names = journal.table<Row>("dbs.names");
    this.generated = journal.table<Generated>("generated");
    this.blocksOf = this.blocks.by(({ dataset }) => dataset);
    this.filesOfBlock = this.files.by(({ row }) => row.block_name);
    this.filesOfDataset = this.files.by(({ row }) => row.dataset);
    this.dids = journal.table<Did>("rucio.dids");
    this.contents = journal.table<{ readonly parent: string; readonly child: string }>("rucio.contents");
    this.childrenOf = this.contents.by(({ parent }) => parent);
    this.parentsOf = this.contents.by(({ child }) => child);
    this.replicas = journal.table<{ readonly name: string; readonly rse: string; readonly state: string }>(
      "rucio.replicas",
    );
    this.replicasOf = this.replicas.by(({ name }) => name);
    this.rules = journal.table<Rule>("rucio.rules");
    this.rulesOf = this.rules.by(({ name }) => name);
    this.rses = journal.table<Rse>("rucio.rses");
    this.accounts = journal.table<Account>("rucio.accounts");
    this.tokens = journal.table<{ readonly account: string; readonly expires: number }>("rucio.tokens");
    this.requests = journal.table<Row>("reqmgr2.requests");
    this.configs = journal.table<string>("couchdb.configs");
    this.sites = journal.table<Site>("cric.sites");
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
