import { z } from "zod";
import { big } from "./common.ts";

const words = z.array(z.string());
const mask = z.strictObject({
  runs: z.array(z.int()),
  lumis: z.record(z.string(), z.array(z.tuple([z.int(), z.int()]))).nullable(),
});

/** The request as intake normalised it. */
export const specSchema = z
  .strictObject({
    input: z
      .strictObject({
        from: z.enum(["glob", "directory", "list", "dataset"]),
        at: z.string().describe("The pattern, path or dataset"),
        events: z
          .strictObject({ by: z.enum(["unknown", "lines", "fixed"]), per_file: z.number().nullable() })
          .nullable(),
        mask,
      })
      .nullable(),
    generation: z
      .strictObject({
        total_events: big,
        first_event: big,
        first_lumi: z.int(),
        events_per_lumi: z.int(),
        lumis: z.enum(["per_job", "per_work_unit"]),
        filter_efficiency: z.number(),
        top_up: z.boolean(),
      })
      .nullable(),
    split: z.strictObject({
      algorithm: z.string(),
      files_per_job: z.int(),
      events_per_job: z.int(),
      lumis_per_job: z.int(),
    }),
    steps: z.array(z.strictObject({ name: z.string(), argv: words, env: z.record(z.string(), z.string()) })),
    outputs: z.array(
      z.strictObject({
        name: z.string(),
        file: z.string(),
        merge: z.enum(["concat", "command", "none"]),
        merge_argv: words,
        keep: z.boolean(),
      }),
    ),
    resources: z.strictObject({
      cores: z.int(),
      memory_mb: z.number(),
      wall_minutes: z.number(),
      disk_mb: z.number(),
      gpus: z.int(),
      seconds_per_event: z.number().nullable(),
      kb_per_event: z.number().nullable(),
    }),
    sites: z.strictObject({ allow: words, deny: words }),
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
      handlers: z.array(
        z.strictObject({ name: z.string(), roles: words, rules: z.array(z.record(z.string(), z.unknown())) }),
      ),
    }),
  })
  .meta({ id: "Spec" });
export type SpecView = z.infer<typeof specSchema>;
