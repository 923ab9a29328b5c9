import { WorldError } from "../base/errors.ts";
import { addDataset, blockRow } from "./dbs/bulk.ts";
import { fileRow } from "./dbs/files.ts";
import { addConfig, addName } from "./dbs/names.ts";
import { isRow, type Row, unixSec } from "./http.ts";
import { addRequest } from "./reqmgr2/service.ts";
import { addReplica } from "./rucio/files.ts";
import type { World } from "./world.ts";

/** What the services are to know, in few words; everything may be left out (docs/guides/emulate.md). */
export interface Seed {
  readonly rses?: Readonly<
    Record<string, { readonly type?: "DISK" | "TAPE"; readonly writable?: boolean; readonly attributes?: Row }>
  >;
  readonly accounts?: Readonly<
    Record<string, { readonly admin?: boolean; readonly limits?: Readonly<Record<string, number | null>> }>
  >;
  readonly sites?: Readonly<
    Record<string, { readonly rses?: readonly string[]; readonly state?: string; readonly prod_status?: string }>
  >;
  readonly datasets?: Readonly<Record<string, SeedDataset>>;
  /** ReqMgr2 documents by name. */
  readonly requests?: Readonly<Record<string, Row>>;
  /** Texts of configurations by id. */
  readonly configs?: Readonly<Record<string, string>>;
}
export interface SeedDataset {
  readonly primary_type?: "mc" | "data";
  readonly access_type?: string;
  readonly blocks?: number;
  readonly files_per_block?: number;
  readonly events_per_file?: number;
  readonly lumis_per_file?: number;
  readonly file_bytes?: number;
  readonly first_run?: number;
  /** Where every file is. */
  readonly rses?: readonly string[];
  /** Kept as a rule instead of as rows: for millions of files, which cannot be changed one by one. */
  readonly generated?: boolean;
}

const KEYS = ["rses", "accounts", "sites", "datasets", "requests", "configs"];

/** Adds what is not there and replaces what is. */
export function plant(world: World, seed: unknown): void {
  if (!isRow(seed)) throw wrong("must be a map");
  const unknown = Object.keys(seed).find((key) => !KEYS.includes(key));
  if (unknown) throw wrong(`has no "${unknown}": ${KEYS.join(", ")}`);
  for (const key of KEYS)
    if (seed[key] !== undefined && !isRow(seed[key])) throw wrong(`"${key}" must be a map by name`);
  const { rses = {}, accounts = {}, sites = {}, datasets = {}, requests = {}, configs = {} } = seed as Seed;
  for (const [rse, { type = "DISK", writable = true, attributes = {} }] of Object.entries(rses))
    world.rses.put(rse, {
      rse,
      rse_type: type,
      availability_write: writable,
      attributes: { cms_type: "real", ...attributes },
    });
  for (const [account, { admin = true, limits = { "*": null } }] of Object.entries(accounts))
    world.accounts.put(account, { account, admin, limits });
  for (const [site, { rses: near = [], state = "ACTIVE", prod_status = "enabled" }] of Object.entries(sites))
    world.sites.put(site, { site, rses: near, state, prod_status });
  for (const [id, text] of Object.entries(configs)) world.configs.put(id, text);
  for (const [name, doc] of Object.entries(requests)) addRequest(world, { ...doc, RequestName: name }, "");
  for (const kind of ["VALID", "INVALID", "PRODUCTION", "DEPRECATED", "DELETED"])
    addName(world, "access", kind, { dataset_access_type: kind });
  for (const tier of TIERS) addName(world, "tier", tier, { data_tier_name: tier });
  addName(world, "group", "NoGroup", { physics_group_name: "NoGroup" });
  for (const [name, dataset] of Object.entries(datasets)) plantDataset(world, name, dataset);
}

const TIERS = [
  "RAW",
  "GEN",
  "GEN-SIM",
  "GEN-SIM-RAW",
  "RECO",
  "AOD",
  "AODSIM",
  "MINIAOD",
  "MINIAODSIM",
  "NANOAOD",
  "NANOAODSIM",
  "DQMIO",
];
const wrong = (message: string): WorldError =>
  new WorldError("bad-usage", "seed", `the seed ${message}`, { hint: "see docs/guides/emulate.md" });

const CONFIG = {
  app_name: "cmsRun",
  release_version: "CMSSW_14_0_1",
  pset_hash: "seed",
  global_tag: "GT_seed",
  output_module_label: "Merged",
};

function plantDataset(world: World, name: string, seed: SeedDataset): void {
  const [, primary = "", processed = "", tier = ""] = name.split("/");
  const [era = ""] = processed.split("-");
  if (!tier) throw wrong(`has a dataset "${name}"; datasets are named /Primary/Era-Processing-v1/TIER`);
  const type = seed.primary_type ?? (/SIM|GEN/.test(tier) ? "mc" : "data");
  addName(world, "primary", primary, { primary_ds_name: primary, primary_ds_type: type });
  addName(world, "acquisition_era", era, { acquisition_era_name: era, start_date: 123456789 });
  addName(world, "processing_era", 1, { processing_version: 1, description: "" });
  const config = addConfig(world, CONFIG);
  const around = {
    primary_ds_type: type,
    acquisition_era_name: era,
    processing_version: 1,
    physics_group_name: "NoGroup",
  };
  addDataset(
    world,
    { dataset: name, dataset_access_type: seed.access_type ?? "VALID", ...around, output_configs: [config] },
    "seed",
  );
  const {
    blocks = 1,
    files_per_block = 10,
    events_per_file = 100,
    lumis_per_file = 2,
    file_bytes = 1_000_000,
    rses = [],
  } = seed;
  if (seed.generated) {
    const numbers = {
      blocks,
      filesPerBlock: files_per_block,
      lumisPerFile: lumis_per_file,
      eventsPerFile: events_per_file,
    };
    world.generated.put(name, {
      dataset: name,
      ...numbers,
      fileBytes: file_bytes,
      rses,
      created: unixSec(),
      valid: true,
    });
    return;
  }
  const account = world.accounts.values()[0]?.account ?? "root";
  const did = { account, open: true, bytes: null, adler32: null };
  world.dids.put(name, { ...did, name, type: "CONTAINER" });
  for (let block = 0; block < blocks; block += 1) {
    const blockName = `${name}#00000000-0000-4000-8000-${String(block).padStart(12, "0")}`;
    const counts = { file_count: files_per_block, block_size: files_per_block * file_bytes, open_for_writing: 0 };
    world.blocks.put(
      blockName,
      blockRow(world, { block_name: blockName, ...counts, origin_site_name: rses[0] ?? "UNKNOWN" }, name),
    );
    world.dids.put(blockName, { ...did, name: blockName, type: "DATASET", open: false });
    world.contents.put(`${name}\0${blockName}`, { parent: name, child: blockName });
    for (let file = 0; file < files_per_block; file += 1) {
      const folder = type === "mc" ? "mc" : "data";
      const number = block * files_per_block + file;
      const lfn = `/store/${folder}/${era}/${primary}/${tier}/${processed.slice(era.length + 1) || "v1"}/000/000/000/00000/b${block}f${file}.root`;
      const first = number * lumis_per_file + 1;
      const file_lumi_list = Array.from({ length: lumis_per_file }, (_, at) => ({
        run_num: seed.first_run ?? 1,
        lumi_section_num: first + at,
        event_count: Math.floor(events_per_file / lumis_per_file),
      }));
      const adler32 = (0x0cc70000 + number).toString(16).padStart(8, "0");
      const row = {
        logical_file_name: lfn,
        file_type: "EDM",
        check_sum: "1234567890",
        adler32,
        file_size: file_bytes,
        event_count: events_per_file,
        file_lumi_list,
      };
      world.files.put(
        lfn,
        fileRow(world, row, { dataset: name, block: blockName, parents: [], configs: [config], person: "seed" }),
      );
      for (const rse of rses) addReplica(world, account, rse, { name: lfn, bytes: file_bytes, adler32 });
      world.contents.put(`${blockName}\0${lfn}`, { parent: blockName, child: lfn });
    }
  }
}
