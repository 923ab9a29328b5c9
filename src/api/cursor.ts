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

const sealCursor = (scope: string, cursor: string): string =>
  Buffer.from(checksum(scope, cursor) + cursor).toString("base64url");

function openCursor(scope: string, sealed: string): string {
  const text = Buffer.from(sealed, "base64url").toString("utf8");
  const cursor = text.slice(CHECK_LENGTH);
  if (text.slice(0, CHECK_LENGTH) === checksum(scope, cursor)) return cursor;
  throw usageError("bad query", {
    path: "cursor",
    message: "not a cursor of this list",
    allowed: "next_cursor of the page before, with the same filters",
  });
}

interface PageQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
}
type LoadPage<P> = (page: { limit: number; cursor?: string }) => Promise<P>;

/** One page of a list: opens the caller's cursor, seals the next one. */
export async function loadPage<P extends { readonly nextCursor: string | null }>(
  request: FastifyRequest,
  { limit, cursor }: PageQuery,
  filters: object,
  load: LoadPage<P>,
): Promise<P> {
  // Which list: the path without its query, and the filters in a stable order.
  const scope = `${request.url.split("?", 1)[0]} ${JSON.stringify(filters)}`;
  const page = await load({ limit, ...(cursor !== undefined && { cursor: openCursor(scope, cursor) }) });
  return { ...page, nextCursor: page.nextCursor === null ? null : sealCursor(scope, page.nextCursor) };
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

/** A page with views of its items. */
export const pageView = <T, V>({ items, nextCursor }: Page<T>, view: (item: T) => V) => ({
  items: items.map(view),
  next_cursor: nextCursor,
});

/** The page that a caller's query asks for. */
export const answerPage = async <T, V>(
  request: FastifyRequest & { query: PageQuery },
  reply: FastifyReply,
  filters: object,
  load: LoadPage<Page<T>>,
  view: (item: T) => V,
) => linkNext(request, reply, pageView(await loadPage(request, request.query, filters, load), view));

/** A page of what an engine tells in one piece: the cursor is how many were shown. */
export const slicePage = <T, V>(
  request: FastifyRequest & { query: PageQuery },
  reply: FastifyReply,
  filters: object,
  items: readonly T[],
  view: (item: T) => V,
) => {
  const load: LoadPage<Page<T>> = async ({ limit, cursor }) => {
    const from = Number(cursor ?? 0);
    const to = from + limit;
    return { items: items.slice(from, to), nextCursor: to < items.length ? String(to) : null };
  };
  return answerPage(request, reply, filters, load, view);
};
