import { isRow, type Row, unixSec } from "../http.ts";
import type { DbsFileRow, Lumi } from "../world.ts";
import { concurrencyError, DbsError, invalid } from "./errors.ts";
import { isLfn, WILD_ID } from "./names.ts";

/** Types first: DBS decodes the whole body before it looks at any value. */
export function checkTypes(file: unknown): asserts file is Row {
  if (!isRow(file)) throw new DbsError(122, "a file must be an object");
  const wrong = [
    ...["logical_file_name", "check_sum", "adler32", "file_type", "md5"].filter((key) => !isText(file[key])),
    ...["file_size", "event_count", "is_file_valid"].filter((key) => !isWhole(file[key])),
    ...(file.auto_cross_section === undefined || typeof file.auto_cross_section === "number"
      ? []
      : ["auto_cross_section"]),
    ...(file.file_lumi_list === undefined || Array.isArray(file.file_lumi_list) ? [] : ["file_lumi_list"]),
  ];
  for (const lumi of (file.file_lumi_list ?? []) as unknown[])
    if (!isRow(lumi) || !isWhole(lumi.run_num) || !isWhole(lumi.lumi_section_num)) wrong.push("file_lumi_list");
  if (wrong.length > 0)
    throw new DbsError(122, "unable to decode JSON", { reason: `wrong type of ${wrong.join(", ")}` });
}
const isText = (value: unknown): boolean => value === undefined || typeof value === "string";
const isWhole = (value: unknown): boolean => value === undefined || value === null || Number.isInteger(value);

/** Whatever is wrong with a file, the same words come back. */
export function checkFile(file: Row): void {
  const good =
    isLfn(file.logical_file_name) && Number(file.file_size) > 0 && file.check_sum && file.adler32 && file.file_type;
  if (!good) throw concurrencyError();
  for (const lumi of (file.file_lumi_list ?? []) as Row[])
    if (!lumi.run_num || !lumi.lumi_section_num) throw invalid(311, "file lumi: run_num and lumi_section_num");
}

interface Owner {
  readonly dataset: string;
  readonly block: string;
  readonly parents: readonly string[];
  readonly configs: readonly string[];
  readonly person: string;
}

export function fileRow(file: Row, owner: Owner): DbsFileRow {
  const now = unixSec();
  return {
    row: {
      logical_file_name: String(file.logical_file_name),
      is_file_valid: file.is_file_valid === undefined ? 1 : Number(file.is_file_valid),
      dataset: owner.dataset,
      block_name: owner.block,
      file_type: file.file_type,
      check_sum: file.check_sum,
      event_count: Number(file.event_count ?? 0),
      file_size: Number(file.file_size),
      adler32: file.adler32,
      md5: file.md5 ?? "",
      auto_cross_section: file.auto_cross_section ?? 0,
      branch_hash_id: null,
      file_id: WILD_ID,
      dataset_id: WILD_ID,
      block_id: WILD_ID,
      file_type_id: 1,
      creation_date: now,
      create_by: owner.person,
      last_modification_date: file.last_modification_date ?? now,
      last_modified_by: file.last_modified_by ?? owner.person,
    },
    lumis: ((file.file_lumi_list ?? []) as Lumi[]).map(({ run_num, lumi_section_num, event_count }) => ({
      run_num,
      lumi_section_num,
      event_count: event_count || null, // none and 0 are stored alike
    })),
    parents: owner.parents,
    configs: owner.configs,
  };
}
