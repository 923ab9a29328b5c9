import { isSiteName, type SiteName } from "../domain/names.ts";
import type { ProductionStep, RequestSpec, RetrySpec, ThrottleSpec, UnitSpec } from "../domain/request.ts";
import { Form } from "./form.ts";
import { type Notes, shown } from "./notes.ts";
import { isRow, listEntries, type Spot } from "./values.ts";

export const PRIORITY = { min: 0, max: 999_999 };
const COUNT = { min: 1, max: 1_000_000 };
const SIZE = { min: 1, max: 1e15 };

export function readUnit(top: Form): UnitSpec {
  const form = top.section("unit");
  const unit = {
    jobsPerUnit: form.integer("jobs", { min: 1, max: 100_000 }, null),
    targetMergedBytes: form.size("target_merged_size", SIZE, 4e9)!,
    blockTargetBytes: form.size("target_block_size", SIZE, 1e12)!,
    maxUnitsPerBlock: form.integer("max_units_per_block", COUNT, 500),
  };
  form.close();
  return unit;
}

export function readRetries(top: Form): RetrySpec {
  const form = top.section("retries");
  const range = { min: 0, max: 100 };
  const retries = {
    landing: form.integer("landing", range, 3),
    processing: form.integer("processing", range, 3),
    merge: form.integer("merge", range, 2),
    cleanup: form.integer("cleanup", range, 1),
  };
  form.close();
  return retries;
}

export function readThrottles(top: Form): ThrottleSpec {
  const form = top.section("throttles");
  const throttles = {
    units: form.integer("units", COUNT, 10),
    processing: form.integer("processing", COUNT, 5000),
    merge: form.integer("merge", COUNT, 100),
    cleanup: form.integer("cleanup", COUNT, 50),
  };
  form.close();
  return throttles;
}

export function readSites(top: Form): RequestSpec["sites"] {
  const form = top.section("sites");
  const pairs = [
    ["allow", "site_whitelist"],
    ["deny", "site_blacklist"],
  ] as const;
  const [allow, deny] = pairs.map(([key, old]) => {
    const stray = top.spot(old);
    if (stray === null) return form.list(key);
    if (form.spot(key) !== null) top.notes.problem(stray.path, `says the same as sites.${key}; keep one of them`);
    return listEntries(stray, top.notes, 10_000);
  });
  form.close();
  return checkSites(allow!, deny!, top.notes);
}

export function checkSites(allow: readonly Spot[], deny: readonly Spot[], notes: Notes): RequestSpec["sites"] {
  const names = (spots: readonly Spot[]): readonly SiteName[] => [
    ...new Set(spots.map((spot) => siteName(spot, notes)).filter((name) => name !== null)),
  ];
  const sites = { allow: names(allow), deny: names(deny) };
  for (const spot of deny) {
    if (sites.allow.includes(spot.value as SiteName))
      notes.problem(spot.path, `${shown(spot.value)} is both allowed and denied`);
  }
  return sites;
}

function siteName({ path, value }: Spot, notes: Notes): SiteName | null {
  if (typeof value === "string" && isSiteName(value)) return value;
  notes.problem(
    path,
    `is not a site name (got ${shown(value)})`,
    "a letter or digit, then letters, digits, '_', '.', '-'; at most 100 characters",
  );
  return null;
}

/** 003 §3.1.1: fractions grow, priorities fall, and nothing of it together with urgent. */
export function readProductionSteps(top: Form, priority: number, urgent: boolean): readonly ProductionStep[] {
  const { notes } = top;
  const spot = top.spot("production_steps");
  const steps: ProductionStep[] = [];
  for (const entry of top.list("production_steps", 100)) {
    if (!isRow(entry.value)) {
      notes.problem(entry.path, `must be a step (got ${shown(entry.value)})`, "{fraction, priority}");
      continue;
    }
    const form = new Form(entry.value, entry.path, notes, top.casts);
    for (const key of ["fraction", "priority"]) if (form.spot(key) === null) form.missing(key);
    const fraction = form.number("fraction", { min: 0, above: 0, max: 1 }, null);
    const below = form.integer("priority", PRIORITY, null);
    form.close();
    if (fraction === 1) notes.problem(form.pathOf("fraction"), "must be below 1 (got 1)");
    if (fraction === null || below === null || fraction === 1) continue;
    const before = steps.at(-1);
    if (before !== undefined && fraction <= before.fraction)
      notes.problem(form.pathOf("fraction"), `must be above the one before it, ${before.fraction} (got ${fraction})`);
    if (before !== undefined && below >= before.priority)
      notes.problem(form.pathOf("priority"), `must be below the one before it, ${before.priority} (got ${below})`);
    if (before === undefined && below >= priority)
      notes.warn(form.pathOf("priority"), `${below} is not below the request's own priority ${priority}`);
    steps.push({ fraction, priority: below });
  }
  if (urgent && steps.length > 0 && spot !== null)
    notes.problem(spot.path, "cannot be given together with urgent: true; keep one of them");
  return steps;
}
