import { z } from "zod";
import { REQUEST_STATUSES } from "../core/request-status.ts";
import { exitCode, filterText, flag, paging, repeatable, siteText } from "./inputs.ts";
import { byWord, each, named, time } from "./wire.ts";

/** What lists and single requests say of how far a request is, and why not further. */
const unitCounts = each(z.int(), "total", "done", "failed", "running");
export const estimateSchema = named("Estimate", {
  at: time.describe("At the pace that lies in the middle"),
  earliest: time,
  latest: time.nullable().describe("null: at the slowest pace seen it would never end, or too few are done to say"),
  overdue: z
    .boolean()
    .describe("It should be done by now, and nothing was done for longer than it takes: nobody knows"),
  text: z.string().describe("The same for people: in 5 to 20 min"),
});
export const howFar = {
  reason: z.string().describe("Why it is not moving, or what it is at, in words; empty: there is nothing to say"),
  round: z.int().nullable().describe("The first is 0; null: nothing was planned yet"),
  progress: z
    .strictObject({
      ...unitCounts,
      expected: z.int().describe("Units of all rounds as far as can be told; total: those planned so far"),
      percent: z.number().describe("Done of all that are expected"),
    })
    .nullable()
    .describe("Work units over all rounds; failed and running are of the present one. null: nothing was planned yet"),
  failing: z.int().describe("Jobs that failed and are to be retried, when the ledgers were last read"),
  eta: estimateSchema.nullable().describe("When the present round will be done, if it goes on so; null: unknown"),
};

export const facetsSchema = named("RequestFacets", {
  requests: z.int().describe("How many match, on all pages"),
  units: z.strictObject(unitCounts).describe("Their work units"),
  status: byWord.describe("How many requests have each value; each counted without the filter on itself"),
  ...each(byWord, "hold", "wait", "kind", "requestor", "campaign"),
  site: byWord.describe("Where they ran or failed"),
});

const SORTS = ["newest", "oldest", "name", "updated", "waiting", "priority", "progress", "failing"] as const;
const code = exitCode.optional().describe("something failed with this exit code");

/** Which requests: the same for a list, for a bulk action and for the command line. */
const choiceFields = {
  requestor: filterText.optional().describe("exactly this requestor"),
  campaign: filterText.optional().describe("exactly this campaign"),
  name: filterText.optional().describe("a part of the name, at most 200 characters"),
  text: filterText.optional().describe("a part of name, requestor, campaign, hold or wait"),
  kind: filterText.optional().describe("exactly this kind: process, generate, …"),
  needs: z.enum(["person"]).optional().describe("person: those that wait for a person, held or not"),
  code,
  site: siteText.optional().describe("ran or failed at this site"),
  file: z.string().min(1).max(1000).optional().describe("failed because of this input file"),
};
const holdText = z.string().regex(/^[\w-]{1,100}$/, "not a hold code");
export const bulkFilterSchema = z.strictObject({
  status: z.union([z.enum(REQUEST_STATUSES), z.array(z.enum(REQUEST_STATUSES))]).optional(),
  hold: z.union([holdText, z.array(holdText)]).optional(),
  wait: z.union([holdText, z.array(holdText)]).optional(),
  ...choiceFields,
});

export const requestListQuery = z.strictObject({
  ...paging,
  status: repeatable(REQUEST_STATUSES),
  hold: z
    .union([holdText, z.array(holdText)])
    .optional()
    .describe("one or more hold codes (docs/guides/held.md)"),
  wait: z
    .union([holdText, z.array(holdText)])
    .optional()
    .describe("one or more codes of what it waits for"),
  ...choiceFields,
  sort: z
    .enum(SORTS)
    .default("newest")
    .describe(`${SORTS.join(", ")}; waiting: longest in its status first, progress: least first; newest when left out`),
  facets: flag.describe("true: with the counts of what matches"),
});
