import { createHash, randomBytes } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "../base/clock.ts";
import { WorldError } from "../base/errors.ts";
import { isLoopback } from "../base/loopback.ts";
import type { SettingStore } from "../store/port.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Name of the token that asked; "" when none was needed. */
    actor: string;
    /** What the answer of 500 or more is about. */
    failure: unknown;
  }
  interface FastifyContextConfig {
    /** Answers without a token, whatever the settings. */
    open?: boolean;
    /** Needs a token even for reading on loopback. */
    guarded?: boolean;
  }
}

/**
 * Who may ask. Changes need an operator token; reads are open, but only to callers that name this server by a
 * loopback name: a web page that rebinds its own DNS name to 127.0.0.1 sends that name as Host and gets 401.
 */
export function authenticator(
  tokens: Pick<KnownTokens, "nameOf">,
  options: { requireAuthForReads: boolean },
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  return async (request, reply) => {
    if (request.routeOptions.config.open) return;
    const isRead = request.method === "GET" || request.method === "HEAD";
    const needsToken = !isRead || options.requireAuthForReads || request.routeOptions.config.guarded;
    if (!needsToken && isLoopback((request.headers.host ?? "localhost").replace(/:\d+$/, ""))) return;
    const token = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? "")?.[1];
    const actor = token && (await tokens.nameOf(token));
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

/** A token that nobody can guess, as it is given to a person once. */
export const newToken = (): string => randomBytes(24).toString("base64url");
export const hashOf = (token: string): string => createHash("sha256").update(token).digest("hex");

/** Finds the name of a token. One that was good a moment ago is not looked up: another server may have withdrawn it. */
export function knownTokens(settings: Pick<SettingStore, "findToken">, clock: Clock) {
  const known = new Map<string, { name: string; untilMs: number }>();
  return {
    forget: (sha256: string) => known.delete(sha256),
    async nameOf(token: string): Promise<string | null> {
      const sha256 = hashOf(token);
      const nowMs = clock.now().getTime();
      const kept = known.get(sha256);
      if (kept && nowMs < kept.untilMs) return kept.name;
      known.delete(sha256);
      const found = await settings.findToken(sha256);
      if (found) known.set(sha256, { name: found.name, untilMs: nowMs + KEEP_MS });
      return found?.name ?? null;
    },
  };
}
export type KnownTokens = ReturnType<typeof knownTokens>;
const KEEP_MS = 10_000;
