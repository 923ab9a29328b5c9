import { CAUSES } from "../core/cause.ts";
import { NAME_PATTERN, NAME_RULE } from "../core/names.ts";
import { type FailureHandler, type FailureRule, type RecoverySpec, RULE_LIMITS } from "../core/request.ts";
import { NODE_ROLES, type NodeRole } from "../core/roles.ts";
import { patternProblem } from "../core/stderr-pattern.ts";
import { Form } from "./reading/form.ts";
import { TRAVEL_RULE, travelPath } from "./reading/paths.ts";
import { distinct, refuseTwins, type Spot } from "./reading/values.ts";

const MATCHES = "exit_codes: [10, 11], match_all_exit_codes: true, causes: [oom], or stderr: pattern";

/** `recovery: {…}`; also the older failure_handlers and use_pending_failed at the top. */
export function readRecovery(top: Form, role: NodeRole): RecoverySpec {
  const oldPending = top.flag("use_pending_failed", false);
  return top.within("recovery", (form) => {
    const holdThreshold = form.number("hold_threshold", { min: 0, max: 1 }, 0.2);
    const maxRescues = form.integer("max_rescues", { min: 0, max: 100 }, 3);
    const entries = form.either("handlers", top, "failure_handlers")?.list(100) ?? [];
    const handlers = entries.map((entry, index) => readHandler(entry, `handler${index + 1}`, role));
    refuseTwins(handlers.map(({ name }, index) => entries[index]!.child("name", name)));
    const pendingClassification = form.flag("pending_classification", oldPending);
    const auto = form.flag("auto", false);
    return { holdThreshold, maxRescues, pendingClassification, auto, handlers };
  });
}

function readHandler(spot: Spot, fallback: string, role: NodeRole): FailureHandler {
  const form = Form.at(spot, "a handler", "{name, rules: […]}");
  if (form === null) return { name: fallback, roles: [role], rules: [] };
  const name = form.text("name", fallback, NAME_PATTERN, NAME_RULE);
  const roles = form.spot("roles") === null ? [role] : chosen(form.list("roles", 10), NODE_ROLES, "role");
  const rules = form.list("rules", 100).map(readRule);
  if (rules.length === 0) form.missing("rules", "a list of rules, at least one");
  form.close();
  return { name, roles, rules: rules.filter((rule) => rule !== null) };
}

function readRule(spot: Spot): FailureRule | null {
  const form = Form.at(spot, "a rule", `{${MATCHES}; max_retries, delay, …}`);
  if (form === null) return null;
  const rule: FailureRule = {
    exitCodes: distinct(form.list("exit_codes", 1000), isFailureCode, (code) =>
      code.mustBe("an exit code of a failure, a whole number from 1 to 999999"),
    ),
    matchAllExitCodes: form.flag("match_all_exit_codes", false),
    causes: chosen(form.list("causes", 50), CAUSES, "cause"),
    stderr: readPattern(form.spot("stderr")),
    maxRetries: form.integer("max_retries", RULE_LIMITS.maxRetries, 3),
    delaySec: form.duration("delay", RULE_LIMITS.delaySec, null),
    memoryFactor: form.number("memory_factor", RULE_LIMITS.factor, null),
    wallFactor: form.number("time_factor", RULE_LIMITS.factor, null),
    script: readScript(form.spot(["script", "recovery_script"])),
  };
  const matches = ["exit_codes", "match_all_exit_codes", "causes", "stderr"].filter((key) => form.spot(key) !== null);
  if (matches.length === 0) spot.problem("does not say which failures it is for", MATCHES);
  else if (matches.every((key) => isEmptyMatch(form.row[key]))) spot.problem("matches no failure", MATCHES);
  form.close();
  return rule;
}

const isEmptyMatch = (value: unknown): boolean => value === false || (Array.isArray(value) && value.length === 0);

const isFailureCode = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= 999_999;

function chosen(entries: readonly Spot[], known: readonly string[], what: string): readonly string[] {
  const isKnown = (value: unknown): value is string => known.includes(value as string);
  return distinct(entries, isKnown, (entry) => entry.unknown(`is not a known ${what}`, known));
}

function readPattern(spot: Spot | null): string | null {
  if (spot === null) return null;
  const { value } = spot;
  if (typeof value !== "string") return spot.mustBe("a regular expression");
  const problem = patternProblem(value);
  return problem === null ? value : spot.problem(problem);
}

function readScript(spot: Spot | null): string | null {
  if (spot === null) return null;
  const { path, value, notes } = spot;
  if (typeof value !== "string" || !value.startsWith("./") || travelPath(value) === null)
    return spot.mustBe("a script that lies beside the request", `"./fix.sh": "./" and ${TRAVEL_RULE}`);
  notes.commands.push({ path, argv: [value] });
  return value;
}
