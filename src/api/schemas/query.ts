import { z } from "zod";
import { NAME_PATTERN, NAME_RULE, SITE_PATTERN } from "../../domain/names.ts";

/** Pieces of queries and paths. A description is shown in the docs and as "allowed" when the value is wrong. */
export const nameText = z.string().regex(NAME_PATTERN, "not a name").describe(NAME_RULE);
export const idText = z.string().regex(NAME_PATTERN, "not an id").describe("an id as listed");
export const siteText = z.string().regex(SITE_PATTERN, "not a site name").describe("a site name as listed");

export const nameParams = z.strictObject({ name: nameText });
export const idParams = z.strictObject({ id: idText });
export const siteParams = z.strictObject({ name: siteText });

export const limitUpTo = (most: number, usual: number) =>
  z.coerce.number().int().min(1).max(most).default(usual).describe(`a whole number, 1…${most}; ${usual} when left out`);

export const paging = {
  limit: limitUpTo(1000, 100),
  cursor: z.string().max(600).optional().describe("next_cursor of the page before, with the same filters"),
};

/** `?status=a&status=b`: one value arrives as a string, several as an array. */
export const repeatable = <const V extends readonly [string, ...string[]]>(values: V) => {
  const one = z.enum(values);
  const rule = `one or more of ${values.join(", ")}`;
  return z
    .union([one, z.array(one)], { error: `not ${rule}` })
    .optional()
    .describe(rule);
};
export const asList = <T>(value: T | readonly T[] | undefined): readonly T[] | undefined =>
  value === undefined ? undefined : Array.isArray(value) ? value : [value as T];

/** Query flags: "true" and "false" only; coercion would take "false" for true. */
export const flag = z.enum(["true", "false"]).default("false").describe("true or false");

export const filterText = z.string().min(1).max(200);
export const reasonText = z
  .string()
  .trim()
  .min(1, "empty")
  .max(1000)
  .describe("why, in words; at most 1000 characters");
