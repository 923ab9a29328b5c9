import type { FastifyReply, FastifyRequest } from "fastify";
import type { AnswerOf, InputOf } from "../operation.ts";
import { type LoadPage, openCursor, sealCursor } from "./cursor.ts";
import type { RunPorts } from "./ports.ts";
import { usageError } from "./problem.ts";
import type { Source } from "./view-of.ts";

/** What an operation does: gets its checked input, answers with a domain value, which its schema turns into a view. */
export type Run<O> = (
  input: InputOf<O>,
  call: Call,
) => Source<AnswerOf<O>> | FastifyReply | Promise<Source<AnswerOf<O>> | FastifyReply>;
/** One function for each operation of a subject. */
export type Runs<S> = { readonly [K in keyof S]: Run<S[K]> };

interface PageQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** Who calls, how, what may be asked to answer it, and what goes out beside the answer. */
export class Call {
  readonly ports: RunPorts;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly queries: RunPorts["queries"];
  readonly commands: RunPorts["commands"];

  constructor(ports: RunPorts, request: FastifyRequest, reply: FastifyReply) {
    this.ports = ports;
    this.request = request;
    this.reply = reply;
    this.queries = ports.queries;
    this.commands = ports.commands;
  }

  get actor(): string {
    return this.request.actor;
  }

  /** Who asks, and whether only to know what would be done: ?dry_run=true, or dry_run in the body. */
  get by() {
    const [query, body] = [this.request.query, this.request.body] as ({ dry_run?: unknown } | undefined)[];
    return { actor: this.actor, dryRun: query?.dry_run === "true" || body?.dry_run === true };
  }

  /** Who asks, and which version they looked at (If-Match); null when it does not matter to them. */
  get seen() {
    const header = this.request.headers["if-match"]?.trim() ?? "*";
    if (header === "*") return { actor: this.actor, version: null };
    const digits = /^"?(\d{1,15})"?$/.exec(header)?.[1];
    if (digits !== undefined) return { actor: this.actor, version: Number(digits) };
    throw usageError("bad header", {
      path: "If-Match",
      message: "not an ETag of this server",
      allowed: 'the ETag of the last GET, like "7"',
    });
  }

  etag(version: number): void {
    this.reply.header("etag", `"${version}"`);
  }

  /** One page of a list, with a Link header that leads to the next one. */
  async page<P extends { readonly nextCursor: string | null }>(
    query: PageQuery,
    filters: object,
    load: LoadPage<P>,
  ): Promise<P> {
    const page = await this.load(query, filters, load);
    this.link(page.nextCursor);
    return page;
  }

  /** The page without its header: opens the caller's cursor, seals the next one. */
  async load<P extends { readonly nextCursor: string | null }>(
    { limit, cursor }: PageQuery,
    filters: object,
    load: LoadPage<P>,
  ): Promise<P> {
    // Which list: the path without its query, and the filters in a stable order.
    const scope = `${this.request.url.split("?", 1)[0]} ${JSON.stringify(filters)}`;
    const page = await load({ limit, ...(cursor !== undefined && { cursor: openCursor(scope, cursor) }) });
    return { ...page, nextCursor: page.nextCursor === null ? null : sealCursor(scope, page.nextCursor) };
  }

  link(nextCursor: string | null): void {
    if (nextCursor === null) return;
    const url = new URL(this.request.url, "http://localhost");
    url.searchParams.set("cursor", nextCursor);
    this.reply.header("link", `<${url.pathname}${url.search}>; rel="next"`);
  }

  /** Whoever asks the same at the same time shares one look; for what is the same for everybody who may read. */
  shared<T>(look: () => Promise<T>): Promise<T> {
    return this.queries.sharedAnswers.ask(this.request.url, look) as Promise<T>;
  }

  /** An answer that is text. */
  text(type: string, text: string): FastifyReply {
    return this.reply.header("content-type", type).serializer(String).send(text);
  }
}
