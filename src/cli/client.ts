import { ERROR_TABLE, type ErrorCode, WorldError } from "../core/base/errors.ts";
import { parseJson } from "../core/base/json.ts";
import type { Problem } from "../core/problem.ts";
import { httpParts } from "../operations/http-parts.ts";
import type { AnswerOf, CallerInput, Operation, ProblemView } from "../operations/operation.ts";
import { OPERATIONS, type Operations } from "../operations/table.ts";

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
  /** What to do when nobody answers there; absent: the usual. */
  readonly hint?: string;
}

interface Sent {
  readonly url: string;
  readonly path: string;
  readonly status: number;
  readonly etag: string | null;
  readonly text: string;
}

const ANSWER_WITHIN_MS = 35_000;

/** The version that was looked at: what moved on since is left alone. */
interface Looked {
  readonly version?: number | undefined;
}
type Ask<O> = (
  ...asked: Record<never, never> extends CallerInput<O>
    ? [input?: CallerInput<O>, looked?: Looked]
    : [input: CallerInput<O>, looked?: Looked]
) => Promise<AnswerOf<O>>;
type Calls = { readonly [S in keyof Operations]: { readonly [O in keyof Operations[S]]: Ask<Operations[S][O]> } };

/** Every operation of the API as a function of the same name: `client.requests.show({ name })`. */
export interface Client extends Calls {
  readonly url: string;
  /** Of the server that answered last; null: none has yet. */
  readonly instance: string | null;
  /** Whatever the server answers, good or bad; throws only when nobody does. */
  send(operation: Operation, input: object, headers: Readonly<Record<string, string>>): Promise<Sent>;
  /** What the server has as text for people. */
  text<O extends Operation>(operation: O, input: CallerInput<O>): Promise<string>;
}

/**
 * Talks HTTP to the server. Where it is gets asked again for every call, so a server that came back on another
 * port is found again. Everything that is no answer becomes a WorldError with the server's own code and message.
 */
export function makeClient(reach: () => Reach): Client {
  let instance: string | null = null;

  const send: Client["send"] = async (operation, input, more) => {
    const { url, token, hint } = reach();
    const { path, body, type } = httpParts(operation, { ...input });
    const headers = {
      ...more,
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(type !== null && { "content-type": type }),
    };
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const { method } = operation;
    return fetch(`${url}/api/v1${path}`, { method, headers, body, signal })
      .then(async (answer) => {
        instance = answer.headers.get("wms2-instance") ?? instance;
        return { url, path, status: answer.status, etag: answer.headers.get("etag"), text: await answer.text() };
      })
      .catch((error: Error) => {
        const cause = error.cause ?? error;
        throw new WorldError("server-unreachable", url, `no answer from the server at ${url}`, {
          cause,
          ...(hint !== undefined && { hint }),
        });
      });
  };

  /** The text of a good answer; any other is thrown. */
  const fetchText = async (operation: Operation, input: object, accept: string, { version }: Looked = {}) => {
    const headers = { accept, ...(version !== undefined && { "if-match": `"${version}"` }) };
    const { url, path, status, text } = await send(operation, input, headers);
    if (status >= 200 && status < 300) return { text, url };
    const json = parseJson(text);
    throw refusal(url, path, status, json.ok ? json.value : null);
  };

  const ask = async (operation: Operation, input: object = {}, looked?: Looked): Promise<unknown> => {
    const { text, url } = await fetchText(operation, input, "application/json", looked);
    const json = parseJson(text);
    if (json.ok) return json.value;
    throw new WorldError("server-unreachable", url, `what answers at ${url} is not a wms2 server`, {
      hint: "check --server and WMS2_SERVER",
    });
  };

  const calls = mapped(OPERATIONS, (subject) =>
    mapped<Operation>(subject, (operation) => (input?: object, looked?: Looked) => ask(operation, input, looked)),
  );
  return {
    ...(calls as unknown as Calls),
    get url() {
      return reach().url;
    },
    get instance() {
      return instance;
    },
    send,
    text: async (operation, input) => (await fetchText(operation, input, "text/plain")).text,
  };
}

const mapped = <T>(row: Readonly<Record<string, T>>, make: (value: T) => unknown) =>
  Object.fromEntries(Object.entries(row).map(([key, value]) => [key, make(value)]));

/** The items of all pages, at most `most` of them. */
export async function allOf<I extends object, T>(
  list: (input: I & { limit: number; cursor?: string }) => Promise<{ items: T[]; next_cursor: string | null }>,
  input: I,
  most?: number,
): Promise<{ items: T[]; more: boolean }> {
  const { items, next_cursor } = await joined(
    (cursor, left) => list({ ...input, limit: Math.min(1000, left), ...(cursor !== undefined && { cursor }) }),
    most,
  );
  return { items, more: next_cursor !== null };
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
