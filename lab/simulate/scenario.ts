import { SETTINGS } from "../../src/config/settings.ts";
import { err, ok, type Result } from "../../src/core/base/result.ts";
import { isSiteName, SITE_PATTERN, type SiteName } from "../../src/core/names.ts";
import type { Problem } from "../../src/core/problem.ts";
import { byRole, type NodeRole } from "../../src/core/roles.ts";
import type { InputFile } from "../../src/core/workflow.ts";
import { Form } from "../../src/intake/reading/form.ts";
import { Notes, shown } from "../../src/intake/reading/notes.ts";
import { distinct, isRow, type Row, type Spot } from "../../src/intake/reading/values.ts";
import { readPolicy } from "../../src/recovery/read-policy.ts";
import { readEvents } from "./read-events.ts";
import { readExpectations } from "./read-expectations.ts";
import { readOutcomes } from "./read-outcomes.ts";
import { closed, DAY, readMap, SPAN } from "./read-parts.ts";

/** A story for `wms2 simulate`: what is asked for, how the world behaves, and what should come of it. */
export type Scenario = Readonly<ReturnType<typeof readParts>>;
export type ScenarioSite = Scenario["sites"][number];

/** Reads the request a scenario names by file; throws what the command line understands. */
type LoadRequest = (file: string) => unknown;

/** All problems of the document, each with its place, or the scenario. */
export function readScenario(document: unknown, load: LoadRequest): Result<Scenario, readonly Problem[]> {
  if (!isRow(document)) return err([{ path: "", message: "must be a map of keys", allowed: null }]);
  const notes = new Notes();
  const scenario = closed(new Form(document, "", notes), (top) => {
    const parts = readParts(top, load);
    checkSites(parts, notes);
    return parts;
  });
  return notes.count === 0 ? ok(scenario) : err(notes.problems);
}

/** As far as they can be told before intake has looked. */
export const requestNames = ({ requests }: Scenario): readonly string[] =>
  requests.map(({ document }) => String((document as { name?: unknown } | null)?.name ?? ""));

const readParts = (top: Form, load: LoadRequest) => ({
  about: top.text("about", "", /^[\s\S]{0,2000}$/),
  seed: top.integer("seed", { min: 0, max: 2 ** 31 }, 1),
  /** The story is cut off here, whatever still goes on. */
  untilSec: top.duration("until", { min: 1, max: SPAN.max }, 60 * DAY) ?? 0,
  settings: readSettings(top),
  policy: readPolicyPart(top),
  requests: readRequests(top, load),
  sites: readSites(top),
  datasets: readDatasets(top),
  durations: top.within("durations", readDurations),
  outcomes: readOutcomes(top),
  events: readEvents(top),
  expect: readExpectations(top),
});

/** A site that is misspelt would make a rule or an event do nothing, in silence. */
function checkSites({ sites, events, outcomes }: Scenario, notes: Notes): void {
  const names = sites.map(({ name }) => name);
  for (const { act } of events)
    if ("site" in act && act.site !== "" && !names.includes(act.site))
      notes.problem("events", `${act.kind}: there is no site ${act.site}`, names.join(", "));
  for (const { index, match } of outcomes)
    if (match.sites && !names.some((name) => match.sites?.test(name)))
      notes.problem(`outcomes[${index}].site`, "no site has such a name", names.join(", "));
}

/** Settings of the server, as `wms2 config` names them. Their values are checked by the configuration, which knows them. */
function readSettings(top: Form): Row {
  return top.within("settings", (section) => {
    section.knows(...Object.keys(SETTINGS));
    return section.row;
  });
}

/** The installation's policy document; null: the built-in table alone. */
function readPolicyPart(top: Form): Row | null {
  const spot = top.spot("policy");
  if (spot === null) return null;
  const read = readPolicy(spot.value, "the scenario's policy");
  if (!read.ok)
    for (const { path, message, allowed } of read.error)
      top.notes.problem(path ? `policy.${path}` : "policy", message, allowed);
  return isRow(spot.value) ? spot.value : null;
}

const REQUEST_FORMS = "a request as `wms2 submit` reads it, {file: request.yaml}, or {at: 1 h, request: {…}}";

function readRequests(top: Form, load: LoadRequest) {
  const one = top.spot("request");
  const spots = one === null ? top.list("requests", 1000) : [one];
  if (one !== null && top.spot("requests") !== null)
    top.notes.problem("requests", "says the same as request; keep one of them");
  if (spots.length === 0) top.missing("request", REQUEST_FORMS);
  return spots.map((spot) => readRequest(spot, load));
}

function readRequest(spot: Spot, load: LoadRequest): { atSec: number; document: unknown } {
  const row = Form.at(spot, "a request", REQUEST_FORMS);
  if (row === null) return { atSec: 0, document: {} };
  const wrapped = Object.hasOwn(row.row, "file") || Object.hasOwn(row.row, "request");
  if (!wrapped) return { atSec: 0, document: row.row };
  return closed(row, (form) => {
    const atSec = form.duration("at", SPAN, 0) ?? 0;
    const file = form.text("file", "");
    const inner = form.spot("request");
    return { atSec, document: inner ? inner.value : load(file) };
  });
}

function readSites(top: Form) {
  const section = top.section("sites");
  const sites = readMap(section, (name, form) => {
    if (!isSiteName(name)) top.notes.problem(section.pathOf(name), "is no name of a site", String(SITE_PATTERN));
    const cores = form.integer("cores", { min: 1, max: 10_000_000 }, 100);
    /** 2: jobs take half as long. */
    const speed = form.number("speed", { min: 0.001, max: 1000 }, 1);
    return { name: name as string, cores, speed };
  });
  return sites.length > 0 ? sites : ["north", "south"].map((name) => ({ name, cores: 100, speed: 1 }));
}

/** Files nobody has to make: `{files: 40, events: 1000, size: 1 GB, sites: [north]}`. */
function readDatasets(top: Form): ReadonlyMap<string, readonly InputFile[]> {
  let all = 0;
  const datasets = readMap(top.section("datasets"), (name, form): [string, readonly InputFile[]] => {
    const asked = form.integer("files", { min: 1, max: MOST_FILES }, 1);
    all += asked;
    const count = all > MOST_FILES ? 0 : asked;
    const events = form.integer("events", { min: 0, max: 1e12 }, 1000);
    const sizeBytes = form.size("size", { min: 0, max: 1e15 }, 1e9) ?? 0;
    const isSite = (value: unknown): value is SiteName => typeof value === "string" && isSiteName(value);
    const sites = distinct(form.list("sites", 1000), isSite, (spot) =>
      spot.problem(`is no name of a site (got ${shown(spot.value)})`),
    );
    const folder = name.startsWith("/") ? name : `/${name}`;
    const files = Array.from({ length: count }, (_, at) => {
      const lfn = `/store${folder}/file-${String(at).padStart(5, "0")}.root`;
      return { lfn, path: lfn, sizeBytes, events, lumis: [], sites };
    });
    return [name, files];
  });
  if (all > MOST_FILES)
    top.notes.problem("datasets", `would be ${all} files in all datasets together; at most ${MOST_FILES}`);
  return new Map(datasets);
}
const MOST_FILES = 1_000_000;

const USUAL_SEC: Readonly<Record<NodeRole, number>> = {
  landing: 30,
  processing: 3600,
  merge: 600,
  cleanup: 60,
  job: 600,
};

/** How long a job of each role takes, and by which share that varies. */
function readDurations(form: Form) {
  const one = (key: string, sec: number) => {
    if (!isRow(form.spot(key)?.value)) return { sec: form.duration(key, SPAN, sec) ?? sec, spread: 0 };
    return form.within(key, (inner) => ({
      sec: inner.duration("mean", SPAN, sec) ?? sec,
      spread: inner.number("spread", { min: 0, max: 1 }, 0),
    }));
  };
  return {
    ...byRole((role) => one(role, USUAL_SEC[role])),
    /** From asking for a removal until nothing of the run is left. */
    removalSec: form.duration("removal", SPAN, 30) ?? 30,
  };
}
