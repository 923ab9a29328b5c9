import { datasetName, type NamedRequest } from "../core/output-names.ts";
import type { OutputSpec } from "../core/request.ts";
import { ERA, type NamePart, PROCESSING } from "./name-parts.ts";
import { COUNT } from "./read-policy.ts";
import type { Form } from "./reading/form.ts";
import { Spot } from "./reading/values.ts";
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
  return withDatasets(outputs, kept, named, top, payload);
}

const DATASET = /^\/([^/]+)\/([^/]+)\/([A-Z0-9-]{1,99})$/;
const FILTER = /^[A-Za-z0-9_]+$/;

/** An entry of OutputDatasets, and the outputs whose names it has: era, string, version, and perhaps a filter. */
interface Listed {
  readonly dataset: string;
  readonly tier: string;
  readonly fits: readonly { readonly output: StepOutput; readonly filter: string | null }[];
}

/**
 * ReqMgr2 knows the tiers and filters of the outputs, which no request says. Every entry of its OutputDatasets is made by a
 * step, or the document is refused: what people wait for is never left out.
 */
function withDatasets(
  outputs: readonly StepOutput[],
  steps: readonly ChainStep[],
  named: NamedRequest,
  top: Form,
  payload: Payload,
): readonly StepOutput[] {
  const given = top.spot("OutputDatasets")?.list(1000, true) ?? [];
  const made = new Map<StepOutput, { dataset: string; tier: string; filter: string | null }[]>();
  for (const spot of distinctSpots(given)) {
    const listed = fitting(spot.value, outputs, named);
    if (!listed) {
      spot.mustBe("a dataset", "/Primary/Era-String-vN/TIER");
      continue;
    }
    const { dataset, tier, fits } = listed;
    const chosen = choose(listed, steps);
    if (chosen) made.set(chosen.output, [...(made.get(chosen.output) ?? []), { dataset, tier, filter: chosen.filter }]);
    else if (fits.length > 0) spot.problem(`may be made by any of the steps ${namesOf(fits)}; ${HOW_TO_TELL}`);
    else {
      const ours = [...new Set(outputs.map(({ output }) => stemOf(datasetName(named, output))))].join(", ");
      spot.problem(`${dataset} would not be made: the outputs here are called ${ours}TIER`, HOW_TO_AGREE);
    }
  }
  const strange = given.length === 0 ? [] : outputs.filter((output) => !made.has(output));
  if (strange.length > 0)
    top.warn(
      "OutputDatasets",
      `does not name ${strange.map(({ output }) => datasetName(named, output)).join(", ")}, made too`,
    );
  return outputs.flatMap(
    (one) => made.get(one)?.map((listed, _, all) => withDataset(one, listed, all.length, payload)) ?? [one],
  );
}

const HOW_TO_TELL = "give each an AcquisitionEra or ProcessingString of its own";
const HOW_TO_AGREE =
  "AcquisitionEra, ProcessingString, ProcessingVersion and PrimaryDataset that agree with it, or no OutputDatasets";

const distinctSpots = (spots: readonly Spot[]): readonly Spot[] => [
  ...new Map(spots.map((spot) => [spot.value, spot])).values(),
];
const namesOf = (fits: Listed["fits"]): string => fits.map(({ output }) => output.step).join(", ");
const stemOf = (dataset: string): string => dataset.slice(0, dataset.lastIndexOf("/") + 1);

/** null: it is no dataset's name. */
function fitting(value: unknown, outputs: readonly StepOutput[], named: NamedRequest): Listed | null {
  const parts = typeof value === "string" ? DATASET.exec(value) : null;
  if (!parts) return null;
  const [dataset, primary, processed = "", tier = ""] = parts;
  const fits = outputs.flatMap((output): Listed["fits"] => {
    const [, ours, own = ""] = datasetName(named, output.output).split("/");
    if (ours !== primary) return [];
    if (processed === own) return [{ output, filter: null }];
    const [era, ...rest] = own.split("-");
    const end = `-${rest.join("-")}`;
    const filter = processed.slice(`${era}-`.length, -end.length);
    return processed === `${era}-${filter}${end}` && FILTER.test(filter) ? [{ output, filter }] : [];
  });
  return { dataset, tier, fits };
}

/** Of steps that call their outputs alike: the one that is called after the tier, else the only one that makes such. */
function choose({ tier, fits }: Listed, steps: readonly ChainStep[]): Listed["fits"][number] | null {
  const plain = (name: string): string => name.toUpperCase().replaceAll(/[-_]/g, "");
  const profileOf = (step: string) => steps.find(({ name }) => name === step)?.profile;
  const like = PROFILE_OF_TIER.find(([pattern]) => pattern.test(tier))?.[1];
  const ways = [
    fits,
    fits.filter(({ output }) => plain(output.step) === plain(tier)),
    fits.filter(({ output }) => profileOf(output.step) === like),
  ];
  return ways.find((found) => found.length === 1)?.[0] ?? null;
}

/** What kind of step makes a tier, where several could; the later ones of a chain first. */
const PROFILE_OF_TIER: readonly (readonly [RegExp, string])[] = [
  [/NANO/, "NANO"],
  [/MINI/, "MINI"],
  [/AOD|RECO|DQM/, "RECO"],
  [/RAW|DIGI|PREMIX/, "DIGI"],
  [/SIM/, "SIM"],
  [/GEN|LHE/, "GEN"],
];

/** A step with several outputs has several files, each called after its dataset. */
function withDataset(
  { step, output }: StepOutput,
  { tier, filter }: { readonly tier: string; readonly filter: string | null },
  of: number,
  payload: Payload,
): StepOutput {
  const naming = { ...output.naming, ...(filter !== null && { filter }), tier };
  if (of === 1) return { step, output: { ...output, naming } };
  const name = [output.name, tier.toLowerCase(), ...(filter === null ? [] : [filter])].join("_");
  return { step, output: { ...output, ...payload.output(name, name), name, naming } };
}
