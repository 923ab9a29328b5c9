import { randomBytes } from "node:crypto";
import type { Answer, Asked, Service } from "../http.ts";
import type { World } from "../world.ts";
import { accepts, errorAnswer, RucioError, rucioDate } from "./talk.ts";

/** A host of its own: it gives tokens to whoever has a certificate, and nothing else. */
export const rucioAuth: Service = {
  name: "rucio-auth",
  prefix: "/rucio-auth",
  routes: [["GET", /^\/auth\/(?:x509|x509_proxy|userpass)$/, giveToken]],
  admit: (_world, { person }) => {
    if (person === null) throw denied("no client certificate");
    return null;
  },
  failed: errorAnswer,
};

const denied = (why: string): RucioError =>
  new RucioError(401, "CannotAuthenticate", `Cannot authenticate with given credentials: ${why}`);

function giveToken(world: World, asked: Asked): Answer {
  accepts(asked, "application/octet-stream");
  const { headers, person } = asked;
  const all = world.accounts.values().map(({ account }) => account);
  const wanted = headers["x-rucio-account"] ?? (all.length === 1 ? all[0] : undefined);
  if (wanted === undefined && headers["x-rucio-allow-return-multiple-accounts"] === "true")
    return { status: 206, headers: { "x-rucio-auth-accounts": all.join(",") } };
  if (typeof wanted !== "string" || !world.accounts.has(wanted)) throw denied(`account ${wanted}`);
  const token = `${wanted}-${person}-unknown-${randomBytes(16).toString("hex")}`;
  const expires = Math.floor(Date.now() / 1000) + world.options.tokenSec;
  world.tokens.put(token, { account: wanted, expires });
  return {
    status: 200,
    headers: {
      "content-type": "application/octet-stream",
      "x-rucio-auth-token": token,
      "x-rucio-auth-token-expires": rucioDate(expires),
      "x-rucio-auth-account": wanted,
    },
  };
}
