import { parseJson } from "../core/base/json.ts";
import { err, ok, type Result } from "../core/base/result.ts";
import type { Problem } from "../core/problem.ts";
import type { FailureHandler, RecoverySpec } from "../core/request.ts";
import type { RememberedRule } from "../core/rule.ts";
import { LONGEST_PATTERN, patternProblem } from "../core/stderr-pattern.ts";
import { CAUSES, type Cause } from "./attempt.ts";
import { builtinRows } from "./builtin-policy.ts";
import * as f from "./fields.ts";
import {
  DEFAULT_SETTINGS,
  type Policy,
  type PolicyRow,
  type PolicySettings,
  ROW_SAYS,
  type RowMatch,
  RULE_SAYS,
  SETTINGS,
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
    remembered: f.list((row, key, at) => f.rowIn(row, key, at, rememberedFrom)),
    handlers: f.list((handler, key, at, index) =>
      f.rowIn(handler, key, at, (given, place) => handlerFrom(given, place, index)),
    ),
  };
  if (!f.isRow(document))
    return err([{ path: "", message: "must be an object", allowed: Object.keys(fields).join(", ") }]);
  const at = new f.FieldPath();
  const { settings, rows, remembered, handlers } = f.readStrictly(fields, document, at);
  for (const [index, { id }] of rows.entries())
    if (rows.findIndex((row) => row.id === id) < index) at.wrong(`rows[${index}].id`, `${f.shown(id)} is there twice`);
  if (at.problems.length > 0) return err(at.problems);
  return ok({ settings, rows: [...handlers.flat(), ...remembered, ...rows, ...builtinRows()] });
}

export function checkPolicy(document: unknown): Problem[] {
  const read = readPolicy(document);
  return read.ok ? [] : read.error;
}

/** Documents write max_retries for maxRetries, and have words of their own for a few. */
const OWN_WORDS: Readonly<Record<string, string>> = {
  codes: "exit_codes",
  all: "match_all_exit_codes",
  delay: "delay_sec",
  wallFactor: "time_factor",
  fileProof: "bad_file_proof",
};
const keyOf = (name: string): string =>
  OWN_WORDS[name] ?? name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** As written in documents → as used. */
export const SETTING_KEYS: Readonly<Record<string, keyof PolicySettings>> = Object.fromEntries(
  Object.keys(SETTINGS).map((name) => [keyOf(name), name as keyof PolicySettings]),
);

const SETTINGS_SECTION: f.Field<PolicySettings> = {
  missing: DEFAULT_SETTINGS,
  read: (value, key, at) =>
    f.rowIn(value, key, at, (row, place) => f.readStrictly(SETTINGS, row, place, keyOf)) ?? DEFAULT_SETTINGS,
};

/** Which failures a row is for, as documents say it. */
const MATCH = {
  roles: f.textsOrNull(),
  causes: f.list((cause, key, at): Cause | null => {
    if ((CAUSES as readonly unknown[]).includes(cause)) return cause as Cause;
    at.wrong(key, `${f.shown(cause)} is not a known cause`, CAUSES.join(", "));
    return null;
  }),
  codes: f.list(codeOrRange),
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
  all: f.flag(false),
};
const ROW = { id: f.text(100), ...MATCH, ...ROW_SAYS };
const RULE = { codes: MATCH.codes, all: MATCH.all, causes: MATCH.causes, stderr: MATCH.stderr, ...RULE_SAYS };

/** A row with the id of a built-in one changes it: what it does not say stays. */
function rowFrom(given: f.Row, at: f.FieldPath, index: number, name: string): PolicyRow {
  const row = f.readStrictly(ROW, given, at, keyOf);
  const id = row.id ?? `${name}-${index + 1}`;
  if (!/^[A-Za-z0-9][A-Za-z0-9_.-]*$/.test(id)) at.wrong("id", "must be a plain name", "letters, digits, - _ .");
  const changed = builtinRows().find((other) => other.id === id);
  const { match: own, says } = split(row);
  if (!changed) refuseEmpty(own, at);
  const match = saysWhich(own) ? own : { ...changed?.match, ...own };
  return { id, layer: "installation", source: `${name} rows[${index}]`, match, ...says };
}

/** As `rememberedRow` wrote it. */
function rememberedFrom(given: f.Row, at: f.FieldPath): PolicyRow {
  const { id, source, ...row } = f.readStrictly({ ...ROW, source: f.text(2000) }, given, at, keyOf);
  const { match, says } = split(row);
  refuseEmpty(match, at);
  return { id: id ?? "", layer: "remembered", source: source ?? "remembered", match, ...says };
}

const RETRIES_OF_RULE = 3;

/** A failure that somebody classified for all runs to come, as a policy document says it. */
const rememberedRow = (rule: RememberedRule): f.Row => ({
  id: rule.id,
  causes: [rule.cause],
  ...(rule.exitCode !== 0 && { exit_codes: [rule.exitCode] }),
  stderr: rule.stderr,
  ...(rule.action === "retry" ? { action: "retry", max_retries: RETRIES_OF_RULE } : STOP),
  meaning: rule.reason.slice(0, 300),
  source: `remembered by ${rule.actor} on ${rule.createdAt.toISOString().slice(0, 10)}, seen in ${rule.requestName}`,
});
const STOP = { action: "stop", category: "permanent" } as const;

/** The policy.json of a run that goes on, with the rules that are remembered now. What is no policy stays as it is. */
export function withRemembered(text: string, rules: readonly RememberedRule[]): string {
  const json = parseJson(text);
  if (!json.ok || !f.isRow(json.value)) return text;
  const { remembered: _, ...rest } = json.value;
  return documentText({ ...rest, ...(rules.length > 0 && { remembered: rules.map(rememberedRow) }) });
}

export const documentText = (document: f.Row): string => `${JSON.stringify(document, null, 1)}\n`;

function handlerFrom(given: f.Row, at: f.FieldPath, index: number): readonly PolicyRow[] {
  const rules = f.list((value, key, place) =>
    f.rowIn(value, key, place, (row, inside) => {
      const rule = split({ ...f.blank(MATCH), ...f.readStrictly(RULE, row, inside, keyOf) });
      refuseEmpty(rule.match, inside);
      return rule;
    }),
  );
  const handler = f.readStrictly({ name: f.text(200), roles: f.textsOrNull(), named: f.flag(false), rules }, given, at);
  const name = handler.name ?? `handler${index + 1}`;
  return handler.rules.map(({ match, says }, place) => {
    const maxRetries = says.maxRetries ?? 3;
    return {
      id: `${name}#${place + 1}`,
      layer: "request",
      source: `handler ${name}, rule ${place + 1}`,
      match: { ...match, ...(handler.roles && { roles: handler.roles }), ...(handler.named && { handler: name }) },
      ...says,
      action: maxRetries === 0 ? "stop" : "retry",
      maxRetries,
      // Who asks for n retries gets them, also where the unit is pinned to a site.
      triesPerSite: maxRetries + 1,
    };
  });
}

/** What is said of which failures, without all that was not said. */
function split<T extends f.Of<typeof MATCH> & f.Of<typeof RULE_SAYS>>(row: T) {
  const { roles, causes, codes, signals, holds, stderr, all, ...says } = row;
  const match: RowMatch = present({
    roles,
    causes: some(causes),
    codes: some(codes.filter((code) => typeof code === "number")),
    ranges: some(codes.filter((code) => typeof code !== "number")),
    signals: some(signals),
    holds: some(holds),
    stderr,
    all: all || null,
  });
  return { match, says: present(says) };
}

const some = <T>(items: readonly T[]): readonly T[] | null => (items.length > 0 ? items : null);

const present = <T extends object>(row: T) =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null && value !== undefined)) as {
    [Name in keyof T]?: NonNullable<T[Name]>;
  };

/** Roles alone narrow a match, they are none. */
const saysWhich = (match: RowMatch): boolean => Object.keys(match).some((key) => key !== "roles");

function refuseEmpty(match: RowMatch, at: f.FieldPath): void {
  if (!saysWhich(match))
    at.wrong("", "does not say which failures it is for", Object.keys(MATCH).map(keyOf).join(", "));
}

function codeOrRange(code: unknown, key: string, at: f.FieldPath): number | readonly [number, number] | null {
  if (Number.isInteger(code) && Number(code) >= -1004 && Number(code) <= 999_999 && code !== 0) return Number(code);
  const range = typeof code === "string" ? /^(\d{1,6})-(\d{1,6})$/.exec(code) : null;
  const [low, high] = [Number(range?.[1]), Number(range?.[2])];
  if (low >= 1 && low <= high) return [low, high];
  at.wrong(key, `must be an exit code or a range (got ${f.shown(code)})`, '85 or "60300-60399"');
  return null;
}

function patternFrom(value: unknown, key: string, at: f.FieldPath): string | null {
  const pattern = f.text(LONGEST_PATTERN).read(value, key, at);
  const problem = pattern === null ? null : patternProblem(pattern);
  if (problem !== null) at.wrong(key, problem);
  return pattern;
}

/**
 * The policy.json of a submit directory: the installation's document as it is, the request's handlers, and settings
 * that follow from the request and the plan. It is read back by `readPolicy`; the built-in rows are not repeated.
 */
export function policyDocument(
  installation: f.Row | null,
  recovery: Pick<RecoverySpec, "handlers" | "pendingClassification"> & {
    /** Handlers that are only for jobs which name them. */
    readonly named?: readonly string[];
  },
  settings: Partial<PolicySettings> = {},
  rules: readonly RememberedRule[] = [],
): f.Row {
  const isNamed = ({ name }: FailureHandler): boolean => recovery.named?.includes(name) ?? false;
  const own = { pendingClassification: recovery.pendingClassification, ...settings };
  return {
    version: 1,
    settings: { ...(installation?.settings ?? {}), ...documentOf(own) },
    rows: installation?.rows ?? [],
    // Of rows that fit as well the first counts: what a job names comes before what all have.
    handlers: [
      ...recovery.handlers.filter(isNamed).map((handler) => ({ ...handlerDocument(handler), named: true })),
      ...recovery.handlers.filter((handler) => !isNamed(handler)).map(handlerDocument),
    ],
    ...(rules.length > 0 && { remembered: rules.map(rememberedRow) }),
  };
}

/** The request's handlers as a policy document says them. */
export const handlerDocument = ({ name, roles, rules }: FailureHandler): f.Row => ({
  name,
  roles,
  rules: rules.map(({ exitCodes, causes, matchAllExitCodes, ...rule }) => ({
    ...documentOf({
      exitCodes: some(exitCodes),
      matchAllExitCodes: matchAllExitCodes || null,
      causes: some(causes),
      ...rule,
    }),
  })),
});

const documentOf = (said: object): f.Row =>
  Object.fromEntries(Object.entries(present(said)).map(([name, value]) => [keyOf(name), value]));
