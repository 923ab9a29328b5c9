import type { FastifyReply, FastifyRequest } from "fastify";
import { agentActor } from "../../core/actor.ts";
import { WorldError } from "../../core/base/errors.ts";
import { isLoopback } from "../../core/base/loopback.ts";
import { AGENT_HEADER } from "../http-parts.ts";
import type { Role } from "../operation.ts";
import type { Sessions } from "./sessions.ts";
import type { Tokens } from "./tokens.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Name of the token that asked, and of the agent that used it; "" when none was needed. */
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
  sessions: Pick<Sessions, "of">,
  options: { requireAuthForReads: boolean },
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  return async (request, reply) => {
    const { role = "operator" } = request.routeOptions.config;
    if (role === "anyone") return;
    const isHere = isLoopback((request.headers.host ?? "localhost").replace(/:\d+$/, ""));
    const isOpen = role === "reader" && !options.requireAuthForReads && isHere;
    const token = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? "")?.[1];
    const known = token ? tokens.nameOf(token) : sessions.of(request).then((session) => session?.name ?? null);
    // Who needs no token is told who they are if that can be told.
    const name = await (isOpen ? known.catch(() => null) : known);
    if (name) {
      const agent = request.headers[AGENT_HEADER];
      request.actor = typeof agent === "string" ? agentActor(agent, name) : name;
      return;
    }
    if (isOpen) return;
    const challenge = token ? 'Bearer realm="wms2", error="invalid_token"' : 'Bearer realm="wms2"';
    reply.header("www-authenticate", challenge);
    const message = token ? "this token is not known here" : "this needs an operator token";
    throw new WorldError("unauthenticated", request.url, message);
  };
}
