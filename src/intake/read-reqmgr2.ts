import { NAME_PATTERN, NAME_RULE, type RequestName } from "../domain/names.ts";
import type { RequestFile, RequestSpec } from "../domain/request.ts";
import type { Form } from "./form.ts";
import { shown } from "./notes.ts";
import { carried } from "./plain-data.ts";
import { readAttachments } from "./read-attachments.ts";
import * as identity from "./read-identity.ts";
import { checkSites, PRIORITY, readRetries, readThrottles, readUnit } from "./read-limits.ts";
import { simulatorOutput } from "./read-outputs.ts";
import { readPreviousVersion } from "./read-own.ts";
import { readRecovery } from "./read-recovery.ts";
import { simulatorSteps } from "./read-steps.ts";
import type { Reading } from "./reading.ts";
import { type ChainStep, readChainSteps } from "./reqmgr2-chain.ts";
import { CARRIED, LATER_TYPES, REQUEST_TYPES } from "./reqmgr2-fields.ts";
import { readReqMgr2Work } from "./reqmgr2-work.ts";
import { isRow, type Spot } from "./values.ts";

/**
 * A ReqMgr2 document, as it is. WMS2's own policy (recovery, production_steps, urgent, unit, retries, throttles,
 * adaptive, previous_version, cleanup_policy) may be added to it under our names.
 */
export function readReqMgr2(top: Form, reading: Reading): { spec: RequestSpec; files: readonly RequestFile[] } {
  const { notes, rules } = reading;
  const type = readType(top);
  const name = readName(top);
  const chain = type === "StepChain" ? readChainSteps(top) : [];
  top.knows("RequestType", "StepChain", "TimePerEvent", "SizePerEvent", "FirstEvent", "FirstLumi", ...CARRIED);
  const work = readReqMgr2Work(top, chain, reading);
  const steps: readonly Pick<ChainStep, "name" | "profile" | "kept">[] =
    type === "StepChain" ? chain : [{ name: "RECO", profile: "RECO", kept: true }];
  const options = simulatorOptions(top, work.generation?.filterEfficiency ?? 1, steps[0]?.profile ?? "GEN");
  notes.warn(
    "",
    "the steps run WMS2's simulator: the CMSSW configurations this document names are carried along, not run",
  );
  const outputs = steps.filter((step) => step.kept).map((step) => simulatorOutput(step.name, step.profile));
  const priority = top.integer(["RequestPriority", "Priority"], PRIORITY, 8000);
  const spec: RequestSpec = {
    name,
    requestor: top.text("Requestor", rules.requestor),
    requestorDn: top.text("RequestorDN", "") || null,
    group: top.text("Group", "DATAOPS"),
    campaign: top.text("Campaign", "", identity.CAMPAIGN, identity.CAMPAIGN_RULE),
    acquisitionEra:
      perStep(top, "AcquisitionEra", steps) ??
      top.text("AcquisitionEra", identity.IDENTITY_DEFAULTS.acquisitionEra, identity.ERA, identity.ERA_RULE),
    processingString:
      perStep(top, "ProcessingString", steps) ??
      top.text(
        "ProcessingString",
        identity.IDENTITY_DEFAULTS.processingString,
        identity.PROCESSING,
        identity.PROCESSING_RULE,
      ),
    processingVersion: top.integer("ProcessingVersion", { min: 1, max: 1_000_000 }, 1),
    priority,
    ...identity.readUrgency(top, priority),
    ...work,
    steps: simulatorSteps(
      steps.map((step) => [step.name, step.profile]),
      options,
      reading,
    ),
    outputs,
    sites: checkSites(top.list("SiteWhitelist"), top.list("SiteBlacklist"), notes),
    unit: readUnit(top),
    retries: readRetries(top),
    throttles: readThrottles(top),
    adaptive: top.flag("adaptive", false),
    recovery: readRecovery(top, reading),
    cleanupPolicy: top.choice("cleanup_policy", ["keep_until_replaced", "immediate_cleanup"], "keep_until_replaced"),
    previousVersion: readPreviousVersion(top, name),
    metadata: metadataOf(top),
  };
  const files = readAttachments(top, outputs, reading);
  for (const step of chain) closeLoosely(step.form);
  closeLoosely(top);
  return { spec, files };
}

function readType(top: Form): "StepChain" | "ReReco" {
  const spot = top.spot("RequestType");
  const known = REQUEST_TYPES.find((type) => type === spot?.value);
  if (known !== undefined) return known;
  if (spot !== null && LATER_TYPES.includes(String(spot.value)))
    top.notes.problem(spot.path, `${shown(spot.value)} comes later`, REQUEST_TYPES.join(", "));
  else if (spot !== null) top.choice("RequestType", REQUEST_TYPES, "ReReco");
  return top.spot("StepChain") === null ? "ReReco" : "StepChain";
}

/** From PayloadConfig.simulate; the filter of the generator step is simulated unless the options say how. */
function simulatorOptions(top: Form, filterEfficiency: number, profile: string): Spot {
  const payload = top.spot("PayloadConfig");
  const simulate = isRow(payload?.value) ? (payload.value.simulate ?? {}) : {};
  const path = `${top.pathOf("PayloadConfig")}.simulate`;
  if (!isRow(simulate) || filterEfficiency === 1) return { path, value: simulate };
  return { path, value: { filter: { [profile]: filterEfficiency }, ...simulate } };
}

/** ReqMgr2 makes RequestName from RequestString and the time; who submits to us directly has only the latter. */
function readName(top: Form): RequestName {
  const key = top.spot("RequestName") === null ? "RequestString" : "RequestName";
  top.knows("RequestName", "RequestString");
  if (top.spot(key) === null) top.missing("RequestName", NAME_RULE);
  return top.text(key, "", NAME_PATTERN, NAME_RULE) as RequestName;
}

/** A map per step is legal; outputs of one job share one name here, so the last step's value stands for all. */
function perStep(
  top: Form,
  key: "AcquisitionEra" | "ProcessingString",
  steps: readonly Pick<ChainStep, "name">[],
): string | null {
  const spot = top.spot(key);
  if (!isRow(spot?.value)) return null;
  const { name } = steps.at(-1) ?? { name: "" };
  const value = spot.value[name];
  const pattern = key === "AcquisitionEra" ? identity.ERA : identity.PROCESSING;
  const rule = key === "AcquisitionEra" ? identity.ERA_RULE : identity.PROCESSING_RULE;
  if (typeof value !== "string" || !pattern.test(value))
    top.notes.problem(spot.path, `needs a value for the last step, ${shown(name)}`, rule);
  else top.notes.warn(spot.path, `differs by step; ${value}, that of the last step, is used for all outputs`);
  return typeof value === "string" && pattern.test(value) ? value : identity.IDENTITY_DEFAULTS.processingString;
}

function metadataOf(top: Form): Readonly<Record<string, unknown>> {
  const { attachments: _, ...document } = top.row;
  const named = {
    cmssw_version: "CMSSWVersion",
    scram_arch: "ScramArch",
    global_tag: "GlobalTag",
    prep_id: "PrepID",
    request_type: "RequestType",
  };
  const found = Object.entries(named).filter(([, key]) => Object.hasOwn(top.row, key));
  for (const key of ["MCPileup", "DataPileup", "SecondaryInputDataset"]) {
    if (top.spot(key) !== null) top.notes.warn(top.pathOf(key), "is carried along, not read");
  }
  return {
    ...Object.fromEntries(found.map(([name, key]) => [name, carried(top.row[key])])),
    reqmgr2: carried(document),
  };
}

/** ReqMgr2 adds fields over the years: what looks like a slip of the pen is a problem, the rest is carried. */
function closeLoosely(form: Form): void {
  for (const key of form.unknownKeys()) {
    const near = form.nearestKnown(key);
    if (near !== null) form.notes.problem(form.pathOf(key), `is not a known key; did you mean ${near}?`);
    else form.notes.warn(form.pathOf(key), "is not known here; it is carried along, not read");
  }
}
