import { type Answer, type Asked, json } from "../http.ts";

/** DBS says no, by its own numbers. */
export class DbsError extends Error {
  readonly code: number;
  readonly http: number;
  readonly reason: string;

  constructor(code: number, message: string, options: { reason?: string; http?: number } = {}) {
    super(message);
    this.code = code;
    this.http = options.http ?? 400;
    this.reason = options.reason ?? "nil";
  }
}

/** A missing or wrong value arrives inside the error of whatever was to be made of it. */
export const invalid = (code: number, what: string): DbsError =>
  new DbsError(code, `unable to insert ${what}`, {
    reason: `DBSError Code: 113 Description: DBS validation error Message: ${what}`,
  });

/** Every file that cannot be inserted looks alike from outside, whatever the cause. */
export const concurrencyError = (): DbsError =>
  new DbsError(310, "fail to insert files chunks", { reason: "concurrency error" });

/** All of it is an array with one object. */
export function errorAnswer(asked: Asked, error: unknown): Answer {
  if (!(error instanceof DbsError)) throw error;
  const { code, message, reason, http } = error;
  const path = new URL(asked.base).pathname + asked.path;
  const said = `DBSError Code:${code} Function:dbs.${asked.method} Message:${message} Error: ${reason}`;
  return json(http, [
    {
      error: { reason, message, function: `dbs${asked.path.replaceAll("/", ".")}`, code, stacktrace: "" },
      http: {
        method: asked.method,
        code: http,
        timestamp: new Date().toISOString(),
        path,
        user_agent: asked.headers["user-agent"] ?? "",
        x_forwarded_host: "",
        x_forwarded_for: "",
        remote_addr: "127.0.0.1",
      },
      exception: http,
      type: "HTTPError",
      message: said,
    },
  ]);
}
