import { NAME_PATTERN, NAME_RULE, type RequestName } from "../domain/names.ts";
import type { RequestFile, RequestSpec } from "../domain/request.ts";
import type { Form } from "./form.ts";
import { CAMPAIGN, ERA, type NamePart, PROCESSING, readNamePart } from "./name-parts.ts";
import { shown } from "./notes.ts";
import { carried } from "./plain-data.ts";
import { readAttachments } from "./read-attachments.ts";
import { simulatorOutput } from "./read-outputs.ts";
import { COUNT, checkSites, PRIORITY, readPolicy } from "./read-policy.ts";
import { simulatorSteps } from "./read-steps.ts";
import { type ChainStep, readChainSteps } from "./reqmgr2-chain.ts";
import { CARRIED, LATER_TYPES, REQUEST_TYPES } from "./reqmgr2-fields.ts";
import { readReqMgr2Work } from "./reqmgr2-work.ts";
import { isRow, Spot } from "./values.ts";

/**
 * A ReqMgr2 document, as it is. WMS2's own policy (recovery, production_steps, urgent, unit, retries, throttles,
 * adaptive, previous_version, cleanup_policy) may be added to it under our names.
 */
export function readReqMgr2(top: Form): { spec: RequestSpec; files: readonly RequestFile[] } {
  const type = readType(top);
  const name = readName(top);
  const chain = type === "StepChain" ? readChainSteps(top) : [];
  top.knows("RequestType", "StepChain", "TimePerEvent", "SizePerEvent", "FirstEvent", "FirstLumi", ...CARRIED);
  const work = readReqMgr2Work(top, chain);
  const steps: readonly Pick<ChainStep, "name" | "profile" | "kept">[] =
    type === "StepChain" ? chain : [{ name: "RECO", profile: "RECO", kept: true }];
  const options = simulatorOptions(top, work.generation?.filterEfficiency ?? 1, steps[0]?.profile ?? "GEN");
  top.notes.warn(
    "",
    "the steps run WMS2's simulator: the CMSSW configurations this document names are carried along, not run",
  );
  const outputs = steps.filter((step) => step.kept).map((step) => simulatorOutput(step.name, step.profile));
  const identity = {
    requestor: top.text("Requestor", top.notes.rules.requestor),
    requestorDn: top.text("RequestorDN", "") || null,
    group: top.text("Group", "DATAOPS"),
    campaign: readNamePart(top, "Campaign", CAMPAIGN),
    processingVersion: top.integer("ProcessingVersion", COUNT, 1),
    priority: top.integer(["RequestPriority", "Priority"], PRIORITY, 8000),
  };
  const last = steps.at(-1)?.name ?? "";
  const spec: RequestSpec = {
    name,
    ...identity,
    acquisitionEra: readPartOfStep(top, "AcquisitionEra", ERA, last),
    processingString: readPartOfStep(top, "ProcessingString", PROCESSING, last),
    ...work,
    steps: simulatorSteps(steps, options),
    outputs,
    sites: checkSites(top.list("SiteWhitelist"), top.list("SiteBlacklist")),
    ...readPolicy(top, name, identity.priority),
    metadata: metadataOf(top),
  };
  const files = readAttachments(top, outputs);
  for (const step of chain) closeLoosely(step.form);
  closeLoosely(top);
  return { spec, files };
}

function readType(top: Form): "StepChain" | "ReReco" {
  const fallback = top.spot("StepChain") === null ? "ReReco" : "StepChain";
  return top.choice("RequestType", REQUEST_TYPES, fallback, LATER_TYPES);
}

/** From PayloadConfig.simulate; the filter of the generator step is simulated unless the options say how. */
function simulatorOptions(top: Form, filterEfficiency: number, profile: string): Spot {
  const payload = top.spot("PayloadConfig");
  const given = isRow(payload?.value) ? (payload.value.simulate ?? {}) : {};
  const isFiltered = isRow(given) && filterEfficiency !== 1;
  const options = isFiltered ? { filter: { [profile]: filterEfficiency }, ...given } : given;
  return new Spot(`${top.pathOf("PayloadConfig")}.simulate`, options, top.notes);
}

/** ReqMgr2 makes RequestName from RequestString and the time; who submits to us directly has only the latter. */
function readName(top: Form): RequestName {
  top.knows("RequestName", "RequestString");
  const spot = top.spot("RequestName") ?? top.spot("RequestString");
  if (spot === null) top.missing("RequestName", NAME_RULE);
  return (spot?.text(NAME_PATTERN, NAME_RULE) ?? "") as RequestName;
}

/** A map per step is legal; outputs of one job share one name here, so the last step's value stands for all. */
function readPartOfStep(top: Form, key: string, part: NamePart, last: string): string {
  const spot = top.spot(key);
  if (!isRow(spot?.value)) return readNamePart(top, key, part);
  const value = spot.value[last];
  if (typeof value !== "string" || !part.pattern.test(value))
    return spot.problem(`needs a value for the last step, ${shown(last)}`, part.rule) ?? part.fallback;
  top.notes.warn(spot.path, `differs by step; ${value}, that of the last step, is used for all outputs`);
  return value;
}

const METADATA = {
  cmssw_version: "CMSSWVersion",
  scram_arch: "ScramArch",
  global_tag: "GlobalTag",
  prep_id: "PrepID",
  request_type: "RequestType",
};

function metadataOf(top: Form): Readonly<Record<string, unknown>> {
  const { attachments: _, ...document } = top.row;
  for (const key of ["MCPileup", "DataPileup", "SecondaryInputDataset"]) {
    if (top.spot(key) !== null) top.warn(key, "is carried along, not read");
  }
  const found = Object.entries(METADATA).filter(([, key]) => Object.hasOwn(top.row, key));
  return {
    ...Object.fromEntries(found.map(([name, key]) => [name, carried(top.row[key])])),
    reqmgr2: carried(document),
  };
}

/** ReqMgr2 adds fields over the years: what looks like a slip of the pen is a problem, the rest is carried. */
function closeLoosely(form: Form): void {
  for (const key of form.unknownKeys()) {
    const near = form.nearestKnown(key);
    if (near !== null) form.problem(key, `is not a known key; did you mean ${near}?`);
    else form.warn(key, "is not known here; it is carried along, not read");
  }
}
