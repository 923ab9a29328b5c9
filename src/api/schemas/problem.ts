import { z } from "zod";

export const problemSchema = z
  .strictObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string().describe("What happened, to what"),
    code: z.string().describe("Stable word for programs; one table maps it to HTTP status and exit code"),
    hint: z.string().describe("What to try"),
    problems: z
      .array(z.strictObject({ path: z.string(), message: z.string(), allowed: z.string().nullable() }))
      .optional()
      .describe("Everything wrong with the document or the query, each with what is allowed"),
  })
  .meta({ id: "Problem" });
export type ProblemView = z.infer<typeof problemSchema>;

/** The answers every route may give beside its own. */
const asProblem = (description: string) => ({
  description,
  content: { "application/problem+json": { schema: problemSchema } },
});
export const readErrors = {
  400: asProblem("Bad usage: an unknown or ill-formed parameter"),
  401: asProblem("A token is needed"),
  503: asProblem("Store or engine does not answer"),
};
export const itemErrors = { ...readErrors, 404: asProblem("Unknown") };
export const changeErrors = {
  ...itemErrors,
  409: asProblem("The present state does not allow it"),
  412: asProblem("It moved on since If-Match was read"),
};
export const actErrors = { ...changeErrors, 422: asProblem("Its fields do not fit: all problems are listed") };
export const submitErrors = {
  ...readErrors,
  409: asProblem("The name is taken"),
  413: asProblem("Larger than 12 MB"),
  415: asProblem("Neither JSON nor YAML"),
  422: asProblem("Bad request: all its problems are listed"),
};
