import { z } from "zod";
import { ERROR_TABLE, type ErrorCode, InvariantError, WorldError } from "../base/errors.ts";
import type { Problem } from "../domain/problem.ts";
import { named } from "../operations/wire.ts";

const oneProblem = z.strictObject({ path: z.string(), message: z.string(), allowed: z.string().nullable() });
export const problemList = z.array(oneProblem);
const problemSchema = named("Problem", {
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string().describe("What happened, to what"),
  code: z.string().describe("Stable word for programs; one table maps it to HTTP status and exit code"),
  hint: z.string().describe("What to try"),
  problems: problemList
    .optional()
    .describe("Everything wrong with the document or the query, each with what is allowed"),
});
export type ProblemView = z.infer<typeof problemSchema>;

/** The answers every route may give beside its own. */
const answeredWith = (description: string) => ({
  description,
  content: { "application/problem+json": { schema: problemSchema } },
});
export const readErrors = {
  400: answeredWith("Bad usage: an unknown or ill-formed parameter"),
  401: answeredWith("A token is needed"),
  503: answeredWith("Store or engine does not answer"),
};
export const itemErrors = { ...readErrors, 404: answeredWith("Unknown") };
export const changeErrors = {
  ...itemErrors,
  409: answeredWith("The present state does not allow it"),
  412: answeredWith("It moved on since If-Match was read"),
};
export const actErrors = { ...changeErrors, 422: answeredWith("Its fields do not fit: all problems are listed") };
export const submitErrors = {
  ...readErrors,
  409: answeredWith("The name is taken"),
  413: answeredWith("Larger than 12 MB"),
  415: answeredWith("Neither JSON nor YAML"),
  422: answeredWith("Bad request: all its problems are listed"),
};

/** Refused for reasons that can be listed, each with its place and what would be right there. */
export class ProblemsError extends WorldError {
  readonly problems: readonly Problem[];

  constructor(code: ErrorCode, subject: string, message: string, problems: readonly Problem[], hint?: string) {
    super(code, subject, message, hint === undefined ? {} : { hint });
    this.name = "ProblemsError";
    this.problems = problems;
  }
}

/** The caller asked for something the API does not offer. `where`: "bad query", "bad body". */
export function usageError(where: string, ...problems: readonly Problem[]): ProblemsError {
  const words = problems.map((problem) => [problem.path, problem.message].filter(Boolean).join(": "));
  return new ProblemsError("bad-usage", where, `${where}: ${words.join("; ")}`, problems, SEE_DOCS);
}
const SEE_DOCS = "see /docs for what is allowed";

export const notFound = (kind: string, name: string): WorldError =>
  new WorldError("not-found", name, `there is no ${kind} ${name}`, { hint: `check the name: GET /api/v1/${kind}s` });

/** What was asked about; 404 when it is not there. */
export async function found<T>(kind: string, name: string, asked: Promise<T | null>): Promise<T> {
  const value = await asked;
  if (value === null) throw notFound(kind, name);
  return value;
}

/** All problems in one line. */
export const told = (problems: readonly Problem[]): string =>
  problems.map(({ path, message }) => (path ? `${path} ${message}` : message)).join("; ");

/** Of the state: 409. Of what the caller wrote: 422, each with its place. */
export function refusal(words: string, subject: string, problems: readonly Problem[]): ProblemsError {
  const isState = problems.every(({ path }) => path === "");
  const hints = problems.flatMap(({ allowed }) => allowed ?? []);
  const hint = isState && hints.length > 0 ? `allowed: ${hints.join("; ")}` : undefined;
  return new ProblemsError(
    isState ? "conflict" : "bad-request",
    subject,
    `${words}: ${told(problems)}`,
    problems,
    hint,
  );
}

/** RFC 9457. `status` is given only for protocol errors (413, 415), which share the code bad-usage. */
export function problem(
  code: ErrorCode,
  detail: string,
  extra: { hint?: string; status?: number; problems?: readonly Problem[] } = {},
): ProblemView {
  const words = code.replaceAll("-", " ");
  return {
    type: `urn:wms2:problem:${code}`,
    title: words.charAt(0).toUpperCase() + words.slice(1),
    status: extra.status ?? ERROR_TABLE[code].http,
    detail,
    code,
    hint: extra.hint ?? ERROR_TABLE[code].hint,
    ...(extra.problems ? { problems: [...extra.problems] } : {}),
  };
}

/** Any error a route can end with, as the caller may see it: no stack, no words we did not write. */
export function problemOf(error: unknown, requestId: string): ProblemView {
  if (error instanceof ProblemsError)
    return problem(error.code, error.message, { hint: error.hint, problems: error.problems });
  if (error instanceof WorldError) return problem(error.code, error.message, { hint: error.hint });
  if (error instanceof InvariantError) return problem("bug", error.message);
  const { code, statusCode = 500 } = (error ?? {}) as { code?: unknown; statusCode?: number };
  const message = error instanceof Error ? error.message : String(error);
  if (code === "ENOSPC") return problem("disk-unwritable", "the disk is full", { hint: "free space on the server" });
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE")
    return problem("bad-usage", message, {
      status: 415,
      hint: "send Content-Type: application/json (or application/yaml for a request)",
    });
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE")
    return problem("bad-usage", "the body is larger than 12 MB", {
      status: 413,
      hint: "leave large inputs on disk and name their path",
    });
  if (statusCode >= 400 && statusCode < 500)
    return problem("bad-usage", message, { hint: SEE_DOCS, status: statusCode });
  return problem("bug", `unexpected error; the server's log has it as ${requestId}`);
}
