import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Page } from "../store/port.ts";
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

/** Which list: the path without its query, and the filters in a stable order. */
export const listScope = (request: FastifyRequest, filters: object): string =>
  `${request.url.split("?", 1)[0]} ${JSON.stringify(filters)}`;

/** Runs one page of a list: opens the caller's cursor, seals the next one, links to it. */
export async function answerPage<T, V>(
  request: FastifyRequest,
  reply: FastifyReply,
  query: { limit: number; cursor?: string | undefined },
  filters: object,
  load: (page: { limit: number; cursor?: string }) => Promise<Page<T>>,
  view: (item: T) => V,
): Promise<{ items: V[]; next_cursor: string | null }> {
  const scope = listScope(request, filters);
  const cursor = query.cursor === undefined ? {} : { cursor: openCursor(scope, query.cursor) };
  const page = await load({ limit: query.limit, ...cursor });
  const next = page.nextCursor === null ? null : sealCursor(scope, page.nextCursor);
  if (next !== null) linkNext(request, reply, next);
  return { items: page.items.map(view), next_cursor: next };
}

export function linkNext(request: FastifyRequest, reply: FastifyReply, cursor: string): void {
  const url = new URL(request.url, "http://localhost");
  url.searchParams.set("cursor", cursor);
  reply.header("link", `<${url.pathname}${url.search}>; rel="next"`);
}

/** The same for what an engine tells in one piece: the cursor is how many were shown. */
export async function slicePage<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  query: { limit: number; cursor?: string | undefined },
  filters: object,
  items: readonly T[],
): Promise<{ items: T[]; next_cursor: string | null }> {
  const load = async (page: { limit: number; cursor?: string }): Promise<Page<T>> => {
    const from = Number(page.cursor ?? 0);
    const to = from + page.limit;
    return { items: items.slice(from, to), nextCursor: to < items.length ? String(to) : null };
  };
  return answerPage(request, reply, query, filters, load, (item) => item);
}
