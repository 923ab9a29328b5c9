import { z } from "zod";
import { NODE_ROLES } from "../core/roles.ts";
import { anything, big, byWord, each, named, strings } from "./wire.ts";

const spread = z.strictObject({ least: z.number(), most: z.number() });
const resources = z.strictObject({ ...each(z.number(), "cores", "memory_mb", "disk_mb", "wall_minutes", "gpus") });

const describedSchema = z.strictObject({
  ...each(z.int(), "units", "blocks", "nodes"),
  nodes_by_role: z.partialRecord(z.enum(NODE_ROLES), z.int()),
  input_files: z.int(),
  events: big,
  units_by_site: byWord,
  jobs_per_unit: spread,
  events_per_job: spread.nullable(),
  expected_bytes: z.number().describe("0: unknown"),
  expected_bytes_per_unit: spread,
  core_hours: z.number().describe("If every job took as long as it may"),
  resources: z.partialRecord(z.enum(NODE_ROLES), resources),
  warnings: strings,
});

const refusalSchema = z.strictObject({ code: z.string(), message: z.string(), evidence: anything });

/** The first round in numbers, or why there would be none. */
export const planPreviewSchema = named("PlanPreview", {
  plan: describedSchema.nullable(),
  refusal: refusalSchema.nullable(),
});
