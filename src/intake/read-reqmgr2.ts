import { NAME_PATTERN, NAME_RULE, type RequestName } from "../domain/names.ts";
import type { NamedRequest } from "../domain/output-names.ts";
import type { OutputSpec, RequestFile, RequestSpec } from "../domain/request.ts";
import type { IntakeRules } from "../domain/submission.ts";
import { type Kinds, kindOf } from "../kinds/kind.ts";
import type { Form } from "../reading/form.ts";
import { carried } from "../reading/plain-data.ts";
import { isRow, keysIn, Spot } from "../reading/values.ts";
import { checkSize } from "./check-size.ts";
import { CAMPAIGN, readNamePart } from "./name-parts.ts";
import { readAttachments } from "./read-attachments.ts";
import { simulatorOutput } from "./read-outputs.ts";
import { checkSites, PRIORITY, readPolicy } from "./read-policy.ts";
import { simulatorSteps } from "./read-steps.ts";
import { type ChainStep, readChainSteps } from "./reqmgr2-chain.ts";
import { CARRIED, LATER_TYPES, NAME_PARTS, REQUEST_TYPES, SERVER_KEYS } from "./reqmgr2-fields.ts";
import { type Naming, readNaming, withTiers } from "./reqmgr2-names.ts";
import { refuseReqMgr2 } from "./reqmgr2-refused.ts";
import { readReqMgr2Work } from "./reqmgr2-work.ts";

/**
 * A ReqMgr2 document, as it is. WMS2's own policy (recovery, production_steps, urgent, unit, retries, throttles,
 * adaptive, previous_version, cleanup_policy) may be added to it under our names.
 */
export function readReqMgr2(
  top: Form,
  rules: IntakeRules,
  kinds: Kinds,
): { spec: RequestSpec; files: readonly RequestFile[] } {
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
  const options = simulatorOptions(
    top,
    "filterEfficiency" in work ? work.filterEfficiency : 1,
    steps[0]?.profile ?? "GEN",
  );
  top.notes.warn(
    "",
    "the steps run WMS2's simulator: the CMSSW configurations this document names are carried along, not run",
  );
  const identity = {
    requestor: top.text("Requestor", rules.requestor),
    requestorDn: top.text("RequestorDN", "") || null,
    group: top.text("Group", "DATAOPS"),
    campaign: readNamePart(top, "Campaign", CAMPAIGN),
    priority: top.integer(["RequestPriority", "Priority"], PRIORITY, 8000),
  };
  const named = { name, work, ...namesOf(readNaming(top, steps.at(-1) ?? { name: "", form: top })) };
  const outputs = withTiers(readOutputs(top, steps, named), named, top);
  const spec: RequestSpec = {
    ...identity,
    ...named,
    resources,
    steps: simulatorSteps(steps, options),
    outputs,
    sites: checkSites(top.list("SiteWhitelist"), top.list("SiteBlacklist"), top.flag("TrustSitelists", false)),
    ...readPolicy(top, name, identity.priority),
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

const READ_ELSEWHERE = keysIn("RequestType StepChain TimePerEvent SizePerEvent FirstEvent FirstLumi");

function readType(top: Form): "StepChain" | "ReReco" {
  const fallback = top.spot("StepChain") === null ? "ReReco" : "StepChain";
  return top.choice("RequestType", REQUEST_TYPES, fallback, LATER_TYPES);
}

const namesOf = ({ era, string, version }: Naming) => ({
  acquisitionEra: era,
  processingString: string,
  processingVersion: version,
});

/** Each kept step has an output, called after the last step's names unless its own differ. */
function readOutputs(top: Form, steps: readonly ChainStep[], named: NamedRequest): OutputSpec[] {
  const first = steps[0] ? readNaming(top, steps[0]).primary : "";
  return steps
    .filter((step) => step.kept)
    .map((step) => {
      const { primary, era, string, version } = readNaming(top, step);
      const naming = {
        ...((primary || first) && { primary: primary || first }),
        ...(era !== named.acquisitionEra && { era }),
        ...(string !== named.processingString && { string }),
        ...(version !== named.processingVersion && { versionOffset: version - named.processingVersion }),
      };
      return { ...simulatorOutput(step.name, step.profile), ...(Object.keys(naming).length > 0 && { naming }) };
    });
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
function closeLoosely(form: Form, isServed: boolean): void {
  for (const key of form.unknownKeys()) {
    const near = isServed ? null : form.nearestKnown(key);
    if (near !== null) form.problem(key, `is not a known key; did you mean ${near}?`);
    else form.warn(key, "is not known here; it is carried along, not read");
  }
}
