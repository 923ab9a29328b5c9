import type { Answer, Asked, Handler, Route, Row } from "../http.ts";
import type { DbsFileRow, World } from "../world.ts";
import { fits, found, isDetailed, one, type Question, questionOf, rowsAnswer, runFilter, wantsLines } from "./ask.ts";
import { DbsError } from "./errors.ts";
import type { NameKind } from "./names.ts";

const FILE_KEYS = ["dataset", "block_name", "logical_file_name", "detail", "validFileOnly", "run_num", "lumi_list"];
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  datasets: [
    ...["dataset", "primary_ds_name", "processed_ds_name", "data_tier_name", "acquisition_era_name", "prep_id"],
    ...["detail", "dataset_access_type", "primary_ds_type", "processing_version", "physics_group_name"],
  ],
  blocks: [
    ...["dataset", "block_name", "data_tier_name", "logical_file_name", "detail", "origin_site_name"],
    "open_for_writing", // taken, and not looked at
  ],
  files: [...FILE_KEYS, "release_version", "origin_site_name"],
  filelumis: ["block_name", "logical_file_name", "run_num", "validFileOnly"],
};

export const READ_ROUTES: readonly Route[] = [
  ["GET", /^\/healthz$/, (_world, asked) => rowsAnswer(asked, [{ status: 200 }])],
  ["GET", /^\/datasets$/, answerDatasets],
  ["GET", /^\/blocks$/, answerBlocks],
  ["GET", /^\/files$/, answerFiles],
  ["POST", /^\/fileArray$/, answerFiles],
  ["GET", /^\/filelumis$/, answerLumis],
  ["POST", /^\/filelumis$/, answerLumis],
  ["GET", /^\/outputconfigs$/, named("config", ["app_name", "release_version", "pset_hash", "output_module_label"])],
  ["GET", /^\/acquisitioneras$/, named("acquisition_era", ["acquisition_era_name"])],
  ["GET", /^\/processingeras$/, named("processing_era", ["processing_version"])],
  ["GET", /^\/primarydatasets$/, named("primary", ["primary_ds_name", "primary_ds_type"])],
  ["GET", /^\/datatiers$/, named("tier", ["data_tier_name"])],
];

function named(kind: NameKind, keys: readonly string[]): Handler {
  return (world, asked) => {
    const question = questionOf(asked, keys);
    // A name of an era is taken and not looked at: every era comes back.
    const isMeant = (row: Row): boolean =>
      kind === "acquisition_era" || keys.every((key) => fits(question, key, row[key]));
    const rows = world.names.values().filter((row) => row.kind === kind && isMeant(row));
    const shown = rows.map(({ kind: _, ...row }) => row);
    return rowsAnswer(asked, shown);
  };
}

function answerDatasets(world: World, asked: Asked): Answer {
  const question = questionOf(asked, KNOWN.datasets!);
  const wanted = new Map([["dataset_access_type", ["VALID"]], ...question]);
  const keys = [...wanted.keys()].filter((key) => key !== "detail");
  const rows = world.datasets.values().filter((row) => keys.every((key) => fits(wanted, key, row[key])));
  const shown = isDetailed(question)
    ? rows.map(({ output_configs: _, ...row }) => row)
    : rows.map(({ dataset }) => ({ dataset }));
  return rowsAnswer(asked, shown);
}

function needs(question: Question, keys: readonly string[]): void {
  if (keys.some((key) => question.has(key))) return;
  throw new DbsError(118, `one of ${keys.join(", ")} is required`);
}

function answerBlocks(world: World, asked: Asked): Answer {
  const question = questionOf(asked, KNOWN.blocks!);
  needs(question, ["dataset", "block_name", "data_tier_name", "logical_file_name"]);
  const lfns = question.get("logical_file_name");
  const holding = lfns?.map((lfn) => world.files.get(lfn)?.row.block_name);
  const dataset = one(question, "dataset") ?? one(question, "block_name")?.split("#", 1)[0];
  const near = dataset !== undefined && !dataset.includes("*");
  const stored = near ? world.blocksOf(dataset) : world.blocks.values();
  const rows = [...stored, ...generatedBlocks(world, near ? dataset : undefined)].filter(
    (row) =>
      ["dataset", "block_name", "origin_site_name"].every((key) => fits(question, key, row[key])) &&
      fits(question, "data_tier_name", String(row.dataset).split("/")[3]) &&
      (holding === undefined || holding.includes(row.block_name)),
  );
  return rowsAnswer(asked, isDetailed(question) ? rows : rows.map(({ block_name }) => ({ block_name })));
}

const generatedBlocks = (world: World, dataset: string | undefined) =>
  (dataset === undefined ? world.generated.values().map((spec) => spec.dataset) : [dataset]).flatMap((name) => {
    const made = world.generatedOf(name)?.made;
    return made ? Array.from({ length: made.spec.blocks }, (_, block) => made.blockRow(block)) : [];
  });

/** Files by dataset, block or name, and whether only valid ones count. */
function select(world: World, question: Question): DbsFileRow[] {
  needs(question, ["dataset", "block_name", "logical_file_name"]);
  const lfns = question.get("logical_file_name");
  const blocks = question.get("block_name");
  const found = lfns
    ? lfns.flatMap((lfn) => (lfn.includes("*") ? world.files.values() : (world.files.get(lfn) ?? [])))
    : blocks
      ? blocks.flatMap((block) => world.filesOfBlock(block))
      : (question.get("dataset") ?? []).flatMap((dataset) => world.filesOfDataset(dataset));
  const onlyValid = one(question, "validFileOnly") === "1";
  return found.filter(
    ({ row }) =>
      ["dataset", "block_name", "logical_file_name"].every((key) => fits(question, key, row[key])) &&
      (!onlyValid || (row.is_file_valid === 1 && isUsable(world, row.dataset))),
  );
}

const isUsable = (world: World, dataset: string): boolean =>
  ["VALID", "PRODUCTION"].includes(world.datasets.get(dataset)?.dataset_access_type ?? "");

/** Rows made up by rule, when the question is for a whole block or dataset of that kind. */
function generated(world: World, asked: Asked, question: Question, kind: "files" | "names" | "lumis"): Answer | null {
  const name = one(question, "block_name") ?? one(question, "dataset");
  const there = name === undefined ? null : world.generatedOf(name);
  if (!there) return null;
  const hidden =
    one(question, "validFileOnly") === "1" && !(there.made.spec.valid && isUsable(world, there.made.spec.dataset));
  if (hidden) return rowsAnswer(asked, []);
  return found(asked, there.made.rows(kind, there.block, wantsLines(asked) ? "lines" : "array"));
}

function answerFiles(world: World, asked: Asked): Answer {
  const question = questionOf(asked, KNOWN.files!);
  const lists = ["logical_file_name", "run_num", "lumi_list"].filter((key) => (question.get(key)?.length ?? 0) > 1);
  if (asked.method === "POST" && lists.length > 1)
    throw new DbsError(118, `only one of ${lists.join(", ")} may be a list`);
  if (one(question, "run_num") === "1" && !question.has("logical_file_name") && !question.has("lumi_list"))
    throw new DbsError(118, "run_num=1 is not a valid search by itself");
  const made = generated(world, asked, question, isDetailed(question) ? "files" : "names");
  if (made) return made;
  const runs = runFilter(question);
  const lumis = question.get("lumi_list")?.map(Number);
  const files = select(world, question).filter(
    (file) =>
      (!runs && !lumis) ||
      file.lumis.some((lumi) => (!runs || runs(lumi.run_num)) && (!lumis || lumis.includes(lumi.lumi_section_num))),
  );
  const shown = isDetailed(question)
    ? files.map(({ row }) => row)
    : files.map(({ row }) => ({ logical_file_name: row.logical_file_name }));
  return rowsAnswer(asked, shown);
}

function answerLumis(world: World, asked: Asked): Answer {
  const question = questionOf(asked, KNOWN.filelumis!);
  needs(question, ["block_name", "logical_file_name"]);
  const made = generated(world, asked, question, "lumis");
  if (made) return made;
  const runs = runFilter(question) ?? (() => true);
  const rows = select(world, question).flatMap(({ row, lumis }) =>
    lumis.filter(({ run_num }) => runs(run_num)).map((lumi) => ({ ...lumi, logical_file_name: row.logical_file_name })),
  );
  return rowsAnswer(asked, rows);
}
