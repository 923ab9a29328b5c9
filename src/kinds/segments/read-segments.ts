import { CALENDARS, type Month, monthOf, writeInterval } from "../../core/calendar.ts";
import { NAME_PATTERN, NAME_RULE } from "../../core/names.ts";
import type { Component, HistorySpec, SegmentsWork } from "../../core/segments.ts";
import type { IntakeRules } from "../../core/submission.ts";
import { Form } from "../../intake/reading/form.ts";
import { refuseTwins, Spot } from "../../intake/reading/values.ts";
import { readPath } from "../read-path.ts";
import { readSizes } from "../read-sizes.ts";
import { checkOutputs } from "./check-outputs.ts";
import { USUAL_WAIT_HOURS } from "./decide-node.ts";
import { HISTORY } from "./nodes.ts";
import { readOwnCommand, readOwnPath } from "./read-command.ts";
import { type ForAll, MAX_PRODUCTS, readOwnSizes, readProducts } from "./read-products.ts";
import { readMonths, readPoint } from "./read-times.ts";
import { PLACEHOLDERS } from "./texts.ts";

const MAX_COMPONENTS = 1000;
const HOURS = { min: 0, max: 10_000 };

/** Its part of a document. All that can be wrong with any of its products is told at once. */
export function readSegments(top: Form, rules: IntakeRules): SegmentsWork {
  const before = top.notes.count;
  const start = readNeeded(top, "start", "a year, month or date: when the model run begins", readPoint);
  const segment = readNeeded(top, "segment", "1y: what one leg of the run writes", readMonths);
  const all: ForAll = {
    segmentMonths: segment ?? 1,
    defaults: top.section("defaults"),
    usual: readSizes(top.section("resources")),
    rules,
    room: { left: MAX_PRODUCTS },
  };
  const directory = top.needed("directory", "an absolute path: where commands run; `wms2 submit FILE` says it");
  const sweep = top.spot("sweep");
  const seconds = sweep?.value === "never" ? null : top.duration("sweep", { min: 60, max: 86_400 }, 900);
  const work: SegmentsWork = {
    kind: "segments",
    experiment: top.text("experiment", String(top.row.name ?? "experiment"), NAME_PATTERN, NAME_RULE),
    directory: (directory && readPath(directory)) ?? "/",
    calendar: top.choice("calendar", CALENDARS, "gregorian"),
    start: start?.from ?? monthOf(1),
    startDay: start?.day ?? 1,
    segmentMonths: all.segmentMonths,
    end: readEnd(top, start?.from ?? null, segment),
    history: readHistory(top, all),
    components: readComponents(top, all, start?.from ?? null),
    group: top.choice("grouping", ["unit", "product"] as const, "unit"),
    sweepMinutes: seconds === null ? null : Math.ceil(seconds / 60),
    executions: top.integer("executions", { min: 1, max: 100 }, 2),
    exitCodes: top.within("exit_codes", (form) => ({
      inputMissing: readCodes(form, "input_missing", 66),
      transient: readCodes(form, "transient", 75),
    })),
  };
  all.defaults.knows("ts", "ta", "lengths", "length", "from", "tail", "run", "outputs", "resources");
  all.defaults.close({ output: "write outputs", command: "write run" });
  if (top.notes.count === before) checkOutputs(work, top);
  return work;
}

function readNeeded<T>(top: Form, key: string, allowed: string, read: (spot: Spot) => T | null): T | null {
  const spot = top.needed(key, allowed);
  return spot && read(spot);
}

/** The last year or month; null: the model still runs. */
function readEnd(top: Form, start: Month | null, segmentMonths: number | null): Month | null {
  const spot = top.needed("end", "the last year or month, or ongoing");
  if (spot === null || spot.value === "ongoing") return null;
  const end = readPoint(spot)?.to ?? null;
  if (end === null || start === null || segmentMonths === null) return end;
  if (end <= start) spot.problem("is before the start");
  else if ((end - start) % segmentMonths !== 0) spot.problem("is not the end of a segment");
  return end;
}

/** `history: path` or `{path, min_size, partial_suffix, transfer: {run, wait_hours, resources, arguments}}`. */
function readHistory(top: Form, all: ForAll): HistorySpec {
  const spot = top.needed("history", '"history/{date}.nc.tar"');
  const usual = { minBytes: 1, partialSuffix: ".gcp", transfer: null };
  if (spot === null || typeof spot.value === "string")
    return { path: readOwnPath(spot, PLACEHOLDERS.history), ...usual };
  const form = Form.at(spot, "a path, or a map", "{path, min_size, partial_suffix, transfer}");
  if (form === null) return { path: "", ...usual };
  const transfer = form.spot("transfer");
  const fetch = transfer && Form.at(transfer, "a transfer", "{run, wait_hours, resources, arguments}");
  const argumentFiles = fetch?.spot("arguments");
  const history: HistorySpec = {
    path: readOwnPath(form.needed("path"), PLACEHOLDERS.history),
    minBytes: form.size("min_size", { min: 0, max: 1e18 }, usual.minBytes),
    partialSuffix: form.text(
      "partial_suffix",
      usual.partialSuffix,
      /^[A-Za-z0-9_.~-]{1,60}$/,
      "letters, digits, '_', '.', '~', '-'",
    ),
    transfer: fetch && {
      argv: readOwnCommand(fetch.needed("run", '"./fetch.sh {date} {output}"'), PLACEHOLDERS.transfer),
      waitHours: readWaits(fetch),
      resources: readOwnSizes(fetch.spot("resources"), all),
      ...(argumentFiles && { argumentFiles: readPath(argumentFiles) ?? "/" }),
    },
  };
  fetch?.close();
  form.close();
  return history;
}

function readWaits(form: Form): readonly number[] {
  const waits = form.list("wait_hours", 100).map((spot) => spot.number(HOURS, false) ?? 0);
  return waits.length > 0 ? waits : USUAL_WAIT_HOURS;
}

function readCodes(form: Form, key: string, usual: number): readonly number[] {
  const codes = form.list(key, 100).map((spot) => spot.number({ min: 1, max: 255 }, false) ?? usual);
  return codes.length > 0 ? codes : [usual];
}

/** Each is a name, or {name, start, …} with whatever it does not share with all. */
function readComponents(top: Form, all: ForAll, start: Month | null): readonly Component[] {
  const entries = top.needed("components", "[atmos, {name: ocean, lengths: [5y]}]")?.list(MAX_COMPONENTS) ?? [];
  if (Array.isArray(top.row.components) && entries.length === 0) top.problem("components", "names none");
  const names: Spot[] = [];
  const components = entries.flatMap((entry) => {
    const row = typeof entry.value === "string" ? { name: entry.value } : entry.value;
    const form = Form.at(new Spot(entry.path, row, entry.notes), "a component", "{name, start, ts, ta, …}");
    if (form === null) return [];
    const before = form.notes.count;
    const spot = form.needed("name", NAME_RULE);
    if (spot) names.push(spot);
    if (spot?.value === HISTORY) spot.problem(`${HISTORY} is what segments are called; give it another name`);
    const component = {
      name: spot?.text(NAME_PATTERN, NAME_RULE) ?? "",
      start: readStart(form, all, start),
      products: readProducts(form, all),
    };
    if (component.products.length === 0 && form.notes.count === before)
      form.problem("ts", "is missing, and so is ta: it makes nothing", "[{frequency: monthly, lengths: [5y, 10y]}]");
    form.knows("lengths", "length", "from", "tail", "run", "outputs", "resources");
    form.close({ output: "write outputs", command: "write run" });
    return [component];
  });
  refuseTwins(names);
  return components;
}

/** Chunks count from here, and begin with segments. */
function readStart(form: Form, { segmentMonths }: ForAll, start: Month | null): Month {
  const spot = form.spot("start");
  const own = spot && readPoint(spot)?.from;
  if (spot === null || own == null || start === null) return start ?? monthOf(1);
  if (own < start) spot.problem(`is before the run begins (${writeInterval({ from: start, to: start + 1 })})`);
  else if ((own - start) % segmentMonths !== 0) spot.problem("is not the beginning of a segment");
  return own;
}
