import { isSiteName, NAME_PATTERN, NAME_RULE, type RequestName, type SiteName } from "../core/names.ts";
import { MAX_PRIORITY, type ProductionStep, type RequestSpec, type UnitSpec } from "../core/request.ts";
import { byRole, type NodeRole, ROLES } from "../core/roles.ts";
import { readRecovery } from "./read-recovery.ts";
import { Form } from "./reading/form.ts";
import { shown } from "./reading/notes.ts";
import { distinct, type Spot } from "./reading/values.ts";

export const PRIORITY = { min: 0, max: MAX_PRIORITY };
export const COUNT = { min: 1, max: 1_000_000 };
const SIZE = { min: 1, max: 1e15 };
const RETRIES = { min: 0, max: 100 };

export type UnitSizes = Omit<UnitSpec, "jobsPerUnit">;
export const USUAL_SIZES: UnitSizes = { targetMergedBytes: 4e9, blockTargetBytes: 1e12, maxUnitsPerBlock: 500 };

/** What WMS2 is to do with a request of either form, always under our own names. */
export function readPolicy(
  top: Form,
  name: RequestName,
  priority: number,
  /** The role of jobs that do the request's own work. */
  { usual = USUAL_SIZES, role = "processing" }: { usual?: UnitSizes; role?: NodeRole } = {},
) {
  const urgent = top.flag("urgent", false);
  return {
    urgent,
    productionSteps: readProductionSteps(top, priority, urgent),
    unit: top.within("unit", (form) => ({
      jobsPerUnit: form.integer("jobs", { min: 1, max: 100_000 }, null),
      targetMergedBytes: form.size("target_merged_size", SIZE, usual.targetMergedBytes),
      blockTargetBytes: form.size("target_block_size", SIZE, usual.blockTargetBytes),
      maxUnitsPerBlock: form.integer("max_units_per_block", COUNT, usual.maxUnitsPerBlock),
    })),
    retries: top.within("retries", (form) => byRole((role) => form.integer(role, RETRIES, ROLES[role].retries))),
    throttles: top.within("throttles", (form) => ({
      units: form.integer("units", COUNT, 10),
      processing: form.integer("processing", COUNT, ROLES.processing.throttle),
      merge: form.integer("merge", COUNT, ROLES.merge.throttle),
      cleanup: form.integer("cleanup", COUNT, ROLES.cleanup.throttle),
    })),
    adaptive: top.flag("adaptive", false),
    recovery: readRecovery(top, role),
    cleanupPolicy: top.choice("cleanup_policy", ["keep_until_replaced", "immediate_cleanup"], "keep_until_replaced"),
    previousVersion: readPreviousVersion(top, name),
  };
}

function readPreviousVersion(top: Form, name: RequestName): RequestName | null {
  const spot = top.spot(["previous_version", "previous_version_request"]);
  const text = spot?.text(NAME_PATTERN, NAME_RULE) ?? null;
  if (text === name) spot?.problem("names this request itself");
  return text as RequestName | null;
}

export const readSites = (top: Form): RequestSpec["sites"] =>
  top.within("sites", (form) =>
    checkSites(
      form.either("allow", top, "site_whitelist")?.list(10_000) ?? [],
      form.either("deny", top, "site_blacklist")?.list(10_000) ?? [],
      form.flag("trust", false),
    ),
  );

const isSite = (value: unknown): value is SiteName => typeof value === "string" && isSiteName(value);

export function checkSites(allowed: readonly Spot[], denied: readonly Spot[], trust: boolean): RequestSpec["sites"] {
  const rule = "a letter or digit, then letters, digits, '_', '.', '-'; at most 100 characters";
  const refuse = (spot: Spot) => spot.problem(`is not a site name (got ${shown(spot.value)})`, rule);
  const allow = distinct(allowed, isSite, refuse);
  const deny = distinct(denied, isSite, refuse);
  for (const spot of denied)
    if (allow.includes(spot.value as SiteName)) spot.problem(`${shown(spot.value)} is both allowed and denied`);
  return { allow, deny, ...(trust && { trust }) };
}

/** Fractions grow, priorities fall, and nothing of it together with urgent. */
function readProductionSteps(top: Form, priority: number, urgent: boolean): readonly ProductionStep[] {
  const steps: ProductionStep[] = [];
  for (const entry of top.list("production_steps", 100)) {
    const form = Form.at(entry, "a step", "{fraction, priority}", top.casts);
    if (form === null) continue;
    for (const key of ["fraction", "priority"]) form.needed(key);
    const fraction = form.number("fraction", { min: 0, above: 0, max: 1 }, null);
    const below = form.integer("priority", PRIORITY, null);
    form.close();
    if (fraction === 1) form.problem("fraction", "must be below 1 (got 1)");
    if (fraction === null || below === null || fraction === 1) continue;
    const before = steps.at(-1);
    if (before !== undefined && fraction <= before.fraction)
      form.problem("fraction", `must be above the one before it, ${before.fraction} (got ${fraction})`);
    if (before !== undefined && below >= before.priority)
      form.problem("priority", `must be below the one before it, ${before.priority} (got ${below})`);
    if (before === undefined && below >= priority)
      form.warn("priority", `${below} is not below the request's own priority ${priority}`);
    steps.push({ fraction, priority: below });
  }
  if (urgent && steps.length > 0)
    top.spot("production_steps")?.problem("cannot be given together with urgent: true; keep one of them");
  return steps;
}
