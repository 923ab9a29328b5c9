import { CAUSES } from "../domain/cause.ts";
import { NAME_PATTERN, NAME_RULE } from "../domain/names.ts";
import type { FailureHandler, FailureRule, RecoverySpec } from "../domain/request.ts";
import { Form } from "./form.ts";
import { shown } from "./notes.ts";
import { TRAVEL_RULE, travelPath } from "./paths.ts";
import { refuseTwins } from "./read-steps.ts";
import type { Reading } from "./reading.ts";
import { didYouMean } from "./spelling.ts";
import { isRow, listEntries, type Spot } from "./values.ts";

const ROLES = ["processing", "merge", "landing", "cleanup"] as const;
const MATCHES = "exit_codes: [10, 11], match_all_exit_codes: true, causes: [oom], or stderr: pattern";

/** `recovery: {…}`; also 002's failure_handlers and use_pending_failed at the top. */
export function readRecovery(top: Form, reading: Reading): RecoverySpec {
  const form = top.section("recovery");
  const holdThreshold = form.number("hold_threshold", { min: 0, max: 1 }, 0.2);
  const maxRescues = form.integer("max_rescues", { min: 0, max: 100 }, 3);
  const inner = form.spot("handlers");
  const outer = top.spot("failure_handlers");
  if (inner !== null && outer !== null)
    reading.notes.problem(outer.path, "says the same as recovery.handlers; keep one of them");
  const pending = form.spot("pending_classification");
  const oldPending = top.flag("use_pending_failed", false);
  const pendingClassification = pending === null ? oldPending : form.flag("pending_classification", false);
  form.close();
  const spot = inner ?? outer;
  const entries = spot === null ? [] : listEntries(spot, reading.notes, 100);
  const handlers = entries.map((entry, index) => readHandler(entry, index, reading));
  refuseTwins(
    handlers.map((handler) => handler.name),
    (index) => `${entries[index]!.path}.name`,
    reading,
  );
  return { holdThreshold, maxRescues, pendingClassification, handlers };
}

function readHandler(spot: Spot, index: number, reading: Reading): FailureHandler {
  const fallback = `handler${index + 1}`;
  if (!isRow(spot.value)) {
    reading.notes.problem(spot.path, `must be a handler (got ${shown(spot.value)})`, "{name, rules: […]}");
    return { name: fallback, roles: ["processing"], rules: [] };
  }
  const form = new Form(spot.value, spot.path, reading.notes);
  const name = form.text("name", fallback, NAME_PATTERN, NAME_RULE);
  const roles = form.spot("roles") === null ? ["processing"] : chosen(form.list("roles", 10), ROLES, "role", reading);
  const rules = form.list("rules", 100).map((rule) => readRule(rule, reading));
  if (rules.length === 0) form.missing("rules", "a list of rules, at least one");
  form.close();
  return { name, roles, rules: rules.filter((rule) => rule !== null) };
}

function readRule(spot: Spot, reading: Reading): FailureRule | null {
  const { notes } = reading;
  if (!isRow(spot.value)) {
    notes.problem(spot.path, `must be a rule (got ${shown(spot.value)})`, `{${MATCHES}; max_retries, delay, …}`);
    return null;
  }
  const form = new Form(spot.value, spot.path, notes);
  const factor = { min: 1, max: 100 };
  const rule: FailureRule = {
    exitCodes: readCodes(form.list("exit_codes", 1000), reading),
    matchAllExitCodes: form.flag("match_all_exit_codes", false),
    causes: chosen(form.list("causes", 50), CAUSES, "cause", reading),
    stderr: readPattern(form.spot("stderr"), reading),
    maxRetries: form.integer("max_retries", { min: 0, max: 100 }, 3),
    delaySec: form.duration("delay", { min: 0, max: 7 * 86_400 }, null),
    memoryFactor: form.number("memory_factor", factor, null),
    wallFactor: form.number("time_factor", factor, null),
    script: readScript(form.spot(["script", "recovery_script"]), reading),
  };
  const matches = ["exit_codes", "match_all_exit_codes", "causes", "stderr"].filter((key) => form.spot(key) !== null);
  const nothing =
    rule.exitCodes.length === 0 && !rule.matchAllExitCodes && rule.causes.length === 0 && rule.stderr === null;
  if (matches.length === 0) notes.problem(spot.path, "does not say which failures it is for", MATCHES);
  else if (nothing && matches.every((key) => isEmptyMatch(form.row[key])))
    notes.problem(spot.path, "matches no failure", MATCHES);
  form.close();
  return rule;
}

const isEmptyMatch = (value: unknown): boolean => value === false || (Array.isArray(value) && value.length === 0);

function readCodes(entries: readonly Spot[], reading: Reading): readonly number[] {
  const codes = entries.filter(({ path, value }) => {
    if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= 999_999) return true;
    reading.notes.problem(
      path,
      `must be an exit code of a failure, a whole number from 1 to 999999 (got ${shown(value)})`,
    );
    return false;
  });
  return [...new Set(codes.map((spot) => spot.value as number))];
}

function chosen(
  entries: readonly Spot[],
  choices: readonly string[],
  what: string,
  reading: Reading,
): readonly string[] {
  const known = entries.filter(({ path, value }) => {
    if (typeof value === "string" && choices.includes(value)) return true;
    const hint = typeof value === "string" ? didYouMean(value, choices) : "";
    reading.notes.problem(path, `${shown(value)} is not a known ${what}${hint}`, choices.join(", "));
    return false;
  });
  return [...new Set(known.map((spot) => spot.value as string))];
}

/** A repeated group that repeats within itself: matching it can take for ever, and a POST script would hang. */
const RUNAWAY = /\((?:[^()\\]|\\.)*[+*](?:[^()\\]|\\.)*\)[+*{]/;

function readPattern(spot: Spot | null, reading: Reading): string | null {
  if (spot === null) return null;
  const { path, value } = spot;
  if (typeof value !== "string" || value === "")
    reading.notes.problem(path, `must be a regular expression (got ${shown(value)})`);
  else if (value.length > 500) reading.notes.problem(path, `is too long: ${value.length} characters, at most 500`);
  else if (RUNAWAY.test(value))
    reading.notes.problem(path, "repeats a group that repeats within itself, which can take for ever to match");
  else {
    try {
      new RegExp(value);
      return value;
    } catch (error) {
      reading.notes.problem(path, `is no regular expression (${reason(error)})`);
    }
  }
  return null;
}

/** The engine repeats the pattern before its reason; the pattern may hold anything, so only the reason is told. */
const reason = (error: unknown): string =>
  error instanceof Error
    ? (error.message.split(": ").at(-1) ?? "").replaceAll(/[^ -~]/g, "?").slice(0, 100)
    : "unreadable";

function readScript(spot: Spot | null, reading: Reading): string | null {
  if (spot === null) return null;
  const { path, value } = spot;
  if (typeof value === "string" && value.startsWith("./") && travelPath(value) !== null) {
    reading.commands.push({ path, argv: [value] });
    return value;
  }
  reading.notes.problem(
    path,
    `must be a script that lies beside the request (got ${shown(value)})`,
    `"./fix.sh": "./" and ${TRAVEL_RULE}`,
  );
  return null;
}
