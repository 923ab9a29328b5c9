import { parseJson } from "../../../src/core/base/json.ts";
import { type Answer, type Asked, isRow, type Row } from "../http.ts";
import type { World } from "../world.ts";

/** Rucio says no: by class; the status varies. */
export class RucioError extends Error {
  readonly status: number;
  readonly exceptionClass: string;

  constructor(status: number, exceptionClass: string, message: string) {
    super(message);
    this.status = status;
    this.exceptionClass = exceptionClass;
  }
}

/** The class comes twice: in headers, and in JSON that says it is a stream of bytes. */
export function errorAnswer(_asked: Asked, error: unknown): Answer {
  if (!(error instanceof RucioError)) throw error;
  const { status, exceptionClass, message } = error;
  return {
    status,
    headers: {
      "content-type": "application/octet-stream",
      exceptionclass: exceptionClass,
      exceptionmessage: message.replaceAll(/[\r\n]/g, "").slice(0, 125),
    },
    body: JSON.stringify({ ExceptionClass: exceptionClass, ExceptionMessage: message }),
  };
}

type MediaType = "application/json" | "application/x-json-stream" | "application/octet-stream";

/** Each call has one media type, and who asks for another gets nothing. */
export function accepts({ headers }: Asked, type: MediaType): void {
  const accepted = headers.accept;
  if (accepted === undefined || accepted.includes("*/*") || accepted.includes(type)) return;
  throw new RucioError(
    406,
    "UnsupportedRequestedContentType",
    `The requested content type ${accepted} is not supported. Use ${type}.`,
  );
}

/** JSON as Python writes it: no limit is the bare word Infinity. */
const python = (value: unknown): string =>
  JSON.stringify(value, (_key, item) => (item === Number.POSITIVE_INFINITY ? "\u0000inf" : item)).replaceAll(
    '"\\u0000inf"',
    "Infinity",
  );

export function object(asked: Asked, value: unknown): Answer {
  accepts(asked, "application/json");
  return { status: 200, headers: { "content-type": "application/json" }, body: python(value) };
}
export function stream(asked: Asked, rows: readonly unknown[] | Iterable<Uint8Array>): Answer {
  accepts(asked, "application/x-json-stream");
  const headers = { "content-type": "application/x-json-stream" };
  if (!Array.isArray(rows)) return { status: 200, headers, body: rows as Iterable<Uint8Array> };
  return { status: 200, headers, body: rows.map((row) => `${python(row)}\n`).join("") };
}
export const CREATED: Answer = {
  status: 201,
  headers: { "content-type": "text/html; charset=utf-8" },
  body: "Created",
};
export const OK: Answer = { status: 200, headers: { "content-type": "text/html; charset=utf-8" }, body: "" };

/** The content type is not looked at. */
export function bodyOf(asked: Asked): Row {
  const value = anyBody(asked);
  if (!isRow(value)) throw new RucioError(400, "TypeError", "body must be a json dictionary");
  return value;
}
export function anyBody({ body }: Asked): unknown {
  const parsed = parseJson(body.toString());
  if (!parsed.ok) throw new RucioError(400, "ValueError", "cannot decode json parameter dictionary");
  return parsed.value;
}
export function need(row: Row, key: string): unknown {
  if (row[key] === undefined) throw new RucioError(400, "KeyError", `'${key}' not defined`);
  return row[key];
}

/** The account of the call's token. */
export function accountOf(world: World, { headers }: Asked): string {
  const token = headers["x-rucio-auth-token"];
  if (typeof token !== "string") throw new RucioError(400, "ValueError", "Token must be set.");
  const known = world.tokens.get(token);
  if (known && known.expires > Date.now() / 1000) return known.account;
  throw new RucioError(401, "CannotAuthenticate", "Cannot authenticate with given credentials");
}

export const rucioDate = (seconds: number): string => new Date(seconds * 1000).toUTCString().replace("GMT", "UTC");

/** Names in paths lost their first slash in some front ends. */
export const didName = (name: string): string => (name.startsWith("/") ? name : `/${name}`);
