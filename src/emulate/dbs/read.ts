import type { Answer, Asked, Route } from "../http.ts";
import type { DbsFileRow, World } from "../world.ts";
import { fits, found, isDetailed, one, type Question, questionOf, rowsAnswer, runFilter, wantsLines } from "./ask.ts";
import { blockDump } from "./dump.ts";
import { DbsError } from "./errors.ts";

const FILE_KEYS = ["dataset", "block_name", "logical_file_name", "detail", "validFileOnly", "run_num", "lumi_list"];
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  datasets: [
    ...["dataset", "primary_ds_name", "processed_ds_name", "data_tier_name", "acquisition_era_name", "prep_id"],
    ...["detail", "dataset_access_type", "primary_ds_type", "processing_version", "physics_group_name"],
  ],
  blocks: [
    ...["dataset", "block_name", "data_tier_name", "logical_file_name", "detail", "origin_site_name", "run_num"],
    ...["min_cdate", "max_cdate", "open_for_writing"],
  ],
  files: [...FILE_KEYS, "release_version", "origin_site_name"],
  filelumis: ["block_name", "logical_file_name", "run_num", "validFileOnly"],
  summaries: ["dataset", "block_name", "validFileOnly", "run_num", "detail"],
  fileparents: ["logical_file_name", "block_name"],
  runs: ["dataset", "block_name", "logical_file_name", "run_num"],
};

export function readRoutes(world: World): Route[] {
  const files = (asked: Asked): Answer => answerFiles(world, asked);
  const lumis = (asked: Asked): Answer => answerLumis(world, asked);
  const names = (kind: string, filter: readonly string[], ignored: readonly string[] = []) => {
    return (asked: Asked): Answer => {
      const question = questionOf(asked, [...filter, ...ignored]);
      const rows = world.names.values().filter((row) => row.kind === kind);
      const kept = rows.filter((row) => filter.every((key) => fits(question, key, row[key])));
      return rowsAnswer(
        asked,
        kept.map(({ kind: _, ...row }) => row),
      );
    };
  };
  return [
    ["GET", /^\/healthz$/, (asked) => rowsAnswer(asked, [{ status: 200 }])],
    ["GET", /^\/serverinfo$/, (asked) => rowsAnswer(asked, [{ server: "wms2 emulate", version: "emulated" }])],
    ["GET", /^\/errors$/, (asked) => rowsAnswer(asked, CODES)],
    ["GET", /^\/datasets$/, (asked) => answerDatasets(world, asked)],
    ["GET", /^\/blocks$/, (asked) => answerBlocks(world, asked)],
    ["GET", /^\/files$/, files],
    ["POST", /^\/fileArray$/, files],
    ["GET", /^\/filelumis$/, lumis],
    ["POST", /^\/filelumis$/, lumis],
    ["GET", /^\/(?:blocksummaries|filesummaries)$/, (asked) => answerSummary(world, asked)],
    ["GET", /^\/fileparents$/, (asked) => answerParents(world, asked)],
    ["GET", /^\/runs$/, (asked) => answerRuns(world, asked)],
    ["GET", /^\/blockdump$/, (asked) => blockDump(world, asked)],
    [
      "GET",
      /^\/outputconfigs$/,
      names(
        "config",
        ["app_name", "release_version", "pset_hash", "output_module_label"],
        ["dataset", "logical_file_name"],
      ),
    ],
    // Filters by name are taken and not looked at: every era comes back.
    ["GET", /^\/acquisitioneras$/, names("acquisition_era", [], ["acquisition_era_name"])],
    ["GET", /^\/processingeras$/, names("processing_era", ["processing_version"])],
    ["GET", /^\/primarydatasets$/, names("primary", ["primary_ds_name", "primary_ds_type"])],
    ["GET", /^\/datatiers$/, names("tier", ["data_tier_name"])],
    ["GET", /^\/physicsgroups$/, names("group", ["physics_group_name"])],
    ["GET", /^\/datasetaccesstypes$/, names("access", ["dataset_access_type"])],
  ];
}

const CODES = [101, 110, 113, 115, 117, 118, 122, 200, 202, 203, 310, 311, 312].map((code) => ({ code }));

function answerDatasets(world: World, asked: Asked): Answer {
  const question = questionOf(asked, KNOWN.datasets!);
  const wanted = question.has("dataset_access_type")
    ? question
    : new Map([...question, ["dataset_access_type", ["VALID"]]]);
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
  const holding = question.get("logical_file_name")?.map((lfn) => world.files.get(lfn)?.row.block_name);
  const runs = runFilter(question);
  const dataset = one(question, "dataset") ?? one(question, "block_name")?.split("#", 1)[0];
  const near = dataset !== undefined && !dataset.includes("*");
  const stored = near ? world.blocksOf(dataset) : world.blocks.values();
  const [after, before] = [Number(one(question, "min_cdate") ?? 0), Number(one(question, "max_cdate") ?? Infinity)];
  const rows = [...stored, ...generatedBlocks(world, near ? dataset : undefined)].filter(
    (row) =>
      ["dataset", "block_name", "origin_site_name"].every((key) => fits(question, key, row[key])) &&
      fits(question, "data_tier_name", String(row.dataset).split("/")[3]) &&
      (holding === undefined || holding.includes(row.block_name)) &&
      Number(row.creation_date) >= after &&
      Number(row.creation_date) <= before &&
      (runs === null ||
        world.filesOfBlock(row.block_name).some(({ lumis }) => lumis.some(({ run_num }) => runs(run_num)))),
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

function answerSummary(world: World, asked: Asked): Answer {
  const question = questionOf(asked, KNOWN.summaries!);
  const files = select(world, question);
  const sum = (value: (file: DbsFileRow) => number): number => files.reduce((total, file) => total + value(file), 0);
  const row = {
    num_block: new Set(files.map(({ row }) => row.block_name)).size,
    num_file: files.length,
    num_event: sum(({ row }) => row.event_count),
    num_lumi: sum(({ lumis }) => lumis.length),
    file_size: sum(({ row }) => row.file_size),
  };
  return rowsAnswer(asked, files.length > 0 ? [row] : []);
}

function answerParents(world: World, asked: Asked): Answer {
  const files = select(world, questionOf(asked, KNOWN.fileparents!));
  const rows = files.flatMap(({ row, parents }) =>
    parents.map((parent) => ({ logical_file_name: row.logical_file_name, parent_logical_file_name: parent })),
  );
  return rowsAnswer(asked, rows);
}

function answerRuns(world: World, asked: Asked): Answer {
  const files = select(world, questionOf(asked, KNOWN.runs!));
  const runs = new Set(files.flatMap(({ lumis }) => lumis.map(({ run_num }) => run_num)));
  return rowsAnswer(
    asked,
    [...runs].map((run_num) => ({ run_num })),
  );
}
