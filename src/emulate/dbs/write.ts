import { type Answer, type Asked, isRow, json, type Route, type Row, unixSec } from "../http.ts";
import type { World } from "../world.ts";
import { bodyToInsert, bodyToUpdate, checkBlockName } from "./ask.ts";
import { addDataset, blockRow, insertBulk } from "./bulk.ts";
import { concurrencyError, DbsError } from "./errors.ts";
import { checkFile, checkTypes, fileRow } from "./files.ts";
import { addConfig, addName, checkDatasetName, configKey, hasName, type NameKind } from "./names.ts";

/** Every write that went well says the same. */
const DONE: Answer = json(200, []);

export function writeRoutes(world: World): Route[] {
  /** A small writer: a repeat changes nothing. */
  const named = (kind: NameKind, key: string) => (asked: Asked) => {
    const row = bodyToInsert(asked);
    if (row[key] === undefined || row[key] === "") throw new DbsError(113, `"${key}" is missing`);
    addName(world, kind, row[key], row);
    return DONE;
  };
  return [
    ["POST", /^\/bulkblocks$/, (asked) => insertBulk(world, asked, DONE)],
    ["POST", /^\/blocks$/, (asked) => insertBlock(world, asked)],
    ["PUT", /^\/blocks$/, (asked) => updateBlock(world, asked)],
    ["POST", /^\/files$/, (asked) => insertFiles(world, asked)],
    ["PUT", /^\/files$/, (asked) => updateFiles(world, asked)],
    ["POST", /^\/datasets$/, (asked) => insertDataset(world, asked)],
    ["PUT", /^\/datasets$/, (asked) => updateDataset(world, asked)],
    ["POST", /^\/primarydatasets$/, named("primary", "primary_ds_name")],
    ["POST", /^\/acquisitioneras$/, named("acquisition_era", "acquisition_era_name")],
    ["PUT", /^\/acquisitioneras$/, (asked) => endEra(world, asked)],
    ["POST", /^\/processingeras$/, named("processing_era", "processing_version")],
    ["POST", /^\/datatiers$/, named("tier", "data_tier_name")],
    ["POST", /^\/physicsgroups$/, named("group", "physics_group_name")],
    ["POST", /^\/datasetaccesstypes$/, named("access", "dataset_access_type")],
    ["POST", /^\/outputconfigs$/, (asked) => insertConfig(world, asked)],
  ];
}

function insertConfig(world: World, asked: Asked): Answer {
  addConfig(world, bodyToInsert(asked));
  return DONE;
}

const personOf = (asked: Asked): string => asked.person ?? "DBS-workflow";

function insertBlock(world: World, asked: Asked): Answer {
  const row = bodyToInsert(asked);
  const name = String(row.block_name ?? "");
  checkBlockName(name);
  const dataset = name.split("#", 1)[0]!;
  if (!world.datasets.has(dataset)) throw new DbsError(410, `unable to find dataset ${dataset}`);
  if (!row.origin_site_name)
    throw new DbsError(305, "unable to insert block", { reason: "Code: 113 origin_site_name" });
  if (!world.blocks.has(name)) world.blocks.put(name, blockRow(world, { ...row, create_by: personOf(asked) }, dataset));
  return DONE;
}

/** In the query, with no body. An unknown block, a repeat and a word for a number are all fine by DBS. */
function updateBlock(world: World, asked: Asked): Answer {
  const name = asked.query.get("block_name") ?? "";
  checkBlockName(name);
  const open = asked.query.get("open_for_writing");
  const value = open !== null && /^-?\d+$/.test(open) ? Number(open) : 0;
  if (open !== null && value !== 0 && value !== 1) throw new DbsError(118, `open_for_writing=${open} is not 0 or 1`);
  const site = asked.query.get("origin_site_name");
  if (open === null && site === null) throw new DbsError(118, "open_for_writing or origin_site_name is required");
  const block = world.blocks.get(name);
  if (!block) return DONE;
  const change = open === null ? { origin_site_name: site ?? "" } : { open_for_writing: value };
  world.blocks.put(name, { ...block, ...change, last_modified_by: personOf(asked), last_modification_date: unixSec() });
  return DONE;
}

/** Each file by itself; one that is known is passed over, and whether the block is open is not asked. */
function insertFiles(world: World, asked: Asked): Answer {
  const { files } = bodyToInsert(asked);
  if (!Array.isArray(files)) throw new DbsError(122, '"files" must be an array');
  for (const file of files) checkTypes(file);
  for (const file of files as Row[]) insertFile(world, file, personOf(asked));
  return DONE;
}

function insertFile(world: World, file: Row, person: string): void {
  const name = String(file.block_name ?? "");
  const block = world.blocks.get(name);
  if (!world.datasets.has(String(file.dataset))) throw new DbsError(410, `unable to find dataset ${file.dataset}`);
  if (!block) throw new DbsError(400, `unable to find block ${name}`);
  checkFile(file);
  if (block.dataset !== file.dataset) throw concurrencyError();
  const lfn = String(file.logical_file_name);
  if (world.files.has(lfn)) return;
  const parents = rowsOf(file.file_parent_list).map((row) => String(row.file_parent_lfn));
  const absent = parents.find((parent) => !world.files.has(parent));
  if (absent !== undefined) throw new DbsError(202, `parent file ${absent} is not there`);
  const configs = rowsOf(file.file_output_config).map((row) => {
    if (!hasName(world, "config", configKey(row))) throw new DbsError(312, `no output config for file ${lfn}`);
    return configKey(row);
  });
  world.files.put(lfn, fileRow(world, file, { dataset: block.dataset, block: name, parents, configs, person }));
  const counted = { file_count: block.file_count + 1, block_size: block.block_size + Number(file.file_size) };
  world.blocks.put(name, { ...block, ...counted, last_modification_date: unixSec() });
}
const rowsOf = (value: unknown): Row[] => (Array.isArray(value) ? value.filter(isRow) : []);

/**
 * As dangerous as the real one: exactly one file, or exactly one dataset, is a filter. Anything else (two files, a
 * block, both, nothing) changes every file of the instance.
 */
function updateFiles(world: World, asked: Asked): Answer {
  const row = bodyToUpdate(asked);
  const valid = Number(row.is_file_valid);
  if (valid !== 0 && valid !== 1) throw new DbsError(118, "is_file_valid must be 0 or 1");
  const lfns = row.logical_file_name === undefined ? [] : [row.logical_file_name].flat().map(String);
  const { dataset } = row;
  const single = row.block_name === undefined && (lfns.length === 1) !== (dataset !== undefined) && lfns.length < 2;
  const chosen = !single
    ? world.files.values()
    : lfns.length === 1
      ? [world.files.get(lfns[0]!)].flatMap((file) => file ?? [])
      : world.filesOfDataset(String(dataset));
  for (const file of chosen) {
    const change = { is_file_valid: valid, last_modified_by: personOf(asked), last_modification_date: unixSec() };
    world.files.put(file.row.logical_file_name, { ...file, row: { ...file.row, ...change } });
  }
  for (const spec of world.generated.values())
    if (!single || spec.dataset === dataset) world.generated.put(spec.dataset, { ...spec, valid: valid === 1 });
  return DONE;
}

/** Unlike a whole block, this makes nothing that is missing. */
function insertDataset(world: World, asked: Asked): Answer {
  const row = bodyToInsert(asked);
  checkDatasetName(row.dataset);
  if (world.datasets.has(String(row.dataset))) return DONE;
  const missing = (code: number, what: string): never => {
    throw new DbsError(code, `unable to find ${what} ${row[what]}`);
  };
  if (!hasName(world, "tier", row.data_tier_name)) missing(412, "data_tier_name");
  if (!hasName(world, "group", row.physics_group_name)) missing(407, "physics_group_name");
  if (!hasName(world, "access", row.dataset_access_type)) missing(408, "dataset_access_type");
  if (!hasName(world, "acquisition_era", row.acquisition_era_name)) missing(404, "acquisition_era_name");
  if (!hasName(world, "processing_era", row.processing_version)) missing(405, "processing_version");
  if (!hasName(world, "primary", row.primary_ds_name)) missing(411, "primary_ds_name");
  const type = world.names.get(`primary\0${row.primary_ds_name}`)?.primary_ds_type;
  const configs = rowsOf(row.output_configs).map(configKey);
  addDataset(world, { ...row, primary_ds_type: type, output_configs: configs }, personOf(asked));
  return DONE;
}

function updateDataset(world: World, asked: Asked): Answer {
  const row = bodyToUpdate(asked);
  const type = String(row.dataset_access_type);
  if (!hasName(world, "access", type)) throw new DbsError(408, `unable to find dataset_access_type ${type}`);
  const dataset = world.datasets.get(String(row.dataset));
  if (!dataset) return DONE;
  const change = { dataset_access_type: type, last_modified_by: personOf(asked), last_modification_date: unixSec() };
  world.datasets.put(dataset.dataset, { ...dataset, ...change });
  return DONE;
}

function endEra(world: World, asked: Asked): Answer {
  const key = `acquisition_era\0${asked.query.get("acquisition_era_name")}`;
  const era = world.names.get(key);
  if (era) world.names.put(key, { ...era, end_date: Number(asked.query.get("end_date")) });
  return DONE;
}
