import { createHash } from "node:crypto";
import type { Page } from "../../store/port.ts";
import { usageError } from "./problem.ts";

/**
 * A cursor as callers see it: the store's, with a checksum over it and the list it belongs to. A cursor that
 * was cut short, made up or taken to other filters is refused here and never reaches SQL. No secret, no security.
 */
const CHECK_LENGTH = 8;
const checksum = (scope: string, cursor: string): string =>
  createHash("sha256").update(scope).update("\0").update(cursor).digest("base64url").slice(0, CHECK_LENGTH);

export const sealCursor = (scope: string, cursor: string): string =>
  Buffer.from(checksum(scope, cursor) + cursor).toString("base64url");

export function openCursor(scope: string, sealed: string): string {
  const text = Buffer.from(sealed, "base64url").toString("utf8");
  const cursor = text.slice(CHECK_LENGTH);
  if (text.slice(0, CHECK_LENGTH) === checksum(scope, cursor)) return cursor;
  throw usageError("bad query", {
    path: "cursor",
    message: "not a cursor of this list",
    allowed: "next_cursor of the page before, with the same filters",
  });
}

export type LoadPage<P> = (page: { limit: number; cursor?: string }) => Promise<P>;

/** Pages of what comes in one piece: the cursor is how many were shown. */
export const slices =
  <T>(items: readonly T[]): LoadPage<Page<T>> =>
  async ({ limit, cursor }) => {
    const from = Number(cursor ?? 0);
    const to = from + limit;
    return { items: items.slice(from, to), nextCursor: to < items.length ? String(to) : null };
  };

/** `?status=a&status=b`: one value arrives as a string, several as an array. */
export const asList = <T>(value: T | readonly T[] | undefined): readonly T[] | undefined =>
  value === undefined ? undefined : Array.isArray(value) ? value : [value as T];

/** The fields that were given: those left out are not there, not even as undefined. */
export const given = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
