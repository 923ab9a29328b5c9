import { randomBytes } from "node:crypto";
import { isRow, type Row, unixSec } from "../http.ts";
import type { Rse, Rule, World } from "../world.ts";
import { findDid } from "./dids.ts";
import { rsesOf } from "./expression.ts";
import { filesBelow } from "./files.ts";
import { need, RucioError } from "./talk.ts";

const ACTIVITIES = [
  ...[
    "Production Output",
    "Production Input",
    "Data rebalancing",
    "Staging",
    "T0 Tape",
    "T0 Export",
    "User Subscriptions",
  ],
  ...["Analysis Input", "Analysis Output", "Data Consolidation", "Debug", "Express", "Functional Test", "Recovery"],
];
const conflict = (exceptionClass: string, message: string): RucioError => new RucioError(409, exceptionClass, message);
const NULLS = { weight: null, source_replica_expression: null, subscription_id: null, notify: "N" } as const;

/** The rules a body asks for, one per DID, or why there is not one of them. */
export function rulesFrom(world: World, caller: string, body: Row): Rule[] {
  const dids = need(body, "dids") as unknown[];
  const account = String(need(body, "account"));
  const expression = String(need(body, "rse_expression"));
  checkForm(body, Number(need(body, "copies")));
  // Permanent, though the status says otherwise.
  if (!world.accounts.has(account)) throw new RucioError(500, "AccountNotFound", `Account ${account} does not exist`);
  if (account !== caller && !world.accounts.get(caller)?.admin)
    throw new RucioError(500, "AccessDenied", `Account ${caller} can not add replication rule for ${account}`);
  const names = dids.filter(isRow).map(({ name }) => findDid(world, String(name)).name);
  const rses = targets(world, caller, body, expression);
  return names.map((name) => ruleOn(world, name, account, expression, rses, body));
}

function checkForm(body: Row, copies: number): void {
  if (typeof body.copies !== "number")
    throw conflict("InvalidObject", `Problem validating rule: copies ${body.copies}`);
  if (copies < 1)
    throw new RucioError(
      500,
      "InvalidValueForKey",
      "The number of copies for a replication rule should be greater than 0.",
    );
  if (body.activity != null && !ACTIVITIES.includes(String(body.activity)))
    throw conflict("InvalidObject", `Problem validating activity: ${body.activity}`);
  if (body.meta != null && typeof body.meta !== "string")
    throw conflict("InvalidObject", "Problem validating rule: meta");
  if (String(body.comment ?? "").length > 250) throw conflict("InvalidObject", "Problem validating rule: comment");
}

function targets(world: World, caller: string, body: Row, expression: string): Rse[] {
  const found = rsesOf(world, expression);
  if (!found || found.length === 0)
    throw conflict("InvalidRSEExpression", `RSE Expression resulted in an empty set: ${expression}`);
  const isAdmin = world.accounts.get(caller)?.admin === true;
  const denied = (why: string) => new RucioError(500, "AccessDenied", `Account ${caller} can not add rule: ${why}`);
  if (found.some(({ attributes }) => attributes.requires_approval) && body.ask_approval !== true)
    throw denied("an RSE requires approval");
  if (found.some(({ rse_type }) => rse_type === "TAPE") && body.lifetime != null) throw denied("tape with a lifetime");
  if (body.locked === true && !isAdmin) throw denied("locked");
  const { weight } = body;
  const rses = weight == null ? found : found.filter(({ attributes }) => Number(attributes[String(weight)]) >= 0);
  if (rses.length < Number(body.copies))
    throw conflict("InsufficientTargetRSEs", `Target RSE set not sufficient for number of copies: ${expression}`);
  return rses;
}

function ruleOn(
  world: World,
  name: string,
  account: string,
  expression: string,
  rses: readonly Rse[],
  body: Row,
): Rule {
  const copies = Number(body.copies);
  const twin = world
    .rulesOf(name)
    .find((rule) => rule.account === account && rule.rse_expression === expression && rule.copies === copies);
  if (twin)
    throw conflict(
      "DuplicateRule",
      `(psycopg.errors.UniqueViolation) duplicate key value violates unique constraint "RULES_SC_NA_AC_RS_CO_UQ_IDX"`,
    );
  const files = filesBelow(world, name);
  const bytes = files.reduce((sum, file) => sum + (file.bytes ?? 0), 0);
  const chosen = rses.filter(({ rse }) => left(world, account, rse) >= bytes).slice(0, copies);
  if (chosen.length < copies)
    throw conflict(
      "InsufficientAccountLimit",
      "There is insufficient quota on any of the target RSE's to fullfill the operation.",
    );
  const missing = files.filter((file) => chosen.some(({ rse }) => !world.replicas.has(`${rse}\0${file.name}`))).length;
  const lifetime = body.lifetime == null ? null : Number(body.lifetime);
  const isTape = rses.some(({ rse_type }) => rse_type === "TAPE");
  return {
    ...NULLS,
    id: randomBytes(16).toString("hex"),
    scope: "cms",
    name,
    did_type: findDid(world, name).type,
    account,
    rse_expression: expression,
    copies,
    grouping: body.grouping ?? "DATASET",
    state: missing === 0 ? "OK" : body.asynchronous === true ? "INJECT" : "REPLICATING",
    locks_ok_cnt: files.length - missing,
    locks_replicating_cnt: missing,
    locks_stuck_cnt: 0,
    expires: lifetime === null ? null : unixSec() + lifetime,
    locked: body.locked === true || (lifetime === null && isTape),
    activity: body.activity ?? "User Subscriptions",
    comments: body.comment ?? null,
    meta: body.meta == null ? null : JSON.stringify(body.meta),
    priority: body.priority ?? 3,
    weight: body.weight ?? null,
    error: null,
    child_rule_id: null,
    purge_replicas: body.purge_replicas === true,
    ignore_availability: body.ignore_availability === true,
    created: unixSec(),
    bytes,
    chosen: chosen.map(({ rse }) => rse),
  };
}

export const usedBytes = (world: World, account: string, rse: string): number =>
  world.rules
    .values()
    .filter((rule) => rule.account === account && (rule.chosen as string[]).includes(rse))
    .reduce((sum, rule) => sum + Number(rule.bytes), 0);

/** No limit set is no quota at all. */
export function limitOf(world: World, account: string, rse: string): number {
  const limits = world.accounts.get(account)?.limits ?? {};
  const limit = limits[rse] !== undefined ? limits[rse] : limits["*"];
  return limit === undefined ? -1 : (limit ?? Number.POSITIVE_INFINITY);
}
const left = (world: World, account: string, rse: string): number => {
  const limit = limitOf(world, account, rse);
  return limit === Number.POSITIVE_INFINITY ? limit : limit - usedBytes(world, account, rse);
};
