import type { FastifyRequest } from "fastify";
import type { Clock } from "../../core/base/clock.ts";
import { WorldError } from "../../core/base/errors.ts";
import type { Store } from "../../store/port.ts";
import { hashOf, newToken } from "./tokens.ts";

/** How long a browser stays signed in. */
const LIFE_SEC = 12 * 3600;
/**
 * Browsers give cookies to every port of a host: the name has the port, so that two servers there do not sign each
 * other out. Below a path of a proxy the path tells them apart.
 */
const cookieName = ({ headers }: FastifyRequest): string => {
  const port = /:(\d{1,5})$/.exec(headers.host ?? "")?.[1];
  return port === undefined ? "wms2_session" : `wms2_session_${port}`;
};
/**
 * A page of another origin cannot send it without asking first, and nobody answers that question. Its value is where the
 * page and the API begin, as the browser sees it.
 */
const DESK_HEADER = "wms2-desk";
/**
 * Wrong tokens from one address within a minute; then that address is told to wait, unless its token is right: who works
 * beside somebody that guesses, or behind the same proxy, is not locked out. A token cannot be guessed anyway: this keeps
 * the log and the database quiet.
 */
const MOST_WRONG = 10;
const MINUTE_MS = 60_000;
const MOST_ADDRESSES = 10_000;

export type Sessions = ReturnType<typeof makeSessions>;

/** Browsers that signed in with a token: known by a cookie, which is kept as a hash like the token itself. */
export function makeSessions({ settings }: Pick<Store, "settings">, clock: Clock) {
  const wrong = new Map<string, { count: number; untilMs: number }>();
  const triesOf = (ip: string, nowMs: number) => {
    const before = wrong.get(ip);
    if (before && nowMs < before.untilMs && before.untilMs <= nowMs + MINUTE_MS) return before;
    if (wrong.size >= MOST_ADDRESSES) wrong.clear();
    const tries = { count: 0, untilMs: nowMs + MINUTE_MS };
    wrong.set(ip, tries);
    return tries;
  };
  const endOf = (nowMs: number): Date => new Date(nowMs + LIFE_SEC * 1000);
  const find = (cookie: string) => {
    const now = clock.now();
    return settings.findSession(hashOf(cookie), now, endOf(now.getTime()));
  };
  return {
    /** null: there is no session, or this request may not use it. */
    async of(request: FastifyRequest): Promise<{ readonly name: string; readonly until: Date } | null> {
      const cookie = cookieOf(request);
      return cookie !== null && isOwnPage(request) ? find(cookie) : null;
    },

    /** The cookie to set; throws WorldError("unauthenticated" | "too-many"). */
    async signIn(token: string, request: FastifyRequest) {
      const nowMs = clock.now().getTime();
      const tries = triesOf(request.ip, nowMs);
      // Counted before it is known: many at once are as many as one after the other.
      tries.count += 1;
      const isLate = tries.count > MOST_WRONG;
      const tokenSha256 = hashOf(token);
      const found = await settings.findToken(tokenSha256);
      if (!found && isLate)
        throw new WorldError(
          "too-many",
          request.ip,
          `${MOST_WRONG} wrong tokens came from ${request.ip} within a minute`,
        );
      if (!found) {
        const hint = "give the token as wms2 tokens add or the file operator.token shows it";
        throw new WorldError("unauthenticated", "token", "this token is not known here", { hint });
      }
      tries.count -= 1;
      const cookie = newToken();
      const until = endOf(nowMs);
      await settings.addSession({ sha256: hashOf(cookie), tokenSha256, at: clock.now(), until });
      return { name: found.name, until, header: setCookie(cookie, LIFE_SEC, request) };
    },

    async signOut(request: FastifyRequest) {
      const cookie = cookieOf(request);
      const isOut = cookie !== null && isOwnPage(request) && (await settings.removeSession(hashOf(cookie)));
      return { isOut, header: setCookie("", 0, request) };
    },
  };
}

const cookieOf = (request: FastifyRequest): string | null =>
  new RegExp(`(?:^|; *)${cookieName(request)}=([\\w-]{20,100})(?:;|$)`).exec(request.headers.cookie ?? "")?.[1] ?? null;

/** Reading is safe by SameSite; a change must come from a page of ours, which says so. */
function isOwnPage({ method, headers }: FastifyRequest): boolean {
  if (method === "GET" || method === "HEAD") return true;
  const site = headers["sec-fetch-site"];
  return headers[DESK_HEADER] !== undefined && (site === undefined || site === "same-origin" || site === "none");
}

function setCookie(value: string, lifeSec: number, request: FastifyRequest): string {
  const { headers, protocol } = request;
  const isSecure = protocol === "https" || headers["x-forwarded-proto"] === "https";
  const begins = String(headers[DESK_HEADER] ?? "");
  const path = /^\/(?:[\w.~%-]+\/)*$/.test(begins) ? begins : "/";
  const parts = [
    `${cookieName(request)}=${value}`,
    `Path=${path}`,
    `Max-Age=${lifeSec}`,
    "HttpOnly",
    "SameSite=Strict",
  ];
  return [...parts, ...(isSecure ? ["Secure"] : [])].join("; ");
}
