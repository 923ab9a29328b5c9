import type { ProblemView } from "../api/client-types.ts";
import { ERROR_TABLE, type ErrorCode, WorldError } from "../base/errors.ts";
import { parseJson } from "../base/json.ts";
import type { Problem } from "../domain/problem.ts";

/** The server refused a document and said why, point by point. */
export class RefusedError extends WorldError {
  readonly problems: readonly Problem[];

  constructor(code: ErrorCode, subject: string, message: string, hint: string | null, problems: readonly Problem[]) {
    super(code, subject, message, hint === null ? {} : { hint });
    this.name = "RefusedError";
    this.problems = problems;
  }
}

export interface Reach {
  readonly url: string;
  readonly token: string | null;
}

export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

const ANSWER_WITHIN_MS = 35_000;

/**
 * Talks HTTP to the server. Where it is gets asked anew for every call, so a server that came back on another
 * port is found again. Everything that is no answer becomes a WorldError with the server's own code and words.
 */
export class Client {
  readonly #reach: () => Reach;

  constructor(reach: () => Reach) {
    this.#reach = reach;
  }

  get url(): string {
    return this.#reach().url;
  }

  get<T>(path: string, query: Query = {}): Promise<T> {
    return this.#ask<T>("GET", `${path}${queryText(query)}`);
  }

  /** What the server has as text for people. */
  async text(path: string, query: Query = {}): Promise<string> {
    const { status, text, url } = await this.#fetch("GET", `${path}${queryText(query)}`, undefined, "text/plain");
    if (status >= 200 && status < 300) return text;
    const json = parseJson(text);
    throw refusal(url, path, status, json.ok ? json.value : null);
  }

  send<T>(method: "POST" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<T> {
    return this.#ask<T>(method, path, body === undefined ? undefined : JSON.stringify(body));
  }

  /** A document that is JSON text already. */
  post<T>(path: string, text: string): Promise<T> {
    return this.#ask<T>("POST", path, text);
  }

  /** The items of all pages, at most `most` of them. */
  async all<T>(path: string, query: Query, most = Number.POSITIVE_INFINITY): Promise<{ items: T[]; more: boolean }> {
    const items: T[] = [];
    let cursor: string | undefined;
    for (;;) {
      const limit = Math.min(1000, most - items.length);
      type Page = { items: T[]; next_cursor: string | null };
      const page = await this.get<Page>(path, { ...query, limit, cursor });
      items.push(...page.items);
      if (page.next_cursor === null || items.length >= most) return { items, more: page.next_cursor !== null };
      cursor = page.next_cursor;
    }
  }

  async #ask<T>(method: string, path: string, body?: string): Promise<T> {
    const { status, text, url } = await this.#fetch(method, path, body, "application/json");
    const json = parseJson(text);
    if (status >= 200 && status < 300) {
      if (json.ok) return json.value as T;
      throw new WorldError("server-unreachable", url, `what answers at ${url} is not a wms2 server`, {
        hint: "check --server and WMS2_SERVER",
      });
    }
    throw refusal(url, path, status, json.ok ? json.value : null);
  }

  async #fetch(
    method: string,
    path: string,
    body: string | undefined,
    accept: string,
  ): Promise<{ status: number; text: string; url: string }> {
    const { url, token } = this.#reach();
    try {
      const answer = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: {
          accept,
          ...(token !== null && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body }),
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      });
      return { status: answer.status, text: await answer.text(), url };
    } catch (error) {
      throw unreachable(url, error);
    }
  }
}

const unreachable = (url: string, cause: unknown): WorldError =>
  new WorldError("server-unreachable", url, `no answer from the server at ${url}`, {
    cause: (cause as { cause?: unknown }).cause ?? cause,
  });

function refusal(url: string, path: string, status: number, body: unknown): WorldError {
  const view = (typeof body === "object" && body !== null ? body : {}) as Partial<ProblemView>;
  if (typeof view.code !== "string" || !Object.hasOwn(ERROR_TABLE, view.code)) {
    return new WorldError("server-unreachable", url, `${url} answered ${status} to ${path}`, {
      hint: "check that --server names a wms2 server",
    });
  }
  const code = view.code as ErrorCode;
  // The server speaks to programs too; a person at the command line is told of commands.
  const hint = view.hint === undefined || /GET \/|\/docs/.test(view.hint) ? null : view.hint;
  return new RefusedError(code, path, view.detail ?? code, hint, view.problems ?? []);
}

export function queryText(query: Query): string {
  const words = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) words.append(key, String(one));
  }
  const text = words.toString();
  return text ? `?${text}` : "";
}

/** A name as one part of a path. */
export const part = (name: string): string => encodeURIComponent(name);
