import type { CmsSpec, CmsStep } from "../core/cms.ts";
import { datasetName, type NamedRequest } from "../core/output-names.ts";
import type { IntakeRules } from "../core/submission.ts";
import type { SecondaryInput } from "../core/work.ts";
import { DATASET_NAME } from "../kinds/process/read-input.ts";
import { CMSSW_RULES } from "./cmssw-rules.ts";
import { POSITIVE } from "./read-resources.ts";
import type { Form } from "./reading/form.ts";
import { distinct, type Spot } from "./reading/values.ts";
import { type ChainStep, spotFor } from "./reqmgr2-chain.ts";
import type { StepOutput } from "./reqmgr2-names.ts";

const WORDS = {
  CMSSWVersion: CMSSW_RULES.release,
  GlobalTag: CMSSW_RULES.globalTag,
  ConfigCacheID: CMSSW_RULES.configCacheId,
} as const;
const MODULE = /^[A-Za-z][A-Za-z0-9_]{0,99}$/;
const ARCH = /^[A-Za-z0-9_]{1,50}$/;
const LFN_BASE = /^\/store(\/[a-z0-9]{1,30}){1,4}$/;
const LFN_RULE = "/store/mc, /store/data, /store/backfill/1 or the like";
const PILEUP_KEYS = ["MCPileup", "DataPileup"] as const;
/** Tiers of data that was made, not taken. */
const SIMULATED = /SIM|GEN|LHE/;

/** What every step reads beside its input. */
export function readSecondary(
  top: Form,
  steps: readonly Pick<ChainStep, "name" | "form">[],
): readonly SecondaryInput[] {
  const anywhere = top.flag("TrustPUSitelists", false);
  const named = steps.flatMap((step) => PILEUP_KEYS.map((key) => readPileup(spotFor(top, step, key))));
  const all = [...named, readPileup(top.spot("SecondaryInputDataset"))];
  return [...new Set(all.filter((dataset) => dataset !== null))].map((dataset) => ({ dataset, anywhere }));
}

function readPileup(spot: Spot | null): string | null {
  const [only, ...more] = Array.isArray(spot?.value) ? (spot.value as unknown[]) : [spot?.value];
  if (spot === null || only === undefined || only === "") return null;
  if (more.length > 0) return spot.problem("names several datasets; a step mixes in one");
  return (only === spot.value ? spot : spot.child(0, only)).text(DATASET_NAME, "/Primary/Processed/TIER");
}

/** What the payload, the names and the registration of outputs go by. */
export function readCms(
  top: Form,
  steps: readonly ChainStep[],
  outputs: readonly StepOutput[],
  named: NamedRequest,
  rules: IntakeRules,
): CmsSpec {
  const { input } = named.work;
  const tier = input?.from === "dataset" ? (input.dataset.split("/").at(-1) ?? "") : "GEN";
  const given = top.text("MergedLFNBase", "", LFN_BASE, LFN_RULE);
  const isMc = SIMULATED.test(tier) || given.startsWith("/store/mc");
  const cmsSteps = steps.map((step) => readStep(top, step, rules.cmsPayload === "cmssw"));
  return {
    requestType: steps.some(({ form }) => form === top) ? "ReReco" : "StepChain",
    prepId: top.text("PrepID", "") || null,
    primaryType: isMc ? "mc" : "data",
    accessType: top.choice("ValidStatus", ["PRODUCTION", "VALID"] as const, "PRODUCTION"),
    mergedLfnBase: given || (isMc ? "/store/mc" : "/store/data"),
    unmergedLfnBase: top.text("UnmergedLFNBase", "/store/unmerged", LFN_BASE, LFN_RULE),
    deterministicPileup: top.flag("DeterministicPileup", false),
    steps: cmsSteps,
    outputs: outputs.map(({ step, output }) => ({
      name: output.name,
      step,
      module: moduleOf(step, outputs, cmsSteps),
      tier: datasetName(named, output).split("/").at(-1) ?? "",
      ...(output.naming?.filter && { filter: output.naming.filter }),
    })),
  };
}

function readStep(top: Form, step: ChainStep, isRun: boolean): CmsStep {
  const { form } = step;
  const spot = (key: string) => spotFor(top, step, key);
  const word = (key: keyof typeof WORDS): string => {
    const at = key === "ConfigCacheID" ? form.spot(key) : spot(key);
    const [pattern, rule] = WORDS[key];
    if (at === null && isRun) form.missing(key, rule);
    return at?.text(pattern, rule) ?? "";
  };
  const flag = (key: string) => (form.spot(key) === null ? top : form).flag(key, false);
  const number = (key: string, min: number, usual: number) =>
    spot(key)?.number(min > 0 ? POSITIVE : { min, max: 1024 }, true) ?? usual;
  const archs = distinct(spot("ScramArch")?.list(20, true) ?? [], isArch, (one) => one.mustBe("an architecture"));
  if (archs.length === 0 && isRun) form.missing("ScramArch", "[el9_amd64_gcc12] or the like");
  return {
    name: step.name,
    release: word("CMSSWVersion"),
    scramArchs: archs,
    globalTag: word("GlobalTag"),
    configCacheId: word("ConfigCacheID") || null,
    input: readStepInput(form, isRun),
    cores: Math.trunc(number("Multicore", 1, 1)),
    memoryMb: Math.ceil(number("Memory", 1, 2300)),
    eventStreams: Math.trunc(number("EventStreams", 0, 0)),
    pileup: { mc: readPileup(spot("MCPileup")), data: readPileup(spot("DataPileup")) },
    seeding:
      spot("Seeding")?.oneOf(["AutomaticSeeding", "ReproducibleSeeding"], "is not a way of seeding") ??
      "AutomaticSeeding",
    lheInput: flag("LheInputFiles"),
  };
}

const isArch = (value: unknown): value is string => typeof value === "string" && ARCH.test(value);

function readStepInput(form: Form, isRun: boolean): CmsStep["input"] {
  const step = form.spot("InputStep");
  const module = form.spot("InputFromOutputModule");
  if (step === null) return null;
  if (module === null && isRun) form.missing("InputFromOutputModule", "the output module of the earlier step");
  return {
    step: typeof step.value === "string" ? step.value : "",
    module: module?.text(MODULE, "letters, digits, '_'") ?? "",
  };
}

/** A module is known where a later step reads it; else the configuration says which one writes this tier. */
function moduleOf(step: string, outputs: readonly StepOutput[], steps: readonly CmsStep[]): string | null {
  if (outputs.filter((one) => one.step === step).length > 1) return null;
  return steps.find(({ input }) => input?.step === step)?.input?.module || null;
}
