import { invariant } from "../../../core/base/errors.ts";
import { probe, type Question } from "../http/question.ts";
import type { NewDbsDataset, NewDbsFile, OutputConfig } from "../services.ts";

/** DBS compares this header letter by letter: a charset behind it is refused. */
const JSON_TYPE = { "content-type": "application/json" };
/** One list, not one object a line: a list that was cut short between two rows has no end, and lines look whole. */
const AS_LIST = { accept: "application/json" };

/** `#` and `/` are encoded too. */
const query = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join("&");

/** Nothing DBS is asked changes anything twice: what is there already stays as it is. */
const get = (operation: string, base: string, path: string, values: Readonly<Record<string, string>> = {}) =>
  ({ operation, method: "GET", url: `${base}/${path}?${query(values)}`, repeatable: true }) as const;
const post = (operation: string, base: string, path: string, body: unknown): Question => ({
  operation,
  method: "POST",
  url: `${base}/${path}`,
  headers: JSON_TYPE,
  body: JSON.stringify(body),
  repeatable: true,
});

export const health = (base: string): Question => probe(`${base}/healthz`);
/** All access types: without that, DBS hides what is not VALID. */
export const datasetByName = (base: string, dataset: string): Question =>
  get("datasets.read", base, "datasets", { dataset, detail: "1", dataset_access_type: "*" });
export const blocksOf = (base: string, dataset: string): Question =>
  get("blocks.read", base, "blocks", { dataset, detail: "1" });
export const blockByName = (base: string, block: string): Question =>
  get("block.read", base, "blocks", { block_name: block, detail: "1" });
export const filesOf = (base: string, block: string): Question => ({
  ...get("files.read", base, "files", { block_name: block, detail: "1", validFileOnly: "1" }),
  headers: AS_LIST,
});
export const lumisOf = (base: string, block: string): Question => ({
  ...get("lumis.read", base, "filelumis", { block_name: block, validFileOnly: "1" }),
  headers: AS_LIST,
});
/** Valid or not: whoever registers must see all of them. */
export const filesByName = (base: string, lfns: readonly string[]): Question =>
  post("files.look", base, "fileArray", { logical_file_name: lfns, detail: 1 });

const configRow = ({ release, psetHash, globalTag, outputModule }: OutputConfig) => ({
  app_name: "cmsRun",
  release_version: release,
  pset_hash: psetHash,
  global_tag: globalTag,
  output_module_label: outputModule,
});

/** What it would have taken anyway, were the era not ours. */
const ERA_START = 123456789;

/** In this order: each needs what stands before it. */
export function datasetParts(base: string, dataset: NewDbsDataset): readonly Question[] {
  const [primary, processed, tier] = partsOf(dataset.dataset);
  const { acquisitionEra: era, processingVersion: version, prepId } = dataset;
  return [
    post("primary.write", base, "primarydatasets", { primary_ds_name: primary, primary_ds_type: dataset.primaryType }),
    post("era.write", base, "acquisitioneras", { acquisition_era_name: era, start_date: ERA_START }),
    post("era.write", base, "processingeras", { processing_version: version, description: "" }),
    post("dataset.write", base, "datasets", {
      dataset: dataset.dataset,
      primary_ds_name: primary,
      primary_ds_type: dataset.primaryType,
      processed_ds_name: processed,
      data_tier_name: tier,
      acquisition_era_name: era,
      dataset_access_type: dataset.accessType,
      processing_version: version,
      physics_group_name: "NoGroup",
      xtcrosssection: 0,
      ...(prepId !== null && { prep_id: prepId }),
      output_configs: [configRow(dataset.config)],
    }),
  ];
}

export const outputConfig = (base: string, config: OutputConfig): Question =>
  post("config.write", base, "outputconfigs", configRow(config));

function partsOf(dataset: string): [primary: string, processed: string, tier: string] {
  const [none, primary, processed, tier, ...more] = dataset.split("/");
  invariant(none === "" && primary && processed && tier && more.length === 0, "a dataset is /PRIMARY/PROCESSED/TIER", {
    dataset,
  });
  return [primary, processed, tier];
}

export const newBlock = (base: string, block: string, originRse: string): Question =>
  post("block.write", base, "blocks", { block_name: block, origin_site_name: originRse });

export const newFiles = (base: string, block: string, files: readonly NewDbsFile[]): Question =>
  post("files.write", base, "files", {
    files: files.map((file) => ({
      logical_file_name: file.lfn,
      dataset: file.dataset,
      block_name: block,
      file_type: "EDM",
      file_size: file.sizeBytes,
      event_count: file.events,
      check_sum: file.cksum,
      adler32: file.adler32,
      md5: "",
      auto_cross_section: 0,
      file_lumi_list: file.lumis.map(({ run, lumi }) => ({ run_num: run, lumi_section_num: lumi })),
      file_parent_list: file.parents.map((parent) => ({ file_parent_lfn: parent })),
      file_output_config: [configRow(file.config)],
    })),
  });

/** Everything stands in the query: DBS reads no body here. */
export const closedBlock = (base: string, block: string): Question => ({
  operation: "block.close",
  method: "PUT",
  url: `${base}/blocks?${query({ block_name: block, open_for_writing: "0" })}`,
  repeatable: true,
});

/** One name, and nothing that DBS could take for a list, a pattern or no name at all. */
const ONE_LFN = /^\/store\/[A-Za-z0-9_./+=:-]{1,493}$/;

/**
 * Exactly one file. With several names, or with none, DBS changes every file of the instance: that must not happen,
 * whatever a caller hands over, so it is a bug here and nothing is sent.
 */
export function invalidFile(base: string, lfn: string): Question {
  invariant(typeof lfn === "string" && ONE_LFN.test(lfn), "one file is invalidated at a time", { lfn });
  return {
    operation: "file.invalidate",
    method: "PUT",
    url: `${base}/files`,
    headers: JSON_TYPE,
    body: JSON.stringify({ logical_file_name: lfn, is_file_valid: 0 }),
    repeatable: true,
  };
}
