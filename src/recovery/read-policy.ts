import { err, ok, type Result } from "../base/result.ts";
import type { Problem } from "../domain/problem.ts";
import { CATEGORIES, CAUSES, type Cause } from "./attempt.ts";
import { builtinRows } from "./builtin-policy.ts";
import * as f from "./fields.ts";
import {
  DEFAULT_SETTINGS,
  type Policy,
  type PolicyRow,
  type PolicySettings,
  type RowMatch,
  SETTINGS,
  WEEK,
} from "./policy.ts";

/**
 * A policy document (docs/policy.md): an installation's file, or the policy.json of a submit directory, which also
 * holds the request's handlers. All problems are found, each with its place; with any of them there is no policy.
 */
export function readPolicy(document: unknown, name = "installation"): Result<Policy, Problem[]> {
  const fields = {
    version: f.number(f.whole(1, 1), 1),
    settings: SETTINGS_SECTION,
    rows: f.list((row, key, at, index) => f.rowIn(row, key, at, (given, place) => rowFrom(given, place, index, name))),
    handlers: f.list((handler, key, at, index) =>
      f.rowIn(handler, key, at, (given, place) => handlerFrom(given, place, index)),
    ),
  };
  if (!f.isRow(document))
    return err([{ path: "", message: "must be an object", allowed: Object.keys(fields).join(", ") }]);
  const at = new f.Place();
  const { settings, rows, handlers } = f.readStrictly(fields, document, at);
  for (const [index, { id }] of rows.entries())
    if (rows.findIndex((row) => row.id === id) < index) at.wrong(`rows[${index}].id`, `${f.shown(id)} is there twice`);
  if (at.problems.length > 0) return err(at.problems);
  return ok({ settings, rows: [...handlers.flat(), ...rows, ...builtinRows()] });
}

export function checkPolicy(document: unknown): Problem[] {
  const read = readPolicy(document);
  return read.ok ? [] : read.error;
}

/** As documents write it: execution_ceiling. */
const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** As written in documents → as used. */
export const SETTING_KEYS: Readonly<Record<string, keyof PolicySettings>> = Object.fromEntries(
  Object.keys(SETTINGS).map((name) => [snakeCase(name), name as keyof PolicySettings]),
);

const SETTINGS_SECTION: f.Field<PolicySettings> = {
  missing: DEFAULT_SETTINGS,
  read: (value, key, at) =>
    f.rowIn(value, key, at, (row, place) => f.readStrictly(SETTINGS, row, place, snakeCase)) ?? DEFAULT_SETTINGS,
};

/** Which failures a row is for, as documents say it. */
const MATCH = {
  roles: f.textsOrNull(),
  causes: f.list((cause, key, at): Cause | null => {
    if ((CAUSES as readonly unknown[]).includes(cause)) return cause as Cause;
    at.wrong(key, `${f.shown(cause)} is not a known cause`, CAUSES.join(", "));
    return null;
  }),
  exit_codes: f.list(codeOrRange),
  signals: f.list((signal, key, at): number | null => {
    if (Number.isInteger(signal) && Number(signal) >= 1 && Number(signal) <= 64) return Number(signal);
    at.wrong(key, `must be a signal, 1 to 64 (got ${f.shown(signal)})`);
    return null;
  }),
  holds: f.list((hold, key, at): readonly [number] | readonly [number, number] | null => {
    const [, code, subcode] = /^(\d{1,4})(?:\/(\d{1,6}))?$/.exec(String(hold)) ?? [];
    if (code === undefined) at.wrong(key, `must be a hold code (got ${f.shown(hold)})`, '13 or "13/2"');
    if (code === undefined) return null;
    return subcode === undefined ? [Number(code)] : [Number(code), Number(subcode)];
  }),
  stderr: { missing: null, read: patternFrom },
  match_all_exit_codes: f.flag(false),
};
const SAYS = {
  max_retries: f.number(f.whole(0, 1000)),
  delay_sec: f.number(f.real(0, WEEK)),
  memory_factor: f.number(f.real(1, 100)),
  time_factor: f.number(f.real(1, 100)),
  script: f.text(1000),
};
const ROW = {
  id: f.text(100),
  ...MATCH,
  ...SAYS,
  meaning: f.text(300),
  category: f.choice(CATEGORIES),
  action: f.choice(["retry", "stop", "abort"]),
  boost_from: f.number(f.whole(1, 100)),
  change_site: f.flag(),
  tries_per_site: f.number(f.whole(1, 100)),
  avoid_host: f.flag(),
  bad_file_proof: f.flag(),
};
const { exit_codes, match_all_exit_codes, causes, stderr } = MATCH;
const RULE = { exit_codes, match_all_exit_codes, causes, stderr, ...SAYS };

/** A row with the id of a built-in one changes it: what it does not say stays. */
function rowFrom(given: f.Row, at: f.Place, index: number, name: string): PolicyRow {
  const row = f.readStrictly(ROW, given, at);
  const id = row.id ?? `${name}-${index + 1}`;
  if (!/^[A-Za-z0-9][A-Za-z0-9_.-]*$/.test(id)) at.wrong("id", "must be a plain name", "letters, digits, - _ .");
  const changed = builtinRows().find((other) => other.id === id);
  const own = matchOf(row);
  if (!changed) refuseEmpty(own, at);
  return {
    id,
    layer: "installation",
    source: `${name} rows[${index}]`,
    match: saysWhich(own) ? own : { ...changed?.match, ...own },
    ...saysOf(row),
    ...present({
      meaning: row.meaning,
      category: row.category,
      action: row.action,
      boostFrom: row.boost_from,
      changeSite: row.change_site,
      triesPerSite: row.tries_per_site,
      avoidHost: row.avoid_host,
      fileProof: row.bad_file_proof,
    }),
  };
}

function handlerFrom(given: f.Row, at: f.Place, index: number): readonly PolicyRow[] {
  const rule = f.list((value, key, place) =>
    f.rowIn(value, key, place, (row, inside) => {
      const read = f.readStrictly(RULE, row, inside);
      const match = matchOf({ ...NO_MATCH, ...read });
      refuseEmpty(match, inside);
      return { match, says: saysOf(read) };
    }),
  );
  const handler = f.readStrictly({ name: f.text(200), roles: f.textsOrNull(), rules: rule }, given, at);
  const name = handler.name ?? `handler${index + 1}`;
  return handler.rules.map(({ match, says }, place) => {
    const maxRetries = says.maxRetries ?? 3;
    return {
      id: `${name}#${place + 1}`,
      layer: "request",
      source: `handler ${name}, rule ${place + 1}`,
      match: { ...match, ...present({ roles: handler.roles }) },
      ...says,
      action: maxRetries === 0 ? "stop" : "retry",
      maxRetries,
      // Who asks for n retries gets them, also where the unit is pinned to a site.
      triesPerSite: maxRetries + 1,
    };
  });
}

const NO_MATCH = f.blank(MATCH);

function matchOf(row: f.Of<typeof MATCH>): RowMatch {
  const some = <T>(items: readonly T[]): readonly T[] | null => (items.length > 0 ? items : null);
  return present({
    roles: row.roles,
    causes: some(row.causes),
    codes: some(row.exit_codes.filter((code) => typeof code === "number")),
    ranges: some(row.exit_codes.filter((code) => typeof code !== "number")),
    signals: some(row.signals),
    holds: some(row.holds),
    stderr: row.stderr,
    all: row.match_all_exit_codes || null,
  });
}

/** Roles alone narrow a match, they are none. */
const saysWhich = (match: RowMatch): boolean => Object.keys(match).some((key) => key !== "roles");

function refuseEmpty(match: RowMatch, at: f.Place): void {
  if (!saysWhich(match)) at.wrong("", "does not say which failures it is for", Object.keys(MATCH).join(", "));
}

const saysOf = (row: f.Of<typeof SAYS>) =>
  present({
    maxRetries: row.max_retries,
    delay: row.delay_sec,
    memoryFactor: row.memory_factor,
    wallFactor: row.time_factor,
    script: row.script,
  });

/** Without what was not said. */
const present = <T extends object>(row: T) =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as {
    [Name in keyof T]?: NonNullable<T[Name]>;
  };

function codeOrRange(code: unknown, key: string, at: f.Place): number | readonly [number, number] | null {
  if (Number.isInteger(code) && Number(code) >= -1004 && Number(code) <= 999_999 && code !== 0) return Number(code);
  const range = typeof code === "string" ? /^(\d{1,6})-(\d{1,6})$/.exec(code) : null;
  const [low, high] = [Number(range?.[1]), Number(range?.[2])];
  if (low >= 1 && low <= high) return [low, high];
  at.wrong(key, `must be an exit code or a range (got ${f.shown(code)})`, '85 or "60300-60399"');
  return null;
}

/** A group that repeats and repeats within itself can take for ever to match, and POST would hang. */
const RUNAWAY = /\((?:[^()\\]|\\.)*[+*](?:[^()\\]|\\.)*\)[+*{]/;

function patternFrom(value: unknown, key: string, at: f.Place): string | null {
  const pattern = f.text(500).read(value, key, at);
  if (pattern === null) return null;
  if (pattern === "") at.wrong(key, "is empty and would match everything");
  else if (RUNAWAY.test(pattern)) at.wrong(key, "repeats a group that repeats within itself, which can take for ever");
  try {
    new RegExp(pattern);
  } catch {
    at.wrong(key, "is no regular expression");
  }
  return pattern;
}
