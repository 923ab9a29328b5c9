import { jsonValue } from "../../base/json.ts";
import type {
  FailureRule,
  GenerationSpec,
  InputSpec,
  LumiMask,
  OutputSpec,
  RequestSpec,
} from "../../domain/request.ts";
import type { SpecView } from "../schemas/spec.ts";

export function specView(spec: RequestSpec): SpecView {
  const { split, resources, unit, recovery } = spec;
  return {
    input: spec.input && inputView(spec.input),
    generation: spec.generation && generationView(spec.generation),
    split: {
      algorithm: split.algorithm,
      files_per_job: split.filesPerJob,
      events_per_job: split.eventsPerJob,
      lumis_per_job: split.lumisPerJob,
    },
    steps: spec.steps.map((step) => ({ name: step.name, argv: [...step.argv], env: { ...step.env } })),
    outputs: spec.outputs.map(outputSpecView),
    resources: {
      cores: resources.cores,
      memory_mb: resources.memoryMb,
      wall_minutes: resources.wallMinutes,
      disk_mb: resources.diskMb,
      gpus: resources.gpus,
      seconds_per_event: resources.secondsPerEvent,
      kb_per_event: resources.kbPerEvent,
    },
    sites: { allow: [...spec.sites.allow], deny: [...spec.sites.deny] },
    unit: {
      jobs_per_unit: unit.jobsPerUnit,
      target_merged_bytes: unit.targetMergedBytes,
      block_target_bytes: unit.blockTargetBytes,
      max_units_per_block: unit.maxUnitsPerBlock,
    },
    retries: { ...spec.retries },
    throttles: { ...spec.throttles },
    adaptive: spec.adaptive,
    recovery: {
      hold_threshold: recovery.holdThreshold,
      max_rescues: recovery.maxRescues,
      pending_classification: recovery.pendingClassification,
      handlers: recovery.handlers.map((handler) => ({
        name: handler.name,
        roles: [...handler.roles],
        rules: handler.rules.map(ruleView),
      })),
    },
  };
}

/** The pattern, path or dataset it names. */
export function inputPlace(input: InputSpec): string {
  switch (input.from) {
    case "glob":
      return input.pattern;
    case "dataset":
      return input.dataset;
    case "directory":
    case "list":
      return input.path;
  }
}

function inputView(input: InputSpec): NonNullable<SpecView["input"]> {
  const events = "events" in input ? input.events : null;
  return {
    from: input.from,
    at: inputPlace(input),
    events: events && { by: events.by, per_file: events.by === "fixed" ? events.perFile : null },
    mask: maskView(input.mask),
  };
}

const maskView = (mask: LumiMask): NonNullable<SpecView["input"]>["mask"] => ({
  runs: [...mask.runs],
  lumis:
    mask.lumis &&
    Object.fromEntries(
      Object.entries(mask.lumis).map(([run, ranges]) => [
        run,
        ranges.map(([first, last]): [number, number] => [first, last]),
      ]),
    ),
});

const generationView = (generation: GenerationSpec): NonNullable<SpecView["generation"]> => ({
  total_events: jsonValue(generation.totalEvents),
  first_event: jsonValue(generation.firstEvent),
  first_lumi: generation.firstLumi,
  events_per_lumi: generation.eventsPerLumi,
  lumis: generation.lumis ?? "per_job",
  filter_efficiency: generation.filterEfficiency,
  top_up: generation.topUp,
});

const outputSpecView = (output: OutputSpec): SpecView["outputs"][number] => ({
  name: output.name,
  file: output.file,
  merge: output.merge.how,
  merge_argv: output.merge.how === "command" ? [...output.merge.argv] : [],
  keep: output.keep,
});

const ruleView = (rule: FailureRule): Record<string, unknown> => ({
  exit_codes: rule.exitCodes,
  match_all_exit_codes: rule.matchAllExitCodes,
  causes: rule.causes,
  stderr: rule.stderr,
  max_retries: rule.maxRetries,
  delay_sec: rule.delaySec,
  memory_factor: rule.memoryFactor,
  wall_factor: rule.wallFactor,
  script: rule.script,
});
