import type { BlockChoice, EventCount, InputSpec, LumiMask } from "../../core/work.ts";
import type { Form } from "../../intake/reading/form.ts";
import { shown } from "../../intake/reading/notes.ts";
import type { Spot } from "../../intake/reading/values.ts";
import { readPath } from "../read-path.ts";
import { readMask } from "./read-mask.ts";

const PART = "[A-Za-z0-9][A-Za-z0-9_.-]{0,198}";
const DATASET = new RegExp(`^(/${PART}/${PART}/${PART}|${PART})$`);
/** A dataset as CMS calls it. */
export const DATASET_NAME = new RegExp(`^/${PART}/${PART}/${PART}$`);
export const DATASET_RULE = "/Primary/Processed/TIER, or a name in the local catalog";
const SOURCES = ["files", "directory", "list", "dataset"] as const;
const INPUT_FORMS =
  '{files: "/data/*.csv"}, {directory: /data}, {list: /data/files.json} or {dataset: /Primary/Processed/TIER}';
const MAX_PATTERNS = 1000;

/** In place of input that could not be read; that is a problem, so nobody will ever look for it. */
export const UNREADABLE: InputSpec = { from: "dataset", dataset: "", mask: { runs: [], lumis: null } };

/** Where the input comes from; null when there is none or it cannot be read. */
export function readInput(top: Form): InputSpec | null {
  const dataset = top.spot("input_dataset");
  top.knows("events_per_file");
  if (top.spot("input") === null && dataset === null) return null;
  // 003 keeps the selection among the splitting parameters.
  const params = top.section("splitting_params");
  if (top.spot("input") === null)
    return withOnMissing(
      readDataset(dataset!, readMask(params.list("run_whitelist"), params.spot("lumi_mask"))),
      params,
    );
  dataset?.problem("says the same as input.dataset; keep one of them");
  params.spot("run_whitelist")?.problem("belongs under input: write input.runs");
  params.spot("lumi_mask")?.problem("belongs under input: write input.lumi_mask");
  return top.within("input", (form) => {
    const given = SOURCES.filter((source) => form.spot(source) !== null);
    const [from] = given;
    if (given.length === 0) form.notes.problem(form.path, "does not say where the files are", INPUT_FORMS);
    else if (given.length > 1)
      form.notes.problem(form.path, `has ${given.join(" and ")}; only one can be used`, INPUT_FORMS);
    const mask = readMask(form.list("runs"), form.spot("lumi_mask"));
    const events = form.either("events_per_file", top, "events_per_file");
    const count = readEventCount(events);
    if (from === "list" || from === "dataset")
      events?.problem(`has no meaning here: the ${from} tells the events of each file`);
    const spot = from === undefined ? null : form.spot(from);
    const input = spot === null ? null : readSource(from!, spot, count, mask);
    return withOnMissing(input, form);
  });
}

/** What to do about files that no usable site holds. */
export function withOnMissing(input: InputSpec | null, form: Form): InputSpec | null {
  const onMissing = form.choice("on_missing", ["hold", "skip"] as const, "hold");
  return input && onMissing === "skip" ? { ...input, onMissing } : input;
}

export function readDataset(spot: Spot, mask: LumiMask, blocks?: BlockChoice): InputSpec | null {
  const dataset = spot.text(DATASET, DATASET_RULE);
  return dataset === null ? null : { from: "dataset", dataset, mask, ...(blocks && { blocks }) };
}

function readSource(from: (typeof SOURCES)[number], spot: Spot, events: EventCount, mask: LumiMask): InputSpec | null {
  if (from === "dataset") return readDataset(spot, mask);
  const path = from === "files" ? readPatterns(spot) : readPath(spot);
  if (path === null) return null;
  if (from === "files") return { from: "glob", pattern: path, events, mask };
  return from === "directory" ? { from, path, events, mask } : { from, path, mask };
}

/** Several patterns become one with braces, behind their common directory: /data/{a.csv,b-*.csv}. */
function readPatterns(spot: Spot): string | null {
  if (typeof spot.value === "string") return readPath(spot);
  const entries = spot.list(MAX_PATTERNS);
  const patterns = entries.map(readPath).filter((path) => path !== null);
  if (Array.isArray(spot.value) && spot.value.length === 0) spot.problem("names no file");
  if (patterns.length === 0 || patterns.length < entries.length) return null;
  if (patterns.length === 1) return patterns[0]!;
  const odd = entries[patterns.findIndex((pattern) => /[{},\\]/.test(pattern))];
  if (odd === undefined) return joinPatterns(patterns);
  return odd.problem("has one of { } , \\ in it, which a list of patterns cannot hold", "input: {list: FILE}");
}

export function joinPatterns(patterns: readonly string[]): string {
  const first = patterns[0]!.split("/").slice(0, -1);
  let shared = first.length;
  for (const pattern of patterns) {
    const parts = pattern.split("/").slice(0, -1);
    while (shared > 1 && parts.slice(0, shared).join("/") !== first.slice(0, shared).join("/")) shared -= 1;
  }
  const start = `${first.slice(0, shared).join("/")}/`;
  return `${start}{${patterns.map((pattern) => pattern.slice(start.length)).join(",")}}`;
}

function readEventCount(spot: Spot | null): EventCount {
  if (spot === null) return { by: "unknown" };
  const { value } = spot;
  if (value === "lines") return { by: "lines" };
  if (typeof value === "number" && Number.isInteger(value) && value >= 1) return { by: "fixed", perFile: value };
  spot.problem(
    `must say how events are counted (got ${shown(value)})`,
    "lines (one event a line) or a whole number from 1",
  );
  return { by: "unknown" };
}
