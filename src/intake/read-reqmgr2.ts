import { NAME_PATTERN, NAME_RULE, type RequestName } from "../core/names.ts";
import type { RequestFile, RequestSpec, ResourceSpec } from "../core/request.ts";
import type { IntakeRules } from "../core/submission.ts";
import { type Kinds, kindOf } from "../kinds/kind.ts";
import { checkSize } from "./check-size.ts";
import { CAMPAIGN, readNamePart } from "./name-parts.ts";
import { readAttachments } from "./read-attachments.ts";
import { COUNT, checkSites, PRIORITY, readPolicy, type UnitSizes, USUAL_SIZES } from "./read-policy.ts";
import type { Form } from "./reading/form.ts";
import { carried } from "./reading/plain-data.ts";
import { isRow, keysIn } from "./reading/values.ts";
import { type ChainStep, readChainSteps } from "./reqmgr2-chain.ts";
import { readCms } from "./reqmgr2-cms.ts";
import { CARRIED, NAME_PARTS, REQUEST_TYPES, SERVER_KEYS } from "./reqmgr2-fields.ts";
import { type Naming, readNaming, readStepOutputs } from "./reqmgr2-names.ts";
import { PAYLOADS } from "./reqmgr2-payload.ts";
import { refuseAltogether, refuseReqMgr2 } from "./reqmgr2-refused.ts";
import { readReqMgr2Work } from "./reqmgr2-work.ts";

/**
 * A ReqMgr2 document, as it is. WMS2's own policy (recovery, production_steps, urgent, unit, retries, throttles,
 * adaptive, previous_version, cleanup_policy) may be added to it under our names.
 */
export function readReqMgr2(
  top: Form,
  rules: IntakeRules,
  kinds: Kinds,
): { spec: RequestSpec; files: readonly RequestFile[] } | null {
  if (refuseAltogether(top)) return null;
  const type = readType(top);
  const splitting = top.spot("changeSplitting");
  if (isRow(splitting?.value) && Object.keys(splitting.value).length > 0)
    splitting.problem("is not applied; write SplittingAlgo and its numbers into the first step instead");
  const name = readName(top);
  const chain = type === "StepChain" ? readChainSteps(top) : [];
  top.knows(...READ_ELSEWHERE, ...CARRIED, ...NAME_PARTS);
  const { work, resources } = readReqMgr2Work(top, chain, rules);
  refuseReqMgr2(
    top,
    chain.map((step) => step.form),
  );
  const steps: readonly ChainStep[] =
    type === "StepChain" ? chain : [{ name: "RECO", profile: "RECO", kept: true, form: top }];
  const identity = {
    requestor: top.text("Requestor", rules.requestor),
    requestorDn: top.text("RequestorDN", "") || null,
    group: top.text("Group", "DATAOPS"),
    campaign: readNamePart(top, "Campaign", CAMPAIGN),
    priority: top.integer(["RequestPriority", "Priority"], PRIORITY, 8000),
  };
  const named = { name, work, ...namesOf(readNaming(top, steps.at(-1) ?? { name: "", form: top })) };
  const payload = PAYLOADS[rules.cmsPayload];
  const made = readStepOutputs(top, steps, named, payload);
  const cms = readCms(top, steps, made, named, rules);
  const outputs = made.map(({ output }) => ({ ...output, lfnBase: cms.mergedLfnBase }));
  const spec: RequestSpec = {
    ...identity,
    ...named,
    resources,
    steps: payload.steps(top, steps, "filterEfficiency" in work ? work.filterEfficiency : 1, made),
    outputs,
    sites: checkSites(top.list("SiteWhitelist"), top.list("SiteBlacklist"), top.flag("TrustSitelists", false)),
    ...readPolicy(top, name, identity.priority, { usual: readUnitSizes(top, resources) }),
    cms,
    metadata: metadataOf(top),
  };
  const extent = kindOf(kinds, work).extent(work);
  const path = (chain[0]?.form ?? top).pathOf("RequestNumEvents");
  if (extent) checkSize({ ...extent, path }, resources, top.notes, rules);
  const files = readAttachments(top, outputs, rules);
  const isServed = SERVER_KEYS.some((key) => Object.hasOwn(top.row, key));
  for (const form of [...chain.map((step) => step.form), top]) closeLoosely(form, isServed);
  return { spec, files };
}

const READ_ELSEWHERE = keysIn("RequestType StepChain FirstEvent FirstLumi");

function readType(top: Form): "StepChain" | "ReReco" {
  const fallback = top.spot("StepChain") === null ? "ReReco" : "StepChain";
  return top.choice("RequestType", REQUEST_TYPES, fallback);
}

const namesOf = ({ era, string, version }: Naming) => ({
  acquisitionEra: era,
  processingString: string,
  processingVersion: version,
});

const BYTES = { min: 1, max: 1e15 };

/** A unit makes one merged file of each output, so what ReqMgr2 says of files and blocks is said of units. */
function readUnitSizes(top: Form, { kbPerEvent }: ResourceSpec): UnitSizes {
  const perEvent = (kbPerEvent ?? 0) * 1000;
  const least = top.integer("MinMergeSize", BYTES, 2 * 2 ** 30);
  const most = top.integer("MaxMergeSize", BYTES, null);
  if (most !== null && least > most) top.problem("MinMergeSize", `is above MaxMergeSize (${least} and ${most} bytes)`);
  const capped = (bytes: number, events: number | null) =>
    Math.max(1, events === null || perEvent === 0 ? bytes : Math.min(bytes, Math.floor(events * perEvent)));
  return {
    targetMergedBytes: capped(most ?? USUAL_SIZES.targetMergedBytes, top.integer("MaxMergeEvents", BYTES, null)),
    blockTargetBytes: capped(
      top.integer("BlockCloseMaxSize", BYTES, USUAL_SIZES.blockTargetBytes),
      top.integer("BlockCloseMaxEvents", BYTES, null),
    ),
    maxUnitsPerBlock: top.integer("BlockCloseMaxFiles", COUNT, USUAL_SIZES.maxUnitsPerBlock),
  };
}

/** ReqMgr2 makes RequestName from RequestString and the time; who submits to us directly has only the latter. */
function readName(top: Form): RequestName {
  top.knows("RequestName", "RequestString");
  const spot = top.spot("RequestName") ?? top.spot("RequestString");
  if (spot === null) top.missing("RequestName", NAME_RULE);
  return (spot?.text(NAME_PATTERN, NAME_RULE) ?? "") as RequestName;
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
  const found = Object.entries(METADATA).filter(([, key]) => Object.hasOwn(top.row, key));
  return {
    ...Object.fromEntries(found.map(([name, key]) => [name, carried(top.row[key])])),
    reqmgr2: carried(document),
  };
}

/** ReqMgr2 adds fields over the years: what looks like a slip of the pen is a problem, the rest is carried. */
function closeLoosely(form: Form, isServed: boolean): void {
  for (const key of form.unknownKeys()) {
    const near = isServed ? null : form.nearestKnown(key);
    if (near !== null) form.problem(key, `is not a known key; did you mean ${near}?`);
    else form.warn(key, "is not known here; it is carried along, not read");
  }
}
