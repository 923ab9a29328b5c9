import type { RecoverySpec, RequestSpec } from "../core/request.ts";
import type { RememberedRule } from "../core/rule.ts";
import type { CommonWork } from "../core/work.ts";
import type { PolicySettings } from "./policy.ts";
import { documentText, policyDocument, SETTING_KEYS } from "./read-policy.ts";

/** What the installation says about recovery; its policy file, where it names a setting, has the last word. */
export interface RecoveryOptions {
  /** The policy file as it was read; null: none. */
  readonly installation: Readonly<Record<string, unknown>> | null;
  readonly cooloffBaseSec: number;
  readonly firstRetryAtOnce: boolean;
  readonly avoidHostSec: number;
  readonly maxExecutions: number;
  readonly abortAfterAlike: number;
  readonly maxMemoryPerCoreMb: number;
  readonly maxMemoryMb: number | null;
  readonly maxWallMinutes: number;
}

/** 60 s and 15 min are what the error-handling and the retry specification ask for; one setting scales both. */
const FIXED_BY_BASE = 15;

/** Payloads whose exit codes are the framework's: cmsRun, and the simulator that stands in for it. */
const FRAMEWORK = /(^|\/)(cmsRun|wms2\/simulate)$/;

/** What the policy depends on of a request. */
export type PolicySpec = Pick<RequestSpec, "steps"> & {
  readonly work?: CommonWork;
  readonly recovery: Pick<RecoverySpec, "handlers" | "pendingClassification">;
};

/** policy.json of a submit directory: all that POST on the submit host goes by. */
export function policyText(options: RecoveryOptions, spec: PolicySpec, rules: readonly RememberedRule[] = []): string {
  const said = (options.installation?.settings ?? {}) as Readonly<Record<string, unknown>>;
  const own: Partial<PolicySettings> = {
    executionCeiling: options.maxExecutions,
    backoffBaseSec: options.cooloffBaseSec,
    fixedDelaySec: options.cooloffBaseSec * FIXED_BY_BASE,
    firstRetryAtOnce: options.firstRetryAtOnce,
    avoidHosts: options.avoidHostSec > 0,
    abortAfterAlike: options.abortAfterAlike,
    cmsCodes: spec.steps.some(({ argv }) => FRAMEWORK.test(argv[0] ?? "")),
    ...(spec.work?.directory !== undefined && { siteAffinity: false }),
    maxMemoryPerCoreMb: options.maxMemoryPerCoreMb,
    maxWallMinutes: options.maxWallMinutes,
    ...(options.maxMemoryMb !== null && { maxMemoryMb: options.maxMemoryMb }),
  };
  const unsaid = Object.entries(SETTING_KEYS)
    .filter(([key, name]) => !(key in said) && own[name] !== undefined)
    .map(([, name]) => [name, own[name]]);
  const recovery = {
    ...spec.recovery,
    named: spec.work?.namedHandlers ?? [],
    pendingClassification: spec.recovery.pendingClassification || said.pending_classification === true,
  };
  return documentText(policyDocument(options.installation, recovery, Object.fromEntries(unsaid), rules));
}
