import type { IncomingHttpHeaders } from "node:http";
import type { World } from "./world.ts";

export { isRow, type Row } from "../../src/core/base/json.ts";

export const EMULATED = ["reqmgr2", "couchdb", "dbs", "rucio", "rucio-auth", "cric", "site-status"] as const;
export type EmulatedName = (typeof EMULATED)[number];

/** A call as a service sees it. */
export interface Asked {
  readonly method: string;
  /** Below the service's base, still percent-encoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** Unpacked. */
  readonly body: Buffer;
  /** Who holds the client certificate; null: there is none, or not a good one. */
  readonly person: string | null;
  /** Where the service is, as the caller wrote it. */
  readonly base: string;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Large ones in pieces, made while they are sent. */
  readonly body?: string | Iterable<Uint8Array>;
}

/** The path is matched percent-encoded; its groups arrive decoded. */
export type Handler = (world: World, asked: Asked, ...parts: string[]) => Answer;
export type Route = readonly [method: string, path: RegExp, handle: Handler];

/** A service is its table of routes, and few words on what is the same for all of them. */
export interface Routes {
  readonly prefix: string;
  readonly routes: readonly Route[];
  /** Before any route: who may call at all. null: go on. */
  admit(world: World, asked: Asked): Answer | null;
  /** Where no route fits; 404 with nothing in it unless given. */
  readonly absent?: Answer;
  /** What a handler threw, in the service's own form; whatever it does not know, it throws again. */
  failed?(asked: Asked, error: unknown): Answer;
  /** Put on every answer. */
  headers?(world: World): Readonly<Record<string, string>>;
}
export interface Service extends Routes {
  readonly name: EmulatedName;
}

/** The front end of most services lets nobody in without a good certificate, and says nothing. */
export const certified = (_world: World, { person }: Asked): Answer | null =>
  person === null ? { status: 403 } : null;

export const text = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status,
  headers: { "content-type": "text/plain; charset=utf-8", ...headers },
  body,
});
export const json = (status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: `${JSON.stringify(value)}\n`,
});

export const unixSec = (): number => Math.floor(Date.now() / 1000);

/** As DBS and ReqMgr2 match names: `*` stands for anything. */
export function matcher(pattern: string): (name: string) => boolean {
  if (!pattern.includes("*")) return (name) => name === pattern;
  const escaped = pattern.split("*").map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&"));
  const regex = new RegExp(`^${escaped.join(".*")}$`);
  return (name) => regex.test(name);
}

/** The first route that fits answers. */
export function route(world: World, service: Routes, asked: Asked): Answer {
  try {
    const refused = service.admit(world, asked);
    if (refused) return refused;
    for (const [method, path, handle] of service.routes) {
      const match = method === asked.method ? path.exec(asked.path) : null;
      if (match) return handle(world, asked, ...match.slice(1).map((part) => decodeURIComponent(part ?? "")));
    }
    return service.absent ?? { status: 404 };
  } catch (error) {
    if (!service.failed) throw error;
    return service.failed(asked, error);
  }
}
