import { ERROR_TABLE, type ErrorCode, InvariantError, WorldError } from "../../core/base/errors.ts";
import type { Problem } from "../../core/problem.ts";
import type { RequestRecord } from "../../core/request.ts";
import { type ProblemView, problemsText } from "../operation.ts";
import type { Call } from "./call.ts";

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
  const messages = problems.map((problem) => [problem.path, problem.message].filter(Boolean).join(": "));
  return new ProblemsError("bad-usage", where, `${where}: ${messages.join("; ")}`, problems, SEE_DOCS);
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

/** Of the state: 409. Of what the caller wrote: 422, each with its place. */
export function refusal(message: string, subject: string, problems: readonly Problem[]): ProblemsError {
  const isState = problems.every(({ path }) => path === "");
  const hints = problems.flatMap(({ allowed }) => allowed ?? []);
  const hint = isState && hints.length > 0 ? `allowed: ${hints.join("; ")}` : undefined;
  const code = isState ? "conflict" : "bad-request";
  return new ProblemsError(code, subject, `${message}: ${problemsText(problems)}`, problems, hint);
}

/** It is not what the caller looked at any more; the ETag says what it is now. */
export function stale(call: Call, { spec, status, version }: RequestRecord, why = `it is ${status} now`): WorldError {
  call.etag(version);
  return new WorldError("stale", spec.name, `${spec.name} was not changed: ${why}`);
}

/** RFC 9457. `status` is given only for protocol errors (413, 415), which share the code bad-usage. */
export function problem(
  code: ErrorCode,
  detail: string,
  extra: { hint?: string; status?: number; problems?: readonly Problem[] } = {},
): ProblemView {
  const title = code.replaceAll("-", " ");
  return {
    type: `urn:wms2:problem:${code}`,
    title: title.charAt(0).toUpperCase() + title.slice(1),
    status: extra.status ?? ERROR_TABLE[code].http,
    detail,
    code,
    hint: extra.hint ?? ERROR_TABLE[code].hint,
    ...(extra.problems ? { problems: [...extra.problems] } : {}),
  };
}

/** Any error a route can end with, as the caller may see it: no stack, no text we did not write. */
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
