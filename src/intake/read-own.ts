import { NAME_PATTERN, NAME_RULE, type RequestName } from "../core/names.ts";
import type { RequestFile, RequestSpec } from "../core/request.ts";
import type { IntakeRules } from "../core/submission.ts";
import { type Kind, type Kinds, kindOf } from "../kinds/kind.ts";
import { checkSize } from "./check-size.ts";
import { CAMPAIGN, ERA, PROCESSING, readNamePart } from "./name-parts.ts";
import { readAttachments } from "./read-attachments.ts";
import { readCmssw } from "./read-cmssw.ts";
import { readOutputs } from "./read-outputs.ts";
import { COUNT, PRIORITY, readPolicy, readSites } from "./read-policy.ts";
import { readResources } from "./read-resources.ts";
import { readSteps } from "./read-steps.ts";
import type { Form } from "./reading/form.ts";
import { carried } from "./reading/plain-data.ts";
import { isRow, keysIn } from "./reading/values.ts";
import { OWN_NAME_OF } from "./reqmgr2-fields.ts";

/** Our own form, with the names of the API as synonyms. */
export function readOwn(
  top: Form,
  rules: IntakeRules,
  kinds: Kinds,
): { spec: RequestSpec; files: readonly RequestFile[] } {
  const name = (top.needed(["name", "request_name"], NAME_RULE)?.text(NAME_PATTERN, NAME_RULE) ?? "") as RequestName;
  const identity = {
    requestor: top.text("requestor", rules.requestor),
    requestorDn: top.text("requestor_dn", "") || null,
    group: top.text("group", "users"),
    campaign: readNamePart(top, "campaign", CAMPAIGN),
    processingVersion: top.integer("processing_version", COUNT, 1),
    priority: top.integer("priority", PRIORITY, 100_000),
  };
  const kind = readKind(top, kinds);
  const work = kind.read(top, rules);
  const resources = readResources(top, rules);
  const { steps, outputs, ...cms } =
    kind.commands === "own"
      ? refuseSteps(top, kind)
      : top.spot("payload")?.value === "cmssw"
        ? readCmssw(top, work, resources, rules)
        : readCommands(top, kind.simulatorChain);
  const spec: RequestSpec = {
    name,
    work,
    ...identity,
    acquisitionEra: readNamePart(top, "acquisition_era", ERA),
    processingString: readNamePart(top, "processing_string", PROCESSING),
    steps,
    outputs,
    resources,
    ...cms,
    sites: readSites(top),
    ...readPolicy(top, name, identity.priority, { role: kind.commands === "own" ? "job" : "processing" }),
    metadata: readMetadata(top),
  };
  const extent = kind.extent(work);
  if (extent) checkSize(extent, spec.resources, top.notes, rules);
  const files = readAttachments(top, outputs, rules);
  // Who submits a name and not a document never comes here, unless it is a draft or a correction.
  top.spot("source")?.problem("is for imports by name, from reqmgr2; here write the document itself", "reqmgr2");
  top.close(OWN_NAME_OF);
  return { spec, files };
}

function readCommands(top: Form, usualChain: readonly string[]): Pick<RequestSpec, "steps" | "outputs"> {
  const read = readSteps(top, usualChain);
  return { steps: read.steps, outputs: readOutputs(top, read) };
}

/** Where every job has its own command, nothing says what all of them run and leave. */
function refuseSteps(top: Form, { name }: Kind): Pick<RequestSpec, "steps" | "outputs"> {
  for (const key of ["payload", "steps", "chain", "simulate", "outputs", "split", "adaptive", "unit"])
    top.spot(key)?.problem(`has no meaning in kind: ${name}, where each job has a command of its own`);
  return { steps: [], outputs: [] };
}

/** Without `kind`: the first that has its main key there. Keys of other kinds are contradictions, not unknown words. */
function readKind(top: Form, kinds: Kinds): Kind {
  const all = [...kinds.values()];
  const has = (key: string): boolean => top.spot(key) !== null;
  const usual = all.find(({ mainKeys }) => mainKeys.some(has)) ?? all[0]!;
  const names = all.map(({ name }) => name);
  const chosen = kindOf(kinds, { kind: top.choice("kind", names, usual.name, [], "is not a known kind") });
  for (const { name, keys } of all)
    for (const key of keys)
      if (!chosen.keys.includes(key))
        top.spot(key)?.problem(`belongs to kind: ${name}, and this is kind: ${chosen.name}`);
  return chosen;
}

const CARRIED_TEXTS = keysIn("description cmssw_version scram_arch global_tag prep_id secondary_input_dataset");
const CARRIED_DATA = ["output_datasets", "payload_config"] as const;

/** Carried for others under the names they were given; `metadata: {…}` holds whatever else one likes to keep. */
function readMetadata(top: Form): Readonly<Record<string, unknown>> {
  const metadata = { ...(carried(top.section("metadata").row) as Record<string, unknown>) };
  const carry = (key: string, what: string, isGood: (value: unknown) => boolean): void => {
    const spot = top.spot(key);
    if (spot === null) return;
    if (isGood(spot.value)) metadata[key] = carried(spot.value);
    else spot.mustBe(what);
  };
  const isText = (value: unknown): boolean => typeof value === "string";
  for (const key of CARRIED_TEXTS)
    carry(key, "text", (value) => isText(value) || (Array.isArray(value) && value.every(isText)));
  for (const key of CARRIED_DATA) carry(key, "a map or a list", (value) => isRow(value) || Array.isArray(value));
  return metadata;
}
