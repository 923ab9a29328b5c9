import { type Answer, type Asked, type Handler, isRow, json, type Route, type Row, unixSec } from "../http.ts";
import type { World } from "../world.ts";
import { bodyToInsert, bodyToUpdate, checkBlockName } from "./ask.ts";
import { addDataset, blockRow, insertBulk } from "./bulk.ts";
import { concurrencyError, DbsError } from "./errors.ts";
import { checkFile, checkTypes, fileRow } from "./files.ts";
import { addConfig, addName, checkDatasetName, configKey, hasName, type NameKind } from "./names.ts";

/** Every write that went well says the same. */
const DONE: Answer = json(200, []);

export const WRITE_ROUTES: readonly Route[] = [
  ["POST", /^\/bulkblocks$/, (world, asked) => insertBulk(world, asked, DONE)],
  ["POST", /^\/blocks$/, insertBlock],
  ["PUT", /^\/blocks$/, updateBlock],
  ["POST", /^\/files$/, insertFiles],
  ["PUT", /^\/files$/, updateFiles],
  ["POST", /^\/datasets$/, insertDataset],
  ["PUT", /^\/datasets$/, updateDataset],
  ["POST", /^\/outputconfigs$/, insertConfig],
  ["POST", /^\/primarydatasets$/, insertName("primary", "primary_ds_name")],
  ["POST", /^\/acquisitioneras$/, insertName("acquisition_era", "acquisition_era_name")],
  ["POST", /^\/processingeras$/, insertName("processing_era", "processing_version")],
  ["POST", /^\/datatiers$/, insertName("tier", "data_tier_name")],
  ["POST", /^\/physicsgroups$/, insertName("group", "physics_group_name")],
  ["POST", /^\/datasetaccesstypes$/, insertName("access", "dataset_access_type")],
];

/** A small writer: a repeat changes nothing. */
function insertName(kind: NameKind, key: string): Handler {
  return (world, asked) => {
    const row = bodyToInsert(asked);
    if (row[key] === undefined || row[key] === "") throw new DbsError(113, `"${key}" is missing`);
    addName(world, kind, row[key], row);
    return DONE;
  };
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
  if (!world.blocks.has(name)) world.blocks.put(name, blockRow({ ...row, create_by: personOf(asked) }, dataset));
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
  world.files.put(lfn, fileRow(file, { dataset: block.dataset, block: name, parents, configs, person }));
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
  const needed = [
    [412, "tier", "data_tier_name"],
    [407, "group", "physics_group_name"],
    [408, "access", "dataset_access_type"],
    [404, "acquisition_era", "acquisition_era_name"],
    [405, "processing_era", "processing_version"],
    [411, "primary", "primary_ds_name"],
  ] as const;
  for (const [code, kind, key] of needed)
    if (!hasName(world, kind, row[key])) throw new DbsError(code, `unable to find ${key} ${row[key]}`);
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
