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
  const nameOf = tokenNames(settings, clock);
  return async (request, reply) => {
    if (request.routeOptions.config.open) return;
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (isRead && !options.requireAuthForReads && isLoopbackName(request.headers.host)) return;
    const token = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? "")?.[1];
    const actor = token && (await nameOf(token));
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

function isLoopbackName(host: string | undefined): boolean {
  if (host === undefined) return true;
  const name = host.replace(/:\d+$/, "").toLowerCase();
  return name === "localhost" || name.endsWith(".localhost") || name === "[::1]" || /^127(\.\d{1,3}){3}$/.test(name);
}

/** Finds the name of a token. One that was good a moment ago is not looked up: withdrawn, it works `KEEP_MS` longer. */
function tokenNames(settings: Pick<SettingStore, "findToken">, clock: Clock) {
  const known = new Map<string, { name: string; untilMs: number }>();
  return async (token: string): Promise<string | null> => {
    const sha256 = createHash("sha256").update(token).digest("hex");
    const nowMs = clock.now().getTime();
    const kept = known.get(sha256);
    if (kept && nowMs < kept.untilMs) return kept.name;
    known.delete(sha256);
    const found = await settings.findToken(sha256);
    if (found) known.set(sha256, { name: found.name, untilMs: nowMs + KEEP_MS });
    return found?.name ?? null;
  };
}
const KEEP_MS = 10_000;
