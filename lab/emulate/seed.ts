import { z } from "zod";
import { WorldError } from "../../src/core/base/errors.ts";
import { addDataset, blockRow } from "./dbs/bulk.ts";
import { fileRow } from "./dbs/files.ts";
import { addConfig, addName } from "./dbs/names.ts";
import { unixSec } from "./http.ts";
import { addRequest } from "./reqmgr2/service.ts";
import { addReplica } from "./rucio/files.ts";
import type { World } from "./world.ts";

const count = z.int().min(0);
const names = z.array(z.string()).default([]);
const row = z.record(z.string(), z.unknown());
const byName = <T extends z.ZodType>(what: T) => z.record(z.string(), what).default({});

const rse = z.strictObject({
  type: z.enum(["DISK", "TAPE"]).default("DISK"),
  writable: z.boolean().default(true),
  attributes: row.default({}),
});
const account = z.strictObject({
  admin: z.boolean().default(true),
  limits: z.record(z.string(), z.number().nullable()).default({ "*": null }),
});
const site = z.strictObject({
  rses: names,
  state: z.string().default("ACTIVE"),
  prod_status: z.string().default("enabled"),
});
const dataset = z.strictObject({
  primary_type: z.enum(["mc", "data"]).optional(),
  access_type: z.string().default("VALID"),
  blocks: count.default(1),
  files_per_block: count.default(10),
  events_per_file: count.default(100),
  lumis_per_file: count.default(2),
  file_bytes: count.default(1_000_000),
  first_run: count.default(1),
  /** Where every file is. */
  rses: names,
  /** Kept as a rule instead of as rows: for millions of files, which cannot be changed one by one. */
  generated: z.boolean().default(false),
});
/** What the services are to know, in few words; everything may be left out (docs/guides/emulate.md). */
const schema = z.strictObject({
  rses: byName(rse),
  accounts: byName(account),
  sites: byName(site),
  datasets: byName(dataset),
  /** ReqMgr2 documents by name. */
  requests: byName(row),
  /** Texts of configurations by id. */
  configs: byName(z.string()),
});
export type Seed = z.input<typeof schema>;

const ACCESS_TYPES = ["VALID", "INVALID", "PRODUCTION", "DEPRECATED", "DELETED"];
const TIERS =
  "RAW GEN GEN-SIM GEN-SIM-RAW RECO AOD AODSIM MINIAOD MINIAODSIM NANOAOD NANOAODSIM DQMIO DIGI GEN-SIM-DIGI-RAW".split(
    " ",
  );

/** Adds what is not there and replaces what is. */
export function plant(world: World, seed: unknown): void {
  const parsed = schema.safeParse(seed);
  if (!parsed.success) throw wrong(z.prettifyError(parsed.error));
  const { rses, accounts, sites, datasets, requests, configs } = parsed.data;
  for (const [name, { type, writable, attributes }] of Object.entries(rses)) {
    const all = { cms_type: "real", ...attributes };
    world.rses.put(name, { rse: name, rse_type: type, availability_write: writable, attributes: all });
  }
  for (const [name, about] of Object.entries(accounts)) world.accounts.put(name, { account: name, ...about });
  for (const [name, about] of Object.entries(sites)) world.sites.put(name, { site: name, ...about });
  for (const [id, text] of Object.entries(configs)) world.configs.put(id, text);
  for (const [name, doc] of Object.entries(requests)) addRequest(world, { ...doc, RequestName: name }, "");
  for (const type of ACCESS_TYPES) addName(world, "access", type, { dataset_access_type: type });
  for (const tier of TIERS) addName(world, "tier", tier, { data_tier_name: tier });
  addName(world, "group", "NoGroup", { physics_group_name: "NoGroup" });
  for (const [name, about] of Object.entries(datasets)) plantDataset(world, name, about);
}

const wrong = (message: string): WorldError =>
  new WorldError("bad-usage", "seed", `not a seed: ${message}`, { hint: "see docs/guides/emulate.md" });

const FIVE = { app_name: "cmsRun", release_version: "CMSSW_14_0_1", pset_hash: "seed", global_tag: "GT_seed" };

function plantDataset(world: World, name: string, seed: z.infer<typeof dataset>): void {
  const [, primary = "", processed = "", tier = ""] = name.split("/");
  const [era = ""] = processed.split("-");
  if (!tier) throw wrong(`datasets are named /Primary/Era-Processing-v1/TIER, not ${name}`);
  const type = seed.primary_type ?? (/SIM|GEN/.test(tier) ? "mc" : "data");
  addName(world, "primary", primary, { primary_ds_name: primary, primary_ds_type: type });
  addName(world, "acquisition_era", era, { acquisition_era_name: era, start_date: 123456789 });
  addName(world, "processing_era", 1, { processing_version: 1, description: "" });
  const config = addConfig(world, { ...FIVE, output_module_label: "Merged" });
  const around = { primary_ds_type: type, acquisition_era_name: era, processing_version: 1, output_configs: [config] };
  addDataset(world, { dataset: name, dataset_access_type: seed.access_type, ...around }, "seed");
  if (seed.generated) {
    world.generated.put(name, { ...seed, dataset: name, created: unixSec(), valid: true });
    return;
  }
  const did = { account: "seed", bytes: null, adler32: null };
  world.dids.put(name, { ...did, name, type: "CONTAINER", open: true });
  for (let at = 0; at < seed.blocks; at += 1) {
    const block = `${name}#00000000-0000-4000-8000-${String(at).padStart(12, "0")}`;
    const counts = { file_count: seed.files_per_block, block_size: seed.files_per_block * seed.file_bytes };
    const about = { block_name: block, ...counts, open_for_writing: 0, origin_site_name: seed.rses[0] ?? "UNKNOWN" };
    world.blocks.put(block, blockRow(about, name));
    world.dids.put(block, { ...did, name: block, type: "DATASET", open: false });
    world.contents.put(`${name}\0${block}`, { parent: name, child: block });
    const folder = `/store/${type}/${era}/${primary}/${tier}/${processed.slice(era.length + 1) || "v1"}`;
    const owner = { dataset: name, block, parents: [], configs: [config], person: "seed" };
    for (let file = 0; file < seed.files_per_block; file += 1) plantFile(world, seed, owner, folder, at, file);
  }
}

type Owner = Parameters<typeof fileRow>[1];

function plantFile(
  world: World,
  seed: z.infer<typeof dataset>,
  owner: Owner,
  folder: string,
  at: number,
  file: number,
) {
  const number = at * seed.files_per_block + file;
  const lfn = `${folder}/000/000/000/00000/b${at}f${file}.root`;
  const events = Math.floor(seed.events_per_file / seed.lumis_per_file);
  const lumis = Array.from({ length: seed.lumis_per_file }, (_, lumi) => ({
    run_num: seed.first_run,
    lumi_section_num: number * seed.lumis_per_file + 1 + lumi,
    event_count: events,
  }));
  const adler32 = (0x0cc70000 + number).toString(16).padStart(8, "0");
  const sums = { file_type: "EDM", check_sum: "1234567890", adler32, file_size: seed.file_bytes };
  const about = { logical_file_name: lfn, ...sums, event_count: seed.events_per_file, file_lumi_list: lumis };
  world.files.put(lfn, fileRow(about, owner));
  for (const name of seed.rses) addReplica(world, "seed", name, { name: lfn, bytes: seed.file_bytes, adler32 });
  world.contents.put(`${owner.block}\0${lfn}`, { parent: owner.block, child: lfn });
}
