import type { FastifySchemaCompiler } from "fastify";
import { z } from "zod";
import type { Problem } from "../../core/problem.ts";
import { usageError } from "./problem.ts";

/** Checks one part of an HTTP request; all that is wrong is told at once, each with what is allowed there. */
export const usageCompiler: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart }) => {
  const where = WORDS[httpPart ?? ""] ?? "the request";
  return (data: unknown) => {
    const result = schema.safeParse(data ?? undefined);
    return result.success
      ? { value: result.data }
      : { error: usageError(where, ...result.error.issues.flatMap((issue) => problemsOf(issue, schema))) };
  };
};

const WORDS: Readonly<Record<string, string>> = {
  querystring: "bad query",
  params: "bad path",
  body: "bad body",
  headers: "bad header",
};

function problemsOf(issue: z.core.$ZodIssue, schema: z.ZodType): Problem[] {
  const shape = shapeOf(schema);
  if (issue.code === "unrecognized_keys") {
    const allowed = Object.keys(shape).join(", ") || "no parameters";
    return issue.keys.map((key) => ({ path: key, message: "unknown", allowed }));
  }
  const path = issue.path.map(String).join(".");
  return [{ path, message: issue.message, allowed: shape[String(issue.path[0])]?.description ?? null }];
}

function shapeOf(schema: z.ZodType): Readonly<Record<string, z.ZodType>> {
  if (schema instanceof z.ZodObject) return schema.shape;
  if (schema instanceof z.ZodPrefault) return shapeOf(schema.unwrap() as z.ZodType);
  return {};
}
