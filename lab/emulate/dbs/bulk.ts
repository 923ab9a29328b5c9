import { type Answer, type Asked, isRow, type Row, unixSec } from "../http.ts";
import type { DbsBlockRow, World } from "../world.ts";
import { bodyToInsert, checkBlockName } from "./ask.ts";
import { concurrencyError, DbsError, invalid } from "./errors.ts";
import { checkFile, checkTypes, fileRow } from "./files.ts";
import { addConfig, addName, checkDatasetName, configKey, WILD_ID } from "./names.ts";

const PARTS = ["dataset", "block", "primds", "processing_era", "acquisition_era"] as const;
type Parts = Readonly<Record<(typeof PARTS)[number], Row>>;

/** A block with everything around it. The block's name is the key: a second time it is refused and nothing changes. */
export function insertBulk(world: World, asked: Asked, done: Answer): Answer {
  const body = bodyToInsert(asked);
  const parts = Object.fromEntries(PARTS.map((key) => [key, partOf(body, key)])) as Parts;
  const files = listOf(body, "files") as Row[];
  for (const file of files) checkTypes(file);
  const { block, dataset } = parts;
  const name = String(block.block_name ?? "");
  checkBlockName(name);
  if (world.blocks.has(name)) throw new DbsError(200, `Block ${name} already exists`);
  const configs = listOf(body, "dataset_conf_list").map((row) => addConfig(world, row));
  addAround(world, parts, configs, listOf(body, "dataset_parent_list") as string[], asked.person ?? "DBS-workflow");
  // What stands around the block stays, even when the block itself is refused from here on.
  if (!block.origin_site_name) throw invalid(305, "block: origin_site_name");
  const parents = parentsIn(world, listOf(body, "file_parent_list") as Row[]);
  const configsOf = configsIn(listOf(body, "file_conf_list") as Row[], configs);
  const rows = files.map((file) => {
    checkFile(file);
    const lfn = String(file.logical_file_name);
    if (world.files.has(lfn)) throw concurrencyError();
    const place = { dataset: String(dataset.dataset), block: name, person: asked.person ?? "DBS-workflow" };
    return fileRow(file, { ...place, parents: parents.get(lfn) ?? [], configs: configsOf.get(lfn) ?? [] });
  });
  if (new Set(rows.map(({ row }) => row.logical_file_name)).size < rows.length) throw concurrencyError();
  world.blocks.put(name, blockRow(block, String(dataset.dataset)));
  for (const file of rows) world.files.put(file.row.logical_file_name, file);
  return done;
}

export function blockRow(block: Row, dataset: string): DbsBlockRow {
  const now = unixSec();
  return {
    block_id: WILD_ID,
    block_name: String(block.block_name),
    block_size: Number(block.block_size ?? 0),
    create_by: block.create_by ?? "DBS-workflow",
    creation_date: Number(block.creation_date ?? now),
    dataset,
    dataset_id: WILD_ID,
    file_count: Number(block.file_count ?? 0),
    last_modification_date: now,
    last_modified_by: block.create_by ?? "DBS-workflow",
    open_for_writing: Number(block.open_for_writing ?? 1),
    origin_site_name: String(block.origin_site_name),
  };
}

function partOf(body: Row, key: string): Row {
  const part = body[key];
  if (part !== undefined && !isRow(part)) throw new DbsError(122, `"${key}" must be an object`);
  return part ?? {};
}
function listOf(body: Row, key: string): readonly unknown[] {
  const part = body[key] ?? [];
  if (!Array.isArray(part)) throw new DbsError(122, `"${key}" must be an array`);
  return part;
}

/** Every entity a dataset needs is made where it is missing. */
function addAround(world: World, parts: Parts, configs: readonly string[], parents: readonly string[], person: string) {
  const { dataset, primds, processing_era: processing, acquisition_era: era } = parts;
  const version = processing.processing_version;
  if (typeof version === "string") throw new DbsError(122, "processing_version must be a number");
  if (!["mc", "data", "cosmic", "test"].includes(String(primds.primary_ds_type))) throw invalid(205, "primary_ds_type");
  if (!primds.primary_ds_name) throw invalid(206, "primary_ds_name");
  if (!(Number(version) > 0)) throw invalid(207, "processing_version");
  if (!era.acquisition_era_name) throw invalid(208, "acquisition_era_name");
  if (!dataset.data_tier_name) throw invalid(209, "data_tier_name");
  if (!dataset.physics_group_name) throw invalid(210, "physics_group_name");
  if (!dataset.dataset_access_type) throw invalid(211, "dataset_access_type");
  checkDatasetName(dataset.dataset);
  addName(world, "primary", primds.primary_ds_name, primds);
  addName(world, "processing_era", version, processing);
  addName(world, "acquisition_era", era.acquisition_era_name, era);
  addName(world, "tier", dataset.data_tier_name, { data_tier_name: dataset.data_tier_name });
  addName(world, "group", dataset.physics_group_name, { physics_group_name: dataset.physics_group_name });
  addName(world, "access", dataset.dataset_access_type, { dataset_access_type: dataset.dataset_access_type });
  const absent = parents.find((parent) => !world.datasets.has(parent));
  if (absent !== undefined) throw new DbsError(203, `parent dataset ${absent} is not there`);
  addDataset(world, { ...dataset, ...pick(primds, era, version), output_configs: configs, parents }, person);
}
const pick = (primds: Row, era: Row, version: unknown): Row => ({
  primary_ds_name: primds.primary_ds_name,
  primary_ds_type: primds.primary_ds_type,
  acquisition_era_name: era.acquisition_era_name,
  processing_version: version,
});

/** Known already: it stays as it was, and learns of configurations it did not have. */
export function addDataset(world: World, row: Row, person: string): void {
  const name = String(row.dataset);
  const [, primary = "", processed = "", tier = ""] = name.split("/");
  const known = world.datasets.get(name);
  const now = unixSec();
  const configs = [...((known?.output_configs ?? []) as string[]), ...((row.output_configs ?? []) as string[])];
  const fresh = {
    prep_id: "",
    xtcrosssection: 0,
    create_by: person,
    creation_date: now,
    last_modified_by: person,
    last_modification_date: now,
    dataset_access_type: "PRODUCTION",
    ...row,
  };
  world.datasets.put(name, {
    ...(known ?? { ...fresh, dataset_id: WILD_ID }),
    dataset: name,
    dataset_access_type: String(known?.dataset_access_type ?? fresh.dataset_access_type),
    primary_ds_name: primary,
    processed_ds_name: processed,
    data_tier_name: tier,
    output_configs: [...new Set(configs)],
  });
}

function parentsIn(world: World, rows: readonly Row[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { logical_file_name: lfn, parent_logical_file_name: parent } of rows) {
    if (!world.files.has(String(parent))) throw new DbsError(202, `parent file ${parent} is not there`);
    found.set(String(lfn), [...(found.get(String(lfn)) ?? []), String(parent)]);
  }
  return found;
}

function configsIn(rows: readonly Row[], known: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const row of rows) {
    const key = configKey(row);
    if (!known.includes(key)) throw new DbsError(312, `no output config ${key} for file ${row.lfn}`);
    found.set(String(row.lfn), [key]);
  }
  return found;
}
