import { z } from "zod";
import { anything, each, named, strings } from "./wire.ts";

const example = z.strictObject({
  ...each(z.string(), "at", "unit", "node"),
  job: z.string().nullable().optional().describe("What the person called a job of a graph"),
  cluster: z.int(),
  site: z.string().nullable(),
  exit_code: z.int(),
  reason: z.string(),
  not_before: z.string().nullable().describe("When it is to be retried; null: at once, or never"),
});
const codes = z.array(
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
);

/** What failed in the present round: first, most, where, on what, and what to try. */
export const errorsSchema = named("Errors", {
  request_name: z.string(),
  unit_word: z.string().describe("What people call a unit of this kind: unit, job"),
  ...each(z.int(), "units_total", "units_done", "units_failed", "nodes_failed"),
  blocked: z
    .array(z.strictObject({ by: z.string(), units: z.int() }))
    .optional()
    .describe("Of a graph: by which failed job, as the person called it, how many are blocked; most first"),
  nodes_recovered: z.int().describe("Failed at least once, and got through"),
  nodes_retrying: z.int().describe("Failed, and to be retried: they wait for it, or are at it"),
  unclassified: z.int().describe("Of those that failed, how many wait for a person to say what they mean"),
  unreadable_lines: z.int().describe("Lines of the ledgers that could not be read"),
  first: example.nullable(),
  categories: z.array(z.strictObject({ category: z.string(), failures: z.int(), units: z.int() })),
  causes: z.array(z.strictObject({ cause: z.string(), failures: z.int() })),
  codes,
  retrying: codes.describe("The same of jobs that failed and are to be retried"),
  sites: z.array(
    z.strictObject({
      site: z.string(),
      ...each(z.int(), "attempts", "nodes", "failed"),
      blamed: z.int().describe("Nodes for which the site is the likely cause: more fails there than elsewhere"),
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
  excluded: z
    .array(z.strictObject({ file: z.string(), reason: z.string() }))
    .describe("Input files that are left out, and by whom or on which evidence"),
  more: z
    .strictObject({ ...each(z.int(), "codes", "retrying", "sites", "hosts", "files", "excluded") })
    .describe("How many there are beyond those listed"),
  common: strings.describe("What most of the failures share, in words; sites and workers only where they stand out"),
  suggestion: z.strictObject({
    action: z.string(),
    modifications: anything,
    reason: z.string(),
    command: z.string().nullable().describe("The same for a shell; FILE and TEXT are to be filled in"),
    everybody_command: z.string().nullable().describe("Where a site is to be left out: so that all requests do"),
  }),
});
