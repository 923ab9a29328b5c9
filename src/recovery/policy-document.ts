import type { FailureHandler, FailureRule, RecoverySpec } from "../domain/request.ts";
import type { PolicySettings } from "./policy.ts";
import { SETTING_KEYS } from "./read-policy.ts";

type Document = Readonly<Record<string, unknown>>;

/**
 * The policy.json of a submit directory: the installation's document as it is, the request's handlers, and settings
 * that follow from the request and the plan. It is read back by `readPolicy`; the built-in rows are not repeated.
 */
export function policyDocument(
  installation: Document | null,
  recovery: Pick<RecoverySpec, "handlers" | "pendingClassification">,
  settings: Partial<PolicySettings> = {},
): Document {
  const own: Partial<PolicySettings> = { pendingClassification: recovery.pendingClassification, ...settings };
  const said = Object.entries(SETTING_KEYS).flatMap(([key, name]) =>
    own[name] === undefined ? [] : [[key, own[name]] as const],
  );
  const before = (installation?.settings ?? {}) as Document;
  return {
    version: 1,
    settings: { ...before, ...Object.fromEntries(said) },
    rows: installation?.rows ?? [],
    handlers: recovery.handlers.map(handlerDocument),
  };
}

/** The request's handlers as a policy document says them. */
export const handlerDocument = ({ name, roles, rules }: FailureHandler): Readonly<Record<string, unknown>> => ({
  name,
  roles,
  rules: rules.map(ruleDocument),
});

function ruleDocument(rule: FailureRule): Readonly<Record<string, unknown>> {
  const said = {
    exit_codes: rule.exitCodes.length > 0 ? rule.exitCodes : null,
    match_all_exit_codes: rule.matchAllExitCodes || null,
    causes: rule.causes.length > 0 ? rule.causes : null,
    stderr: rule.stderr,
    max_retries: rule.maxRetries,
    delay_sec: rule.delaySec,
    memory_factor: rule.memoryFactor,
    time_factor: rule.wallFactor,
    script: rule.script,
  };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== null));
}
