import { z } from "zod";
import { anything, big, each, named, strings } from "./wire.ts";

const input = z.strictObject({
  from: z.enum(["glob", "directory", "list", "dataset"]),
  at: z.string().describe("The pattern, path or dataset"),
  events: z.strictObject({ by: z.enum(["unknown", "lines", "fixed"]), per_file: z.number().nullable() }).nullable(),
  on_missing: z.enum(["hold", "skip"]),
  mask: z.strictObject({
    runs: z.array(z.int()),
    without_runs: z.array(z.int()),
    lumis: z.record(z.string(), z.array(z.tuple([z.int(), z.int()]))).nullable(),
  }),
  blocks: z.strictObject({ allow: strings, deny: strings }).nullable().describe("Which blocks of it; null: all"),
});
const generation = z.strictObject({
  total_events: big,
  first_event: big,
  first_lumi: z.int(),
  events_per_lumi: z.int(),
  lumis: z.enum(["per_job", "per_work_unit"]),
  filter_efficiency: z.number(),
  top_up: z.boolean(),
});
const output = z.strictObject({
  name: z.string(),
  file: z.string(),
  merge: z.enum(["concat", "command", "none"]),
  merge_argv: strings,
  keep: z.boolean(),
});
const rule = z.strictObject({
  exit_codes: z.array(z.int()),
  match_all_exit_codes: z.boolean(),
  causes: strings,
  stderr: z.string().nullable(),
  max_retries: z.int(),
  ...each(z.number().nullable(), "delay_sec", "memory_factor", "wall_factor"),
  script: z.string().nullable(),
});

/** The request as intake normalised it. */
export const specSchema = named("Spec", {
  input: input.nullable(),
  secondary: z.array(z.strictObject({ dataset: z.string(), anywhere: z.boolean() })).describe("Read beside the input"),
  generation: generation.nullable(),
  split: z
    .strictObject({
      algorithm: z.string(),
      ...each(z.int(), "files_per_job", "events_per_job", "lumis_per_job"),
      split_on_run: z.boolean().describe("By lumis: a job ends with its run"),
      halt_on_file_boundaries: z.boolean().describe("By lumis: a job ends with its file"),
    })
    .nullable(),
  steps: z.array(
    z.strictObject({
      name: z.string(),
      argv: strings,
      env: z.record(z.string(), z.string()),
      parallel: z.literal("by-events").optional(),
    }),
  ),
  outputs: z.array(output),
  resources: z.strictObject({
    cores: z.int(),
    ...each(z.number(), "memory_mb", "wall_minutes", "disk_mb"),
    gpus: z.int(),
    gpu_kind: z
      .strictObject({
        capabilities: strings,
        memory_mb: z.number().nullable(),
        runtime: z.string().nullable(),
        name: z.string().nullable(),
      })
      .optional(),
    seconds_per_event: z.number().nullable(),
    kb_per_event: z.number().nullable(),
  }),
  sites: z.strictObject({ allow: strings, deny: strings, trust: z.boolean() }),
  cms: anything.nullable().describe("Of ReqMgr2's documents: what CMS's software and services go by"),
  unit: z.strictObject({
    jobs_per_unit: z.int().nullable(),
    target_merged_bytes: z.number(),
    block_target_bytes: z.number(),
    max_units_per_block: z.int(),
  }),
  retries: z.strictObject({ landing: z.int(), processing: z.int(), merge: z.int(), cleanup: z.int() }),
  throttles: z.strictObject({ units: z.int(), processing: z.int(), merge: z.int(), cleanup: z.int() }),
  adaptive: z.boolean(),
  recovery: z.strictObject({
    hold_threshold: z.number(),
    max_rescues: z.int(),
    pending_classification: z.boolean(),
    handlers: z.array(z.strictObject({ name: z.string(), roles: strings, rules: z.array(rule) })),
  }),
});
