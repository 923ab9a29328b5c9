import { type Answer, type Asked, json } from "../http.ts";
import type { World } from "../world.ts";
import { one, questionOf } from "./ask.ts";
import { DbsError } from "./errors.ts";

/** A whole block in the form in which it could be inserted. */
export function blockDump(world: World, asked: Asked): Answer {
  const name = one(questionOf(asked, ["block_name"]), "block_name") ?? "";
  const block = world.blocks.get(name);
  const dataset = block && world.datasets.get(block.dataset);
  if (!block || !dataset) throw new DbsError(400, `unable to find block ${name}`);
  const files = world.filesOfBlock(name);
  const config = (key: string): unknown => {
    const { kind: _, ...row } = world.names.get(`config\0${key}`) ?? { kind: "" };
    return row;
  };
  return json(200, {
    block,
    dataset,
    primds: { primary_ds_name: dataset.primary_ds_name, primary_ds_type: dataset.primary_ds_type },
    acquisition_era: { acquisition_era_name: dataset.acquisition_era_name },
    processing_era: { processing_version: dataset.processing_version },
    dataset_conf_list: ((dataset.output_configs ?? []) as string[]).map(config),
    file_conf_list: files.flatMap(({ row, configs }) =>
      configs.map((key) => ({ lfn: row.logical_file_name, ...(config(key) as object) })),
    ),
    files: files.map(({ row, lumis }) => ({ ...row, file_lumi_list: lumis })),
    file_parent_list: files.flatMap(({ row, parents }) =>
      parents.map((parent) => ({ logical_file_name: row.logical_file_name, parent_logical_file_name: parent })),
    ),
    dataset_parent_list: dataset.parents ?? [],
  });
}
