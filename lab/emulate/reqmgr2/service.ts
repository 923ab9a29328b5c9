import { createHash, randomBytes, randomInt } from "node:crypto";
import { parseJson } from "../../../src/core/base/json.ts";
import { type Answer, type Asked, certified, isRow, json, type Row, type Service, text, unixSec } from "../http.ts";
import type { World } from "../world.ts";
import { ASSIGNMENT, EDITABLE, MOVES, STATISTICS, TYPES } from "./moves.ts";

class Refused extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}
const BAD_MOVE = 1101;
const BAD_ARGUMENT = 1102;

const result = (rows: readonly unknown[]): Answer => json(200, { result: rows });

export const reqmgr2: Service = {
  name: "reqmgr2",
  prefix: "/reqmgr2/data",
  routes: [
    ["GET", /^\/request(?:\/([^/]+))?$/, read],
    ["POST", /^\/request$/, create],
    ["PUT", /^\/request\/([^/]+)$/, update],
    ["GET", /^\/status$/, (_world, { query }) => result(query.has("transition") ? [MOVES] : Object.keys(MOVES))],
    ["GET", /^\/(?:info|about)$/, () => result([{ wmcore_reqmgr_version: "emulated" }])],
  ],
  admit: certified,
  /** What is wrong stands in headers. */
  failed: (_asked, error) => {
    if (!(error instanceof Refused)) throw error;
    const id = randomBytes(16).toString("hex");
    const told = { "x-rest-status": String(error.code), "x-error-http": "400", "x-error-id": id };
    return { status: 400, headers: { ...told, "x-error-detail": error.message.replaceAll(/[\r\n]/g, " ") } };
  },
};

function bodyOf(asked: Asked): Row {
  const parsed = parseJson(asked.body.toString());
  if (!parsed.ok || !isRow(parsed.value)) throw new Refused(BAD_ARGUMENT, "the body must be a JSON object");
  return parsed.value;
}
const wrapped = (docs: readonly Row[]): Row[] =>
  docs.length === 0 ? [] : [Object.fromEntries(docs.map((doc) => [String(doc.RequestName), doc]))];

const FILTERS: Readonly<Record<string, string>> = {
  name: "RequestName",
  status: "RequestStatus",
  request_type: "RequestType",
  prep_id: "PrepID",
  inputdataset: "InputDataset",
  outputdataset: "OutputDatasets",
  campaign: "Campaign",
  team: "Team",
  mc_pileup: "MCPileup",
  data_pileup: "DataPileup",
  requestor: "Requestor",
};
const OPTIONS = ["detail", "mask", "common_dict", "_nostale", "date_range"];

function read(world: World, { query }: Asked, name: string): Answer {
  const unknown = [...query.keys()].find((key) => !(key in FILTERS) && !OPTIONS.includes(key));
  if (unknown) throw new Refused(BAD_ARGUMENT, `no parameter ${unknown}`);
  const wantsDetail = query.get("detail")?.toLowerCase() !== "false";
  const statuses = query.getAll("status");
  if (wantsDetail && statuses.some((status) => status.endsWith("-archived")))
    throw new Refused(BAD_ARGUMENT, "archived requests have no detail");
  const isMeant = (doc: Row): boolean =>
    Object.entries(FILTERS).every(([key, field]) => {
      const wanted = query.getAll(key);
      const values = [doc[field]].flat().map(String);
      return wanted.length === 0 || wanted.some((one) => values.includes(one) || isActive(one, String(doc[field])));
    });
  const docs = world.requests.values().filter((doc) => (name ? doc.RequestName === name : isMeant(doc)));
  if (!wantsDetail) return result(docs.map(({ RequestName }) => RequestName));
  const masks = query.getAll("mask");
  const shown = docs.map((doc) => (masks.length > 0 ? masked(doc, masks) : doc));
  return result(query.get("common_dict") === "1" ? shown : wrapped(shown));
}
const isActive = (wanted: string, status: string): boolean => wanted === "ACTIVE" && !status.endsWith("-archived");
const masked = (doc: Row, keys: readonly string[]): Row =>
  Object.fromEntries(["RequestName", ...keys].map((key) => [key, doc[key] ?? null]));

const MANDATORY = [
  ...["RequestType", "RequestString", "CMSSWVersion", "ScramArch", "GlobalTag", "AcquisitionEra", "ProcessingString"],
];
const SERVER_SETS = ["RequestName", "RequestStatus", "RequestTransition", "RequestDate", "Requestor", "RequestorDN"];

function create(world: World, asked: Asked): Answer {
  const body = bodyOf(asked);
  const missing = MANDATORY.filter((key) => body[key] === undefined || body[key] === null);
  if (missing.length > 0) throw new Refused(BAD_ARGUMENT, `missing: ${missing.join(", ")}`);
  if (!TYPES.includes(String(body.RequestType))) throw new Refused(BAD_ARGUMENT, `no type ${body.RequestType}`);
  const given = SERVER_SETS.filter((key) => body[key] !== undefined);
  if (given.length > 0) throw new Refused(BAD_ARGUMENT, `not to be given: ${given.join(", ")}`);
  const stamp = new Date().toISOString().replaceAll(/\D/g, "");
  const name = `emulate_${body.RequestString}_${stamp.slice(2, 8)}_${stamp.slice(8, 14)}_${randomInt(10_000)}`;
  addRequest(world, { RequestPriority: 8000, ProcessingVersion: 1, ...body, RequestName: name }, asked.person ?? "");
  return result([{ request: name }]);
}

/** As the server keeps it: with the fields it sets itself. */
export function addRequest(world: World, doc: Row, person: string): void {
  const status = doc.RequestStatus ?? "new";
  const date = new Date().toISOString().match(/\d+/g)?.slice(0, 6).map(Number);
  world.requests.put(String(doc.RequestName), {
    RequestStatus: status,
    RequestTransition: [{ Status: status, UpdateTime: unixSec(), DN: person }],
    RequestDate: date,
    Requestor: "emulate",
    RequestorDN: person,
    InitialPriority: doc.RequestPriority ?? 8000,
    OutputDatasets: [],
    ...doc,
  });
}

function update(world: World, asked: Asked, name: string): Answer {
  const doc = world.requests.get(name);
  if (!doc) throw new Refused(BAD_ARGUMENT, `no request ${name}`);
  const { RequestStatus: target, cascade: _, ...rest } = bodyOf(asked);
  const from = String(doc.RequestStatus);
  const keys = Object.keys(rest);
  if (target === undefined) {
    const isStatistics = keys.length === STATISTICS.length && STATISTICS.every((key) => keys.includes(key));
    const allowed = isStatistics ? STATISTICS : (EDITABLE[from] ?? []);
    const kept = Object.fromEntries(Object.entries(rest).filter(([key]) => allowed.includes(key)));
    checkSites({ ...doc, ...kept });
    world.requests.put(name, { ...doc, ...kept });
    return result([{ [name]: "OK" }]);
  }
  if (!MOVES[from]?.includes(String(target)))
    throw new Refused(BAD_MOVE, `status cannot change from ${from} to ${target}`);
  const extra = keys.filter((key) => !(target === "assigned" ? ASSIGNMENT : (EDITABLE[from] ?? [])).includes(key));
  if (extra.length > 0) throw new Refused(BAD_ARGUMENT, `not allowed with ${target}: ${extra.join(", ")}`);
  if (target === "assigned") checkAssignment(rest);
  checkSites({ ...doc, ...rest });
  const step = { Status: target, UpdateTime: unixSec(), DN: asked.person };
  const passed = [...((doc.RequestTransition ?? []) as unknown[]), step];
  world.requests.put(name, { ...doc, ...rest, RequestStatus: target, RequestTransition: passed });
  return result([{ [name]: "OK" }]);
}

function checkAssignment(body: Row): void {
  const sites = body.SiteWhitelist;
  if (!body.Team || !Array.isArray(sites) || sites.length === 0)
    throw new Refused(BAD_ARGUMENT, "an assignment needs Team and SiteWhitelist");
}
function checkSites({ SiteWhitelist: white, SiteBlacklist: black }: Row): void {
  const both = [white ?? []].flat().filter((site) => [black ?? []].flat().includes(site));
  if (both.length > 0) throw new Refused(BAD_ARGUMENT, `in both lists of sites: ${both.join(", ")}`);
}

/** Where configurations are kept: each is a file attached to a document. */
export const configCache: Service = {
  name: "couchdb",
  prefix: "/couchdb/reqmgr_config_cache",
  routes: [
    ["GET", /^\/([^/]+)\/configFile$/, configFile],
    ["GET", /^\/([^/]+)$/, configDocument],
  ],
  admit: certified,
};
const MISSING: Answer = json(404, { error: "not_found", reason: "missing" });

function configFile(world: World, _asked: Asked, id: string): Answer {
  const body = world.configs.get(id);
  return body === undefined ? MISSING : text(200, body);
}
function configDocument(world: World, _asked: Asked, id: string): Answer {
  const body = world.configs.get(id);
  if (body === undefined) return MISSING;
  const md5 = createHash("md5").update(body).digest("hex");
  const file = { content_type: "text/plain", revpos: 1, length: body.length, stub: true };
  return json(200, { _id: id, _rev: `1-${md5}`, pset_hash: md5, _attachments: { configFile: file } });
}
