import table from "virtual:operations";
import type { AnswerOf, CallerInput, ProblemView } from "../../src/operations/operation.ts";
import type { Operations } from "../../src/operations/table.ts";

/** A thin client of the public API: every call is a row of the server's own table of operations. */
export type OperationName = {
  [S in keyof Operations]: `${S}.${Extract<keyof Operations[S], string>}`;
}[keyof Operations];
type Row<N extends OperationName> = N extends `${infer S extends keyof Operations}.${infer V}`
  ? V extends keyof Operations[S]
    ? Operations[S][V]
    : never
  : never;
export type Input<N extends OperationName> = CallerInput<Row<N>>;
export type Answer<N extends OperationName> = AnswerOf<Row<N>>;

/** Where the pages begin, as the server wrote it into <base>: it may stand below any path. */
export const PAGES = new URL(".", document.baseURI);
const API = new URL("../api/v1", PAGES);

/** The server answered with a problem (RFC 9457), or not at all (status 0). */
export class ApiProblem extends Error {
  readonly status: number;
  readonly view: Partial<ProblemView>;

  constructor(status: number, view: Partial<ProblemView>) {
    super(view.detail ?? `the server answered ${status}`);
    this.name = "ApiProblem";
    this.status = status;
    this.view = view;
  }
}

interface HttpCall {
  readonly method: string;
  readonly url: URL;
  readonly body: string | null;
  /** Of the body. */
  readonly type: "application/json" | "application/yaml";
}

/** How a call travels: the same for fetch, for the curl line and for the link to the JSON. */
export function httpCall<N extends OperationName>(name: N, input: Input<N>): HttpCall {
  const [method, path, queryNames] = table[name]!;
  const rest: Record<string, unknown> = { ...input };
  const filled = path.replaceAll(/:(\w+)/g, (_, key: string) => {
    const value = encodeURIComponent(String(rest[key]));
    delete rest[key];
    return value;
  });
  const url = new URL(`${API.href}${filled}`);
  for (const key of queryNames) {
    for (const value of [rest[key] ?? []].flat()) url.searchParams.append(key, String(value));
    delete rest[key];
  }
  if (method === "GET" || method === "DELETE") return { method, url, body: null, type: "application/json" };
  // A document goes as the person wrote it: what is wrong with it stands in a line of theirs.
  if (typeof rest.body === "string") return { method, url, body: rest.body, type: "application/yaml" };
  return { method, url, body: JSON.stringify(rest), type: "application/json" };
}

interface CallOptions {
  readonly signal?: AbortSignal;
  /** The version of the request that the page showed: the server refuses when it moved on. */
  readonly version?: number;
}

export async function call<N extends OperationName>(
  name: N,
  input: Input<N>,
  { signal, version }: CallOptions = {},
): Promise<Answer<N>> {
  const { method, url, body, type } = httpCall(name, input);
  const headers = new Headers({ accept: "application/json" });
  // By it the server knows that a change comes from a page of its own, and where the cookie of a session belongs.
  if (method !== "GET") headers.set("wms2-desk", new URL("..", PAGES).pathname);
  if (body !== null) headers.set("content-type", type);
  if (version !== undefined) headers.set("if-match", `"${version}"`);
  const answer = await send(url, { method, headers, body, signal: signal ?? null });
  const text = await answer.text();
  const value = text ? JSON.parse(text) : null;
  if (answer.ok) return value as Answer<N>;
  throw new ApiProblem(answer.status, value ?? {});
}

/** What the server has as text for people: the same as a terminal and an agent get. */
export async function callText<N extends OperationName>(
  name: N,
  input: Input<N>,
  { signal }: Pick<CallOptions, "signal"> = {},
): Promise<string> {
  const { url } = httpCall(name, input);
  const answer = await send(url, { headers: { accept: "text/plain" }, signal: signal ?? null });
  const text = await answer.text();
  if (answer.ok) return text;
  throw new ApiProblem(answer.status, JSON.parse(text));
}

/** Cookies go along; a server that cannot be reached is a problem like any other. */
export async function send(url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, credentials: "same-origin" });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiProblem(0, {
      detail: "the server cannot be reached",
      hint: "is the server running, and is the network up?",
    });
  }
}

export const apiUrl = (path: string): URL => new URL(`${API.href}${path}`);
