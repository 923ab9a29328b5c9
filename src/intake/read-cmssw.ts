import { CMSMERGE, CMSRUN, type CmsOutput, type CmsSpec, type CmsStep } from "../core/cms.ts";
import type { OutputSpec, ResourceSpec, StepSpec } from "../core/request.ts";
import type { IntakeRules } from "../core/submission.ts";
import { makesEvents, type Work } from "../core/work.ts";
import { DATASET_NAME } from "../kinds/process/read-input.ts";
import { CMSSW_RULES } from "./cmssw-rules.ts";
import { Form } from "./reading/form.ts";
import { TRAVEL_RULE, travelPath } from "./reading/paths.ts";
import { distinct, refuseTwins } from "./reading/values.ts";

const STEP_SHAPE = "{name, release, scram_arch, pset or config_cache_id, …}";
const MAX_STEPS = 10;

interface ReadCmssw {
  readonly steps: readonly StepSpec[];
  readonly outputs: readonly OutputSpec[];
  readonly cms: CmsSpec;
}

/** `payload: cmssw` of our own form: every step is a cmsRun, and the kept ones have an output. */
export function readCmssw(top: Form, work: Work, resources: ResourceSpec, rules: IntakeRules): ReadCmssw {
  for (const key of ["chain", "simulate"])
    top.spot(key)?.problem("belongs to the simulator, and this is payload: cmssw");
  top
    .spot("outputs")
    ?.problem("cannot be given with payload: cmssw; each step says what of it is kept (keep, tier, module)");
  if (rules.cmsPayload !== "cmssw") top.warn("payload", "this installation does not say where CMSSW is (cmssw.cmsset)");
  const entries = top.needed("steps", `a list of ${STEP_SHAPE}`)?.list(MAX_STEPS) ?? [];
  const read: { step: CmsStep; output: CmsOutput | null }[] = [];
  for (const [index, entry] of entries.entries()) {
    const form = Form.at(entry, "a step", STEP_SHAPE);
    if (form) read.push(readStep(form, read.at(-1)?.step ?? null, resources, index === entries.length - 1));
  }
  const steps = read.map(({ step }) => step);
  refuseTwins(steps.map(({ name }, index) => entries[index]!.child("name", name.toLowerCase())));
  const outputs = read.flatMap(({ output }) => (output ? [output] : []));
  const cms: CmsSpec = {
    requestType: "StepChain",
    prepId: null,
    primaryType: makesEvents(work) ? "mc" : "data",
    accessType: "PRODUCTION",
    mergedLfnBase: makesEvents(work) ? "/store/mc" : "/store/data",
    unmergedLfnBase: "/store/unmerged",
    deterministicPileup: top.flag("deterministic_pileup", false),
    steps,
    outputs,
  };
  return {
    steps: steps.map(({ name }) => ({ name, argv: [CMSRUN, name], env: {} })),
    outputs: outputs.map(({ name, tier }) => ({ ...cmsswOutput(name), naming: { tier } })),
    cms,
  };
}

/** The file of an output, and how the jobs' files become one. */
export const cmsswOutput = (name: string): OutputSpec => ({
  name,
  file: `${name}.root`,
  merge: { how: "command", argv: [CMSMERGE, name] },
  keep: true,
});

function readStep(
  form: Form,
  before: CmsStep | null,
  { cores, memoryMb }: ResourceSpec,
  isLast: boolean,
): { step: CmsStep; output: CmsOutput | null } {
  const word = (key: string, [pattern, rule]: readonly [RegExp, string], isNeeded = true): string =>
    (isNeeded ? form.needed(key, rule) : form.spot(key))?.text(pattern, rule) ?? "";
  const name = word("name", CMSSW_RULES.step);
  const [isArch, archRule] = CMSSW_RULES.arch;
  const archs = distinct(
    form.needed("scram_arch", archRule)?.list(20, true) ?? [],
    (one): one is string => typeof one === "string" && isArch.test(one),
    (one) => one.mustBe("an architecture"),
  );
  const pset = readPset(form);
  const configCacheId = word("config_cache_id", CMSSW_RULES.configCacheId, false) || null;
  if (!pset && !configCacheId) form.missing("pset", "the file of its configuration, or config_cache_id");
  if (pset && configCacheId) form.problem("config_cache_id", "cannot be given together with pset; keep one of them");
  const module = word("module", CMSSW_RULES.module, false) || null;
  const tier = word("tier", CMSSW_RULES.tier, false) || name.toUpperCase().replaceAll("_", "-");
  const isKept = form.flag("keep", isLast);
  const dataset = (key: string) => form.spot(key)?.text(DATASET_NAME, "/Primary/Processed/TIER") ?? null;
  const step: CmsStep = {
    name,
    release: word("release", CMSSW_RULES.release),
    scramArchs: archs,
    globalTag: word("global_tag", CMSSW_RULES.globalTag, false),
    configCacheId,
    ...(pset && { pset }),
    input: before && { step: before.name, module: word("input_module", CMSSW_RULES.module, false) },
    cores: form.integer("cores", { min: 1, max: cores }, cores),
    memoryMb,
    eventStreams: form.integer("event_streams", { min: 0, max: 1024 }, 0),
    pileup: { mc: dataset("mc_pileup"), data: dataset("data_pileup") },
    seeding: form.choice("seeding", ["AutomaticSeeding", "ReproducibleSeeding"] as const, "ReproducibleSeeding"),
    lheInput: form.flag("lhe_input", false),
  };
  form.close();
  return { step, output: isKept ? { name: name.toLowerCase(), step: name, module, tier } : null };
}

/** It travels with the request, as programs do. */
function readPset(form: Form): string | null {
  const spot = form.spot("pset");
  const path = spot && travelPath(typeof spot.value === "string" ? spot.value : "");
  if (path === null) return spot?.problem("cannot travel with the request", TRAVEL_RULE) ?? null;
  form.notes.commands.push({ path: form.pathOf("pset"), argv: [CMSRUN, `./${path}`] });
  return path;
}
