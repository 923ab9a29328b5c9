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

export interface PageQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
}
export interface PageView<V> {
  items: V[];
  next_cursor: string | null;
}
type LoadPage<T> = (page: { limit: number; cursor?: string }) => Promise<Page<T>>;

/** One page of a list: opens the caller's cursor, seals the next one. */
export async function loadPage<T, V>(
  request: FastifyRequest,
  query: PageQuery,
  filters: object,
  load: LoadPage<T>,
  view: (item: T) => V,
): Promise<PageView<V>> {
  const scope = listScope(request, filters);
  const cursor = query.cursor === undefined ? {} : { cursor: openCursor(scope, query.cursor) };
  const page = await load({ limit: query.limit, ...cursor });
  const next_cursor = page.nextCursor === null ? null : sealCursor(scope, page.nextCursor);
  return { items: page.items.map(view), next_cursor };
}

/** The same page, with a Link header that leads to the next one. */
export function linkNext<P extends { next_cursor: string | null }>(
  request: FastifyRequest,
  reply: FastifyReply,
  page: P,
): P {
  if (page.next_cursor !== null) {
    const url = new URL(request.url, "http://localhost");
    url.searchParams.set("cursor", page.next_cursor);
    reply.header("link", `<${url.pathname}${url.search}>; rel="next"`);
  }
  return page;
}

export const answerPage = async <T, V>(
  request: FastifyRequest,
  reply: FastifyReply,
  query: PageQuery,
  filters: object,
  load: LoadPage<T>,
  view: (item: T) => V,
): Promise<PageView<V>> => linkNext(request, reply, await loadPage(request, query, filters, load, view));

/** A page of what an engine tells in one piece: the cursor is how many were shown. */
export function slicePage<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  query: PageQuery,
  filters: object,
  items: readonly T[],
): Promise<PageView<T>> {
  const load: LoadPage<T> = async ({ limit, cursor }) => {
    const from = Number(cursor ?? 0);
    const to = from + limit;
    return { items: items.slice(from, to), nextCursor: to < items.length ? String(to) : null };
  };
  return answerPage(request, reply, query, filters, load, (item) => item);
}
