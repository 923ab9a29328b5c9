import { z } from "zod";
import { anything, named, strings, viewOf } from "./wire.ts";

const example = z.strictObject({
  at: z.string(),
  unit: z.string(),
  node: z.string(),
  cluster: z.int(),
  site: z.string().nullable(),
  exit_code: z.int(),
  reason: z.string(),
});

/** What failed in the present round: first, most, where, on what, and what to try. */
export const errorsSchema = named("Errors", {
  request_name: z.string(),
  units_total: z.int(),
  units_done: z.int(),
  units_failed: z.int(),
  nodes_failed: z.int(),
  nodes_recovered: z.int().describe("Failed at least once, and got through"),
  unreadable_lines: z.int().describe("Lines of the ledgers that could not be read"),
  first: example.nullable(),
  categories: z.array(z.strictObject({ category: z.string(), failures: z.int(), units: z.int() })),
  causes: z.array(z.strictObject({ cause: z.string(), failures: z.int() })),
  codes: z.array(
    z.strictObject({
      exit_code: z.int(),
      name: z.string(),
      cause: z.string().nullable(),
      category: z.string(),
      rule: z.string().nullable(),
      meaning: z.string().nullable(),
      failures: z.int(),
      units: z.int(),
      example,
      log_tail: z.string().nullable(),
    }),
  ),
  sites: z.array(
    z.strictObject({
      site: z.string(),
      attempts: z.int(),
      nodes: z.int(),
      failed: z.int(),
      blamed: z.int().describe("Nodes for which the place is to blame"),
      last_blamed_at: z.string().nullable(),
    }),
  ),
  hosts: z.array(z.strictObject({ host: z.string(), failures: z.int() })),
  files: z.array(
    z.strictObject({
      file: z.string(),
      bad: z.boolean().describe("There is proof against it; otherwise it is only suspected"),
      failures: z.int(),
      units: z.int(),
      sites: strings,
      reason: z.string(),
    }),
  ),
  more: z
    .strictObject({ codes: z.int(), sites: z.int(), hosts: z.int(), files: z.int() })
    .describe("How many there are beyond those listed"),
  suggestion: z.strictObject({ action: z.string(), modifications: anything, because: z.string() }),
});
export type ErrorsBodyView = z.infer<typeof errorsSchema>;
export const errorsBodyView = viewOf(errorsSchema);
