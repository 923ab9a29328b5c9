import { z } from "zod";
import {
  type DagId,
  NAME_PATTERN,
  NAME_RULE,
  type RequestName,
  SITE_PATTERN,
  type SiteName,
  type WorkflowId,
} from "../core/names.ts";

/** Pieces of queries and paths. A description is shown in the docs and as "allowed" when the value is wrong. */
export const nameText = z.string().regex(NAME_PATTERN, "not a name").describe(NAME_RULE);
/** A unit or node, or what a person called a job of a graph: any text that can be shown. */
export const unitText = z
  .string()
  .min(1)
  .max(300)
  .regex(/^\P{Cc}*$/u, "has control characters");
export const idText = z.string().regex(NAME_PATTERN, "not an id").describe("an id as listed");
export const siteText = z.string().regex(SITE_PATTERN, "not a site name").describe("a site name as listed");

/** A text that is good for a name of this kind, with the kind's type. */
const as = <T extends string>(text: z.ZodString) => text as unknown as z.ZodType<T, string>;
export const nameParams = z.strictObject({ name: as<RequestName>(nameText) });
export const siteParams = z.strictObject({ name: as<SiteName>(siteText) });
export const workflowParams = z.strictObject({ id: as<WorkflowId>(idText) });
export const dagParams = z.strictObject({ id: as<DagId>(idText) });
export const idParams = z.strictObject({ id: idText });

export const limitUpTo = (most: number, usual: number) =>
  z.coerce.number().int().min(1).max(most).default(usual).describe(`a whole number, 1…${most}; ${usual} when left out`);

/** Which part of a list: the usual limits, or others. */
export const pagingUpTo = (most: number, usual: number) => ({
  limit: limitUpTo(most, usual),
  cursor: z.string().max(600).optional().describe("next_cursor of the page before, with the same filters"),
});
export const paging = pagingUpTo(1000, 100);
export const pageQuery = z.strictObject(paging);

/** `?status=a&status=b`: one value arrives as a string, several as an array. */
export const repeatable = <const V extends readonly [string, ...string[]]>(values: V) => {
  const one = z.enum(values);
  const rule = `one or more of ${values.join(", ")}`;
  return z
    .union([one, z.array(one)], { error: `not ${rule}` })
    .optional()
    .describe(rule);
};
/** Query flags: "true" and "false" only; coercion would take "false" for true. */
export const flag = z.enum(["true", "false"]).default("false").describe("true or false");
export const dryRunQuery = z.strictObject({
  dry_run: z.enum(["true", "false"]).optional().describe("true: only say what would be done"),
});

export const exitCode = z.coerce.number().int().min(-2000).max(999_999);

export const filterText = z.string().min(1).max(200);
export const reasonText = z
  .string()
  .trim()
  .min(1, "empty")
  .max(1000)
  .describe("why, in words; at most 1000 characters");
