import type { ProblemView } from "../api/client-types.ts";
import { ERROR_TABLE, type ErrorCode, WorldError } from "../base/errors.ts";
import { parseJson, stringify } from "../base/json.ts";
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
  /** Of the server that answered last; null: none has yet. */
  instance: string | null = null;

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
    return (await this.#fetch("GET", `${path}${queryText(query)}`, "text/plain")).text;
  }

  send<T>(method: "POST" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<T> {
    return this.#ask<T>(method, path, body === undefined ? undefined : stringify(body));
  }

  /** The items of all pages, at most `most` of them. */
  async all<T>(path: string, query: Query = {}, most?: number): Promise<{ items: T[]; more: boolean }> {
    const { items, next_cursor } = await joined<{ items: T[]; next_cursor: string | null }>(
      (cursor, left) => this.get(path, { ...query, limit: Math.min(1000, left), cursor }),
      most,
    );
    return { items, more: next_cursor !== null };
  }

  async #ask<T>(method: string, path: string, body?: string): Promise<T> {
    const { text, url } = await this.#fetch(method, path, "application/json", body);
    const json = parseJson(text);
    if (json.ok) return json.value as T;
    throw new WorldError("server-unreachable", url, `what answers at ${url} is not a wms2 server`, {
      hint: "check --server and WMS2_SERVER",
    });
  }

  /** The text of a good answer; any other is thrown. */
  async #fetch(method: string, path: string, accept: string, body?: string): Promise<{ text: string; url: string }> {
    const { url, token } = this.#reach();
    const headers = {
      accept,
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const { ok, status, text } = await fetch(`${url}/api/v1${path}`, { method, headers, body: body ?? null, signal })
      .then(async (answer) => {
        this.instance = answer.headers.get("wms2-instance") ?? this.instance;
        return { ok: answer.ok, status: answer.status, text: await answer.text() };
      })
      .catch((error: Error) => {
        const cause = error.cause ?? error;
        throw new WorldError("server-unreachable", url, `no answer from the server at ${url}`, { cause });
      });
    if (ok) return { text, url };
    const json = parseJson(text);
    throw refusal(url, path, status, json.ok ? json.value : null);
  }
}

/** All pages as one, until there are `most` items: their lists one after another, all else as the last page says it. */
export async function joined<P extends { readonly items: readonly unknown[]; readonly next_cursor: string | null }>(
  ask: (cursor: string | undefined, left: number) => Promise<P>,
  most = Number.POSITIVE_INFINITY,
): Promise<P> {
  const whole = await ask(undefined, most);
  while (whole.next_cursor !== null && whole.items.length < most) {
    const page = await ask(whole.next_cursor, most - whole.items.length);
    for (const [key, value] of Object.entries<unknown>(page)) {
      const before: unknown = whole[key as keyof P];
      if (Array.isArray(before) && Array.isArray(value)) before.push(...value);
      else Object.assign(whole, { [key]: value });
    }
  }
  return whole;
}

const AT_ONCE = 8;

/** One question for each item, a few at a time. */
export async function inBatches<T, A>(items: readonly T[], ask: (item: T) => Promise<A>): Promise<A[]> {
  const answers: A[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE)
    answers.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(ask))));
  return answers;
}

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
