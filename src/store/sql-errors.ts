import { InvariantError, WorldError } from "../core/base/errors.ts";

/**
 * Which errors of a driver say that the database is gone, full or not ready (the world failed: try later), and
 * which say that our SQL is wrong (a bug). Codes are PostgreSQL's SQLSTATE classes and Node's errno names.
 */
const GONE_CLASSES = [
  "08", // connection exception
  "28", // refused by authentication
  "53", // out of disk, memory or connections
  "57", // shut down, crashed, starting up, or the statement was cancelled
  "58", // I/O error of the server
  "F0", // its data directory is locked or misconfigured
];
const GONE_STATES = ["3D000", "25006", "XX001", "XX002"]; // no such database; a standby; corrupted
const GONE_ERRNOS = [
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENOENT",
  "EACCES",
  "EIO",
];
// pg and PGlite have no codes for these.
const GONE_WORDS =
  /connection terminated|timeout exceeded when trying to connect|not queryable|query read timeout|pool after calling end|server does not support ssl|socket hang up|PGlite (is )?clos/i;

export function translateSqlError(error: unknown, subject: string, statement: string): Error {
  if (error instanceof WorldError || error instanceof InvariantError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (isFull(error)) {
    return new WorldError("store-unreachable", subject, `the disk of the database is full (${subject})`, {
      cause: error,
      hint: "free space there; it goes on by itself, an embedded database after a restart of the server",
    });
  }
  if (isGone(error)) {
    return new WorldError("store-unreachable", subject, `the database cannot be used (${subject})`, { cause: error });
  }
  const bug = new InvariantError(`the database refused a statement: ${message}`, {
    statement: statement.trim().slice(0, 500),
    ...databaseDetail(error),
  });
  bug.cause = error;
  return bug;
}

const isFull = (error: unknown): boolean =>
  ["53100", "ENOSPC"].includes(String((error as { code?: unknown } | null)?.code)) ||
  /no space left on device/i.test(String(error));

function isGone(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isGone);
  if (!(error instanceof Error)) return false;
  if (error.name === "RuntimeError") return true; // WebAssembly's: the embedded database crashed
  const code = "code" in error ? String(error.code) : "";
  if (GONE_STATES.includes(code) || GONE_ERRNOS.includes(code)) return true;
  if (/^[0-9A-Z]{5}$/.test(code) && GONE_CLASSES.includes(code.slice(0, 2))) return true;
  return GONE_WORDS.test(error.message);
}

function databaseDetail(error: unknown): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const key of ["code", "detail", "constraint", "table", "column"] as const) {
    const value = (error as Record<string, unknown> | null)?.[key];
    if (value !== undefined) found[key] = value;
  }
  return found;
}
