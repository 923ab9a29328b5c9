import { datasetName, type NamedRequest } from "../domain/output-names.ts";
import type { OutputSpec } from "../domain/request.ts";
import type { Form } from "../reading/form.ts";
import { shown } from "../reading/notes.ts";
import { isRow, Spot } from "../reading/values.ts";
import { ERA, type NamePart, PROCESSING } from "./name-parts.ts";
import { COUNT } from "./read-policy.ts";
import type { ChainStep } from "./reqmgr2-chain.ts";

export interface Naming {
  /** "": nobody says. */
  readonly primary: string;
  readonly era: string;
  readonly string: string;
  readonly version: number;
}

/** Era, string, version and primary dataset of a step's output: from the map by steps, from the step, or for all. */
export function readNaming(top: Form, step: Pick<ChainStep, "name" | "form">): Naming {
  const spotOf = (key: string): Spot | null => {
    const all = top.spot(key);
    if (!isRow(all?.value)) return (step.form === top ? null : step.form.spot(key)) ?? all;
    if (Object.hasOwn(all.value, step.name)) return all.child(step.name, all.value[step.name]);
    return step.form.spot(key) ?? all.problem(`has no value for the step ${shown(step.name)}`);
  };
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

/**
 * ReqMgr2 knows the tiers of the outputs, which no request says: where exactly one of its OutputDatasets goes with an
 * output but for the tier, the tier is taken over. What does not agree is a warning with both names.
 */
export function withTiers(outputs: readonly OutputSpec[], named: NamedRequest, top: Form): readonly OutputSpec[] {
  const given = top.spot("OutputDatasets")?.value;
  const known = (Array.isArray(given) ? given : []).filter((one): one is string => typeof one === "string");
  if (known.length === 0) return outputs;
  const free = new Set(known);
  const stem = (dataset: string): string => dataset.slice(0, dataset.lastIndexOf("/") + 1);
  const plain = (dataset: string): string => dataset.toUpperCase().replaceAll(/[-_]/g, "");
  const tiered = outputs.map((output) => {
    const ours = datasetName(named, output);
    const alike = [...free].filter((one) => stem(one) === stem(ours));
    const isOnly =
      alike.length === 1 && outputs.filter((one) => stem(datasetName(named, one)) === stem(ours)).length === 1;
    const theirs = alike.find((one) => plain(one) === plain(ours)) ?? (isOnly ? alike[0] : undefined);
    if (theirs === undefined) return output;
    free.delete(theirs);
    return { ...output, naming: { ...output.naming, tier: theirs.slice(stem(theirs).length) } };
  });
  const names = tiered.map((output) => datasetName(named, output));
  const strange = names.filter((name) => !known.includes(name));
  if (free.size > 0 || strange.length > 0)
    top.warn(
      "OutputDatasets",
      `ReqMgr2 has ${[...free].join(", ") || "no other"}, and here the outputs are called ${(strange.length ? strange : names).join(", ")}`,
    );
  return tiered;
}
