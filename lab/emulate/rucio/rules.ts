import { type Answer, type Asked, isRow, type Route, type Row, unixSec } from "../http.ts";
import type { Rule, World } from "../world.ts";
import { rulesFrom } from "./new-rule.ts";
import { accountOf, bodyOf, need, OK, object, RucioError, rucioDate, stream } from "./talk.ts";

export const RULE_ROUTES: readonly Route[] = [
  ["POST", /^\/rules$/, toSlash],
  ["GET", /^\/rules$/, toSlash],
  ["POST", /^\/rules\/$/, create],
  ["GET", /^\/rules\/$/, search],
  ["GET", /^\/rules\/([^/]+)$/, (world, asked, id) => object(asked, shown(find(world, id!)))],
  ["PUT", /^\/rules\/([^/]+)$/, update],
  ["DELETE", /^\/rules\/([^/]+)$/, remove],
];

function toSlash(_world: World, { base, query }: Asked): Answer {
  const location = `${base}/rules/${query.size > 0 ? `?${query}` : ""}`;
  const headers = { "content-type": "text/html; charset=utf-8", location };
  return { status: 308, headers, body: "<!doctype html><title>Redirecting...</title>" };
}

/** A list of ids in JSON, though it says it is HTML. */
function create(world: World, asked: Asked): Answer {
  forget(world);
  const rules = rulesFrom(world, accountOf(world, asked), bodyOf(asked));
  for (const rule of rules) world.rules.put(rule.id, rule);
  const headers = { "content-type": "text/html; charset=utf-8" };
  return { status: 201, headers, body: JSON.stringify(rules.map(({ id }) => id)) };
}

/** What a daemon does: rules whose time is over go, and only then may the same be made again. */
export function forget(world: World, now = unixSec()): void {
  for (const rule of world.rules.values())
    if (rule.expires !== null && rule.expires <= now) world.rules.remove(rule.id);
}

function find(world: World, id: string): Rule {
  forget(world);
  if (!/^[0-9a-f]{32}$/.test(id)) throw new RucioError(500, "DatabaseException", `badly formed rule id ${id}`);
  const rule = world.rules.get(id);
  if (!rule) throw new RucioError(404, "RuleNotFound", `No rule with the id ${id} found`);
  return rule;
}

/** Files need this long to arrive. */
const TRANSFER_SEC = 2;

function shown(rule: Rule): Row {
  const { created, expires, chosen: _, bytes: __, ...row } = rule;
  const all = Number(row.locks_ok_cnt) + Number(row.locks_replicating_cnt);
  const arrived = unixSec() - Number(created) >= TRANSFER_SEC;
  const dates = { created_at: rucioDate(Number(created)), updated_at: rucioDate(Number(created)) };
  const state = arrived ? { state: "OK", locks_ok_cnt: all, locks_replicating_cnt: 0 } : {};
  return { ...row, ...state, ...dates, expires_at: expires === null ? null : rucioDate(expires) };
}

export const rulesOnDid = (world: World, name: string): Row[] => {
  forget(world);
  return world.rulesOf(name).map(shown);
};

const LETTERS: Readonly<Record<string, string>> = {
  O: "OK",
  R: "REPLICATING",
  S: "STUCK",
  U: "SUSPENDED",
  W: "WAITING_APPROVAL",
  I: "INJECT",
};
const COLUMNS = [
  ...["id", "scope", "name", "account", "rse_expression", "copies", "grouping", "state", "activity", "locked"],
  ...["did_type", "priority", "weight", "comments"],
];

function search(world: World, asked: Asked): Answer {
  forget(world);
  const filters = [...asked.query];
  const unknown = filters.find(([key]) => !COLUMNS.includes(key));
  if (unknown) return { status: 500, headers: { "content-type": "text/plain" }, body: `no column ${unknown[0]}` };
  const name = asked.query.get("name");
  const rules = name === null ? world.rules.values() : world.rulesOf(name);
  const rows = rules.map(shown);
  const value = (key: string, text: string): string => (key === "state" ? (LETTERS[text] ?? "?") : text);
  return stream(
    asked,
    rows.filter((row) => filters.every(([key, text]) => String(row[key]) === value(key, text))),
  );
}

function mine(world: World, asked: Asked, rule: Rule): void {
  const account = accountOf(world, asked);
  if (rule.account !== account && !world.accounts.get(account)?.admin)
    throw new RucioError(401, "AccessDenied", `Account ${account} can not change rule ${rule.id}`);
}

function update(world: World, asked: Asked, id: string): Answer {
  const rule = find(world, id);
  mine(world, asked, rule);
  const options = need(bodyOf(asked), "options");
  const changes: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(isRow(options) ? options : {})) {
    if (key === "lifetime") changes.expires = value === null ? null : unixSec() + Number(value);
    else if (key === "comment") changes.comments = value;
    else if (["locked", "priority", "activity", "meta"].includes(key)) changes[key] = value;
    else throw new RucioError(409, "InputValidationError", `The option ${key} is not supported`);
  }
  world.rules.put(id, { ...rule, ...changes });
  return OK;
}

/** Soft: for a while it is still seen, and nothing like it can be made. */
function remove(world: World, asked: Asked, id: string): Answer {
  const rule = find(world, id);
  bodyOf(asked);
  mine(world, asked, rule);
  if (rule.locked) throw new RucioError(401, "UnsupportedOperation", `The replication rule is locked: ${id}`);
  const expires = Math.min(rule.expires ?? Number.POSITIVE_INFINITY, unixSec() + world.options.ruleGraceSec);
  world.rules.put(id, { ...rule, expires });
  return OK;
}
