import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "../base/clock.ts";
import { WorldError } from "../base/errors.ts";
import type { SettingStore } from "../store/port.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Name of the token that asked; "" when none was needed. */
    actor: string;
  }
  interface FastifyContextConfig {
    /** Answers without a token, whatever the settings. */
    open?: boolean;
  }
}

/**
 * Who may ask. Changes need an operator token; reads are open, but only to callers that name this server by a
 * loopback name: a web page that rebinds its own DNS name to 127.0.0.1 sends that name as Host and gets 401.
 */
export function authenticator(
  settings: Pick<SettingStore, "findToken">,
  clock: Clock,
  options: { requireAuthForReads: boolean },
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  const names = new TokenNames(settings, clock);
  return async (request, reply) => {
    if (request.routeOptions.config.open) return;
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (isRead && !options.requireAuthForReads && isLoopbackName(request.headers.host)) return;
    const token = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? "")?.[1];
    const actor = token && (await names.find(token));
    if (actor) {
      request.actor = actor;
      return;
    }
    const challenge = token ? 'Bearer realm="wms2", error="invalid_token"' : 'Bearer realm="wms2"';
    reply.header("www-authenticate", challenge);
    const words = token ? "this token is not known here" : "this needs an operator token";
    throw new WorldError("unauthenticated", request.url, words);
  };
}

export function isLoopbackName(host: string | undefined): boolean {
  if (host === undefined) return true;
  const name = host.replace(/:\d+$/, "").toLowerCase();
  return name === "localhost" || name.endsWith(".localhost") || name === "[::1]" || /^127(\.\d{1,3}){3}$/.test(name);
}

/** Tokens that were good a moment ago; a withdrawn one works for at most `KEEP_MS` more. */
class TokenNames {
  readonly #settings: Pick<SettingStore, "findToken">;
  readonly #clock: Clock;
  readonly #known = new Map<string, { name: string; untilMs: number }>();

  constructor(settings: Pick<SettingStore, "findToken">, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
  }

  async find(token: string): Promise<string | null> {
    const sha256 = createHash("sha256").update(token).digest("hex");
    const nowMs = this.#clock.now().getTime();
    const known = this.#known.get(sha256);
    if (known && nowMs < known.untilMs) return known.name;
    this.#known.delete(sha256);
    const found = await this.#settings.findToken(sha256);
    if (!found) return null;
    this.#known.set(sha256, { name: found.name, untilMs: nowMs + KEEP_MS });
    return found.name;
  }
}
const KEEP_MS = 10_000;
