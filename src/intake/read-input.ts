import type { EventCount, InputSpec, LumiMask } from "../domain/request.ts";
import type { Form } from "./form.ts";
import { shown } from "./notes.ts";
import { readMask } from "./read-mask.ts";
import type { Reading } from "./reading.ts";
import { listEntries, readText, type Spot } from "./values.ts";

const PART = "[A-Za-z0-9][A-Za-z0-9_.-]{0,198}";
export const DATASET = new RegExp(`^(/${PART}/${PART}/${PART}|${PART})$`);
export const DATASET_RULE = "/Primary/Processed/TIER, or a name in the local catalog";
const SOURCES = ["files", "directory", "list", "dataset"] as const;
const INPUT_FORMS =
  '{files: "/data/*.csv"}, {directory: /data}, {list: /data/files.json} or {dataset: /Primary/Processed/TIER}';
const MAX_PATTERNS = 1000;

/** Where the input comes from; null when there is none or it cannot be told. */
export function readInput(top: Form, reading: Reading): InputSpec | null {
  const { notes } = reading;
  const short = top.spot("input_dataset");
  const strayEvents = top.spot("events_per_file");
  if (top.spot("input") === null) {
    if (short === null) return null;
    const dataset = readText(short, notes, DATASET, DATASET_RULE);
    return dataset === null ? null : { from: "dataset", dataset, mask: splittingMask(top, reading) };
  }
  if (short !== null) notes.problem(short.path, "says the same as input.dataset; keep one of them");
  const form = top.section("input");
  const params = top.section("splitting_params");
  for (const key of ["run_whitelist", "lumi_mask"]) {
    const stray = params.spot(key);
    if (stray !== null)
      notes.problem(stray.path, `belongs under input: write input.${key === "lumi_mask" ? key : "runs"}`);
  }
  const given = SOURCES.filter((source) => form.spot(source) !== null);
  if (given.length !== 1) {
    const what =
      given.length === 0 ? "does not say where the files are" : `has ${given.join(" and ")}; only one can be used`;
    notes.problem(form.path, what, INPUT_FORMS);
  }
  const mask = readMask(form.list("runs"), form.spot("lumi_mask"), notes);
  const events = form.spot("events_per_file") ?? strayEvents;
  if (form.spot("events_per_file") !== null && strayEvents !== null) {
    notes.problem(strayEvents.path, "says the same as input.events_per_file; keep one of them");
  }
  const count = events === null ? ({ by: "unknown" } as const) : readEventCount(events, reading);
  if (events !== null && (given[0] === "list" || given[0] === "dataset")) {
    notes.problem(events.path, `has no meaning here: the ${given[0]} tells the events of each file`);
  }
  const spot = given[0] === undefined ? null : form.spot(given[0]);
  form.close();
  return spot === null ? null : readSource(given[0]!, spot, count, mask, reading);
}

function readSource(
  from: (typeof SOURCES)[number],
  spot: Spot,
  events: EventCount,
  mask: LumiMask,
  reading: Reading,
): InputSpec | null {
  if (from === "dataset") {
    const dataset = readText(spot, reading.notes, DATASET, DATASET_RULE);
    return dataset === null ? null : { from, dataset, mask };
  }
  if (from === "files") {
    const pattern = readPatterns(spot, reading);
    return pattern === null ? null : { from: "glob", pattern, events, mask };
  }
  const path = readPath(spot, reading);
  if (path === null) return null;
  return from === "directory" ? { from, path, events, mask } : { from, path, mask };
}

function readPath(spot: Spot, reading: Reading): string | null {
  const text = readText(spot, reading.notes);
  if (text === null || (text.startsWith("/") && text.trim() === text)) return text;
  const why = text.startsWith("~")
    ? "~ is not expanded"
    : text.trim() === text
      ? "is a relative path"
      : "begins or ends with a blank";
  reading.notes.problem(
    spot.path,
    `${why} (got ${shown(text)})`,
    "an absolute path; `wms2 submit FILE` makes paths absolute, counted from where FILE lies",
  );
  return null;
}

/** Several patterns become one with braces, behind their common directory: /data/{a.csv,b-*.csv}. */
function readPatterns(spot: Spot, reading: Reading): string | null {
  if (typeof spot.value === "string") return readPath(spot, reading);
  const entries = listEntries(spot, reading.notes, MAX_PATTERNS);
  const paths = entries.map((entry) => readPath(entry, reading));
  if (Array.isArray(spot.value) && spot.value.length === 0) reading.notes.problem(spot.path, "names no file");
  if (paths.length === 0 || paths.includes(null)) return null;
  const patterns = paths.filter((path) => path !== null);
  if (patterns.length === 1) return patterns[0]!;
  const odd = patterns.findIndex((pattern) => /[{},\\]/.test(pattern));
  if (odd >= 0) {
    reading.notes.problem(
      entries[odd]!.path,
      "has one of { } , \\ in it, which a list of patterns cannot hold",
      "input: {list: FILE}",
    );
    return null;
  }
  return joinPatterns(patterns);
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

function readEventCount(spot: Spot, reading: Reading): EventCount {
  const { value } = spot;
  if (value === "lines") return { by: "lines" };
  if (typeof value === "number" && Number.isInteger(value) && value >= 1) return { by: "fixed", perFile: value };
  reading.notes.problem(
    spot.path,
    `must say how events are counted (got ${shown(value)})`,
    "lines (one event a line) or a whole number from 1",
  );
  return { by: "unknown" };
}

/** 003 keeps the selection among the splitting parameters. */
function splittingMask(top: Form, reading: Reading): LumiMask {
  const form = top.section("splitting_params");
  return readMask(form.list("run_whitelist"), form.spot("lumi_mask"), reading.notes);
}
