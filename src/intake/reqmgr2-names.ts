import { datasetName, type NamedRequest } from "../domain/output-names.ts";
import type { OutputSpec } from "../domain/request.ts";
import type { Form } from "../reading/form.ts";
import { Spot } from "../reading/values.ts";
import { ERA, type NamePart, PROCESSING } from "./name-parts.ts";
import { COUNT } from "./read-policy.ts";
import { type ChainStep, spotFor } from "./reqmgr2-chain.ts";
import type { Payload } from "./reqmgr2-payload.ts";

export interface Naming {
  /** "": nobody says. */
  readonly primary: string;
  readonly era: string;
  readonly string: string;
  readonly version: number;
}

/** Era, string, version and primary dataset of a step's output: from the map by steps, from the step, or for all. */
export function readNaming(top: Form, step: Pick<ChainStep, "name" | "form">): Naming {
  const spotOf = (key: string) => spotFor(top, step, key);
  const text = (key: string, { pattern, rule, fallback }: NamePart): string => {
    const spot = spotOf(key);
    const value = typeof spot?.value === "number" ? String(spot.value) : spot?.value;
    return spot === null ? fallback : (new Spot(spot.path, value, spot.notes).text(pattern, rule) ?? fallback);
  };
  const version = spotOf("ProcessingVersion")?.number(COUNT, true) ?? 1;
  return {
    primary: spotOf("PrimaryDataset")?.text(PRIMARY, PRIMARY_RULE) ?? "",
    era: text("AcquisitionEra", ERA),
    string: text("ProcessingString", PROCESSING),
    version: Math.max(1, Math.trunc(version)),
  };
}

const PRIMARY = /^[A-Za-z][A-Za-z0-9_-]{0,98}$/;
const PRIMARY_RULE = "a letter, then letters, digits, '-', '_'; at most 99 characters";

/** An output and the step that makes it. */
export interface StepOutput {
  readonly step: string;
  readonly output: OutputSpec;
}

/** Each kept step has an output, called after the last step's names unless its own differ. */
export function readStepOutputs(
  top: Form,
  steps: readonly ChainStep[],
  named: NamedRequest,
  payload: Payload,
): readonly StepOutput[] {
  const first = steps[0] ? readNaming(top, steps[0]).primary : "";
  const kept = steps.filter((step) => step.kept);
  const outputs = kept.map((step) => {
    const { primary, era, string, version } = readNaming(top, step);
    const naming = {
      ...((primary || first) && { primary: primary || first }),
      ...(era !== named.acquisitionEra && { era }),
      ...(string !== named.processingString && { string }),
      ...(version !== named.processingVersion && { versionOffset: version - named.processingVersion }),
    };
    const output = payload.output(step.name.toLowerCase(), step.profile);
    return { step: step.name, output: { ...output, ...(Object.keys(naming).length > 0 && { naming }) } };
  });
  return withTiers(outputs, named, top, payload);
}

/**
 * ReqMgr2 knows the tiers of the outputs, which no request says: those of its OutputDatasets that go with an output but
 * for the tier are what that step makes. What does not agree is a warning with both names.
 */
function withTiers(
  outputs: readonly StepOutput[],
  named: NamedRequest,
  top: Form,
  payload: Payload,
): readonly StepOutput[] {
  const given = top.spot("OutputDatasets")?.value;
  const known = (Array.isArray(given) ? given : []).filter((one): one is string => typeof one === "string");
  if (known.length === 0) return outputs;
  const free = new Set(known);
  const stem = (dataset: string): string => dataset.slice(0, dataset.lastIndexOf("/") + 1);
  const plain = (dataset: string): string => dataset.toUpperCase().replaceAll(/[-_]/g, "");
  const stems = outputs.map(({ output }) => stem(datasetName(named, output)));
  const tiered = outputs.flatMap(({ step, output }) => {
    const ours = datasetName(named, output);
    const alike = [...free].filter((one) => stem(one) === stem(ours));
    const same = alike.find((one) => plain(one) === plain(ours));
    const isAlone = stems.filter((one) => one === stem(ours)).length === 1;
    const theirs = isAlone && (alike.length === 1 || payload.manyOutputs) ? alike : same ? [same] : [];
    if (theirs.length === 0) return [{ step, output }];
    return theirs.map((dataset) => {
      free.delete(dataset);
      const tier = dataset.slice(stem(dataset).length);
      const name = theirs.length === 1 ? output.name : `${output.name}_${tier.toLowerCase()}`;
      const { file, merge } = theirs.length === 1 ? output : payload.output(name, step);
      return { step, output: { ...output, name, file, merge, naming: { ...output.naming, tier } } };
    });
  });
  const names = tiered.map(({ output }) => datasetName(named, output));
  const strange = names.filter((name) => !known.includes(name));
  if (free.size > 0 || strange.length > 0)
    top.warn(
      "OutputDatasets",
      `ReqMgr2 has ${[...free].join(", ") || "no other"}, and here the outputs are called ${(strange.length ? strange : names).join(", ")}`,
    );
  return tiered;
}
