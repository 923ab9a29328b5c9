import { NAME_PATTERN, NAME_RULE, type RequestName } from "../domain/names.ts";
import type { RequestSpec } from "../domain/request.ts";
import type { Form } from "./form.ts";
import { shown } from "./notes.ts";
import { carried } from "./plain-data.ts";
import { PRIORITY, readProductionSteps } from "./read-limits.ts";
import type { Reading } from "./reading.ts";
import { isRow } from "./values.ts";

/** These become parts of dataset names and paths, so they are held to ReqMgr2's rules. */
export const ERA = /^[A-Za-z][A-Za-z0-9_]{0,99}$/;
export const ERA_RULE = "a letter, then letters, digits, '_'; at most 100 characters";
export const PROCESSING = /^[A-Za-z0-9_]{1,100}$/;
export const PROCESSING_RULE = "letters, digits, '_'; at most 100 characters";
export const CAMPAIGN = /^[A-Za-z0-9_-]{0,80}$/;
export const CAMPAIGN_RULE = "letters, digits, '-', '_'; at most 80 characters";
export const IDENTITY_DEFAULTS = { acquisitionEra: "WMS2", processingString: "main" };

type Identity = Pick<
  RequestSpec,
  | "name"
  | "requestor"
  | "requestorDn"
  | "group"
  | "campaign"
  | "acquisitionEra"
  | "processingString"
  | "processingVersion"
  | "priority"
>;

export function readIdentity(top: Form, reading: Reading, usual: { priority: number; group: string }): Identity {
  const nameKey = ["name", "request_name"];
  if (top.spot(nameKey) === null) top.missing("name", NAME_RULE);
  return {
    name: top.text(nameKey, "", NAME_PATTERN, NAME_RULE) as RequestName,
    requestor: top.text("requestor", reading.rules.requestor),
    requestorDn: top.text("requestor_dn", "") || null,
    group: top.text("group", usual.group),
    campaign: top.text("campaign", "", CAMPAIGN, CAMPAIGN_RULE),
    acquisitionEra: top.text("acquisition_era", IDENTITY_DEFAULTS.acquisitionEra, ERA, ERA_RULE),
    processingString: top.text("processing_string", IDENTITY_DEFAULTS.processingString, PROCESSING, PROCESSING_RULE),
    processingVersion: top.integer("processing_version", { min: 1, max: 1_000_000 }, 1),
    priority: top.integer("priority", PRIORITY, usual.priority),
  };
}

export function readUrgency(top: Form, priority: number): Pick<RequestSpec, "urgent" | "productionSteps"> {
  const urgent = top.flag("urgent", false);
  return { urgent, productionSteps: readProductionSteps(top, priority, urgent) };
}

const CARRIED_TEXTS = [
  "description",
  "cmssw_version",
  "scram_arch",
  "global_tag",
  "prep_id",
  "secondary_input_dataset",
] as const;
const CARRIED_DATA = ["output_datasets", "payload_config"] as const;

/** Carried for others under the names they were given; `metadata: {…}` holds whatever else one likes to keep. */
export function readMetadata(top: Form): Readonly<Record<string, unknown>> {
  const free = top.section("metadata").row;
  const metadata: Record<string, unknown> = { ...(carried(free) as Record<string, unknown>) };
  for (const key of CARRIED_TEXTS) {
    const spot = top.spot(key);
    if (spot === null) continue;
    const many = Array.isArray(spot.value) && spot.value.every((item) => typeof item === "string");
    if (typeof spot.value === "string" || many) metadata[key] = spot.value;
    else top.notes.problem(spot.path, `must be text (got ${shown(spot.value)})`);
  }
  for (const key of CARRIED_DATA) {
    const spot = top.spot(key);
    if (spot === null) continue;
    if (isRow(spot.value) || Array.isArray(spot.value)) metadata[key] = carried(spot.value);
    else top.notes.problem(spot.path, `must be a map or a list (got ${shown(spot.value)})`);
  }
  return metadata;
}
