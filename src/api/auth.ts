import type { FastifyReply, FastifyRequest } from "fastify";
import { WorldError } from "../base/errors.ts";
import { isLoopback } from "../base/loopback.ts";
import type { Role } from "../operations/operation.ts";
import type { Tokens } from "./tokens.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Name of the token that asked; "" when none was needed. */
    actor: string;
    /** What the answer of 500 or more is about. */
    failure: unknown;
  }
  interface FastifyContextConfig {
    role?: Role;
  }
}

/**
 * Who may ask: the one check of roles. Reading is open, but only to callers that name this server by a loopback name:
 * a web page that rebinds its own DNS name to 127.0.0.1 sends that name as Host and gets 401.
 */
export function authenticator(
  tokens: Pick<Tokens, "nameOf">,
  options: { requireAuthForReads: boolean },
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  return async (request, reply) => {
    const { role = "operator" } = request.routeOptions.config;
    if (role === "anyone") return;
    const isOpen = role === "reader" && !options.requireAuthForReads;
    if (isOpen && isLoopback((request.headers.host ?? "localhost").replace(/:\d+$/, ""))) return;
    const token = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? "")?.[1];
    const actor = token && (await tokens.nameOf(token));
    if (actor) {
      request.actor = actor;
      return;
    }
    const challenge = token ? 'Bearer realm="wms2", error="invalid_token"' : 'Bearer realm="wms2"';
    reply.header("www-authenticate", challenge);
    const message = token ? "this token is not known here" : "this needs an operator token";
    throw new WorldError("unauthenticated", request.url, message);
  };
}
