import { err, ok, type Result } from "../base/result.ts";
import type { Problem } from "../domain/problem.ts";
import { CATEGORIES, CAUSES, type Cause } from "./attempt.ts";
import { builtinRows } from "./builtin-policy.ts";
import { Fields, isRow, real, shown, whole } from "./fields.ts";
import { DEFAULT_SETTINGS, type Policy, type PolicyRow, type PolicySettings, type RowMatch } from "./policy.ts";

/**
 * A policy document (docs/policy.md): an installation's file, or the policy.json of a submit directory, which also
 * holds the request's handlers. All problems are found, each with its place; with any of them there is no policy.
 */
export function readPolicy(document: unknown, name = "installation"): Result<Policy, Problem[]> {
  const problems: Problem[] = [];
  if (!isRow(document)) return err([{ path: "", message: "must be an object", allowed: KEYS.join(", ") }]);
  const from = new Fields(document, "", problems);
  from.refuseOthers(KEYS);
  const version = from.number("version", whole(1, 1), 1);
  const settings = settingsFrom(from.section("settings"));
  const rows = from.list("rows").flatMap((row, at) => rowFrom(row, at, name, from));
  const handlers = from.list("handlers").flatMap((handler, at) => handlerFrom(handler, at, from));
  refuseTwins(rows, from);
  if (problems.length > 0 || version !== 1) return err(problems);
  return ok({ settings, rows: [...handlers, ...rows, ...builtinRows()] });
}

export function checkPolicy(document: unknown): Problem[] {
  const read = readPolicy(document);
  return read.ok ? [] : read.error;
}

const KEYS = ["version", "settings", "rows", "handlers"];

/** As written in documents → as used. */
export const SETTING_KEYS: Readonly<Record<string, keyof PolicySettings>> = {
  execution_ceiling: "executionCeiling",
  loss_budget: "lossBudget",
  fixed_delay_sec: "fixedDelaySec",
  backoff_base_sec: "backoffBaseSec",
  backoff_max_sec: "backoffMaxSec",
  jitter: "jitter",
  max_memory_per_core_mb: "maxMemoryPerCoreMb",
  max_wall_minutes: "maxWallMinutes",
  site_affinity: "siteAffinity",
  pending_classification: "pendingClassification",
  abort_after_alike: "abortAfterAlike",
  short_codes: "shortCodes",
  script_timeout_sec: "scriptTimeoutSec",
};
const WEEK = 7 * 86_400;

function settingsFrom(from: Fields | null): PolicySettings {
  if (from === null) return DEFAULT_SETTINGS;
  from.refuseOthers(Object.keys(SETTING_KEYS));
  const d = DEFAULT_SETTINGS;
  return {
    executionCeiling: from.number("execution_ceiling", whole(1, 1000), d.executionCeiling),
    lossBudget: from.number("loss_budget", whole(0, 1000), d.lossBudget),
    fixedDelaySec: from.number("fixed_delay_sec", whole(0, WEEK), d.fixedDelaySec),
    backoffBaseSec: from.number("backoff_base_sec", whole(0, WEEK), d.backoffBaseSec),
    backoffMaxSec: from.number("backoff_max_sec", whole(0, WEEK), d.backoffMaxSec),
    jitter: from.number("jitter", real(0, 1), d.jitter),
    maxMemoryPerCoreMb: from.number("max_memory_per_core_mb", whole(1, 1e9), d.maxMemoryPerCoreMb),
    maxWallMinutes: from.number("max_wall_minutes", whole(1, 1e6), d.maxWallMinutes),
    siteAffinity: from.flag("site_affinity", d.siteAffinity),
    pendingClassification: from.flag("pending_classification", d.pendingClassification),
    abortAfterAlike: from.number("abort_after_alike", whole(0, 1e6), d.abortAfterAlike),
    shortCodes: from.flag("short_codes", d.shortCodes),
    scriptTimeoutSec: from.number("script_timeout_sec", whole(1, 86_400), d.scriptTimeoutSec),
  };
}

const MATCH_KEYS = ["roles", "causes", "exit_codes", "signals", "holds", "stderr", "match_all_exit_codes"];
const SAYS_KEYS = ["max_retries", "delay_sec", "memory_factor", "time_factor", "script"];
const ROW_KEYS = [
  "id",
  ...MATCH_KEYS,
  ...SAYS_KEYS,
  "meaning",
  "category",
  "action",
  "boost_from",
  "change_site",
  "tries_per_site",
  "avoid_host",
  "bad_file_proof",
];
const RULE_KEYS = ["exit_codes", "match_all_exit_codes", "causes", "stderr", ...SAYS_KEYS];

/** A row with the id of a built-in one changes it: what it does not say stays. */
function rowFrom(value: unknown, at: number, name: string, parent: Fields): PolicyRow[] {
  if (!isRow(value)) {
    parent.wrong(`rows[${at}]`, `must be an object (got ${shown(value)})`);
    return [];
  }
  const from = new Fields(value, `rows[${at}]`, parent.problems);
  from.refuseOthers(ROW_KEYS);
  const id = from.text("id", `${name}-${at + 1}`, 100);
  if (!/^[A-Za-z0-9][A-Za-z0-9_.-]*$/.test(id)) from.wrong("id", "must be a plain name", "letters, digits, - _ .");
  const changed = builtinRows().find((row) => row.id === id);
  const own = matchFrom(from);
  if (!saysWhich(own) && !changed) from.wrong("", NO_MATCH, MATCH_KEYS.join(", "));
  const said = {
    ...saysFrom(from),
    meaning: from.text("meaning", undefined, 300),
    category: from.choice("category", CATEGORIES, undefined),
    action: from.choice("action", ["retry", "stop", "abort"] as const, undefined),
    boostFrom: from.number("boost_from", whole(1, 100), undefined),
    changeSite: from.has("change_site") ? from.flag("change_site", false) : undefined,
    triesPerSite: from.number("tries_per_site", whole(1, 100), undefined),
    avoidHost: from.has("avoid_host") ? from.flag("avoid_host", false) : undefined,
    fileProof: from.has("bad_file_proof") ? from.flag("bad_file_proof", false) : undefined,
  };
  const match = saysWhich(own) ? own : { ...changed?.match, ...own };
  return [{ id, layer: "installation", source: `${name} rows[${at}]`, match, ...said }];
}

/** Roles alone narrow a match, they are none. */
const saysWhich = (match: RowMatch): boolean => Object.keys(match).some((key) => key !== "roles");
const NO_MATCH = "does not say which failures it is for";

function handlerFrom(value: unknown, at: number, parent: Fields): PolicyRow[] {
  if (!isRow(value)) {
    parent.wrong(`handlers[${at}]`, `must be an object (got ${shown(value)})`);
    return [];
  }
  const from = new Fields(value, `handlers[${at}]`, parent.problems);
  from.refuseOthers(["name", "roles", "rules"]);
  const name = from.text("name", `handler${at + 1}`, 200);
  const roles = from.has("roles") ? from.texts("roles") : undefined;
  return from.list("rules").flatMap((rule, index) => {
    if (!isRow(rule)) {
      from.wrong(`rules[${index}]`, `must be an object (got ${shown(rule)})`);
      return [];
    }
    const fields = new Fields(rule, from.place(`rules[${index}]`), from.problems);
    fields.refuseOthers(RULE_KEYS);
    const own = matchFrom(fields);
    if (!saysWhich(own)) fields.wrong("", NO_MATCH, MATCH_KEYS.join(", "));
    const said = saysFrom(fields);
    const maxRetries = said.maxRetries ?? 3;
    return [
      {
        id: `${name}#${index + 1}`,
        layer: "request" as const,
        source: `handler ${name}, rule ${index + 1}`,
        match: { ...own, ...(roles && { roles }) },
        ...said,
        action: maxRetries === 0 ? ("stop" as const) : ("retry" as const),
        maxRetries,
        // Who asks for n retries gets them, also where the unit is pinned to a site.
        triesPerSite: maxRetries + 1,
      },
    ];
  });
}

function saysFrom(from: Fields) {
  return {
    maxRetries: from.number("max_retries", whole(0, 1000), undefined),
    delay: from.number("delay_sec", real(0, WEEK), undefined),
    memoryFactor: from.number("memory_factor", real(1, 100), undefined),
    wallFactor: from.number("time_factor", real(1, 100), undefined),
    script: from.text("script", undefined, 1000),
  };
}

function matchFrom(from: Fields): RowMatch {
  const { codes, ranges } = codesFrom(from);
  const causes = from.texts("causes").filter((cause, at): cause is Cause => {
    if ((CAUSES as readonly string[]).includes(cause)) return true;
    from.wrong(`causes[${at}]`, `${shown(cause)} is not a known cause`, CAUSES.join(", "));
    return false;
  });
  const signals = from.list("signals").filter((signal, at): signal is number => {
    if (Number.isInteger(signal) && Number(signal) >= 1 && Number(signal) <= 64) return true;
    from.wrong(`signals[${at}]`, `must be a signal, 1 to 64 (got ${shown(signal)})`);
    return false;
  });
  const holds = from.list("holds").flatMap((hold, at): NonNullable<RowMatch["holds"]>[number][] => {
    const parts = /^(\d{1,4})(?:\/(\d{1,6}))?$/.exec(String(hold));
    if (!parts) from.wrong(`holds[${at}]`, `must be a hold code (got ${shown(hold)})`, '13 or "13/2"');
    if (!parts) return [];
    return parts[2] === undefined ? [[Number(parts[1])] as const] : [[Number(parts[1]), Number(parts[2])] as const];
  });
  const stderr = patternFrom(from);
  return {
    ...(from.has("roles") && { roles: from.texts("roles") }),
    ...(causes.length > 0 && { causes }),
    ...(codes.length > 0 && { codes }),
    ...(ranges.length > 0 && { ranges }),
    ...(signals.length > 0 && { signals }),
    ...(holds.length > 0 && { holds }),
    ...(stderr !== null && { stderr }),
    ...(from.flag("match_all_exit_codes", false) && { all: true }),
  };
}

function codesFrom(from: Fields): { codes: number[]; ranges: (readonly [number, number])[] } {
  const codes: number[] = [];
  const ranges: (readonly [number, number])[] = [];
  for (const [at, code] of from.list("exit_codes").entries()) {
    const range = typeof code === "string" ? /^(\d{1,6})-(\d{1,6})$/.exec(code) : null;
    const [low, high] = [Number(range?.[1]), Number(range?.[2])];
    if (Number.isInteger(code) && Number(code) >= -1004 && Number(code) <= 999_999 && code !== 0)
      codes.push(Number(code));
    else if (range && low >= 1 && low <= high) ranges.push([low, high]);
    else from.wrong(`exit_codes[${at}]`, `must be an exit code or a range (got ${shown(code)})`, '85 or "60300-60399"');
  }
  return { codes, ranges };
}

/** A group that repeats and repeats within itself can take for ever to match, and POST would hang. */
const RUNAWAY = /\((?:[^()\\]|\\.)*[+*](?:[^()\\]|\\.)*\)[+*{]/;

function patternFrom(from: Fields): string | null {
  const pattern = from.text("stderr", null, 500);
  if (pattern === null) return null;
  if (pattern === "") from.wrong("stderr", "is empty and would match everything");
  else if (RUNAWAY.test(pattern))
    from.wrong("stderr", "repeats a group that repeats within itself, which can take for ever");
  try {
    new RegExp(pattern);
  } catch {
    from.wrong("stderr", "is no regular expression");
  }
  return pattern;
}

function refuseTwins(rows: readonly PolicyRow[], from: Fields): void {
  for (const [at, row] of rows.entries())
    if (rows.findIndex(({ id }) => id === row.id) < at) from.wrong(`rows[${at}].id`, `${shown(row.id)} is there twice`);
}
