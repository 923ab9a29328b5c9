import { probe, type Question } from "../http/question.ts";
import type { ReqMgr2 } from "../services.ts";

const HEADERS = { accept: "application/json" };

const get = (operation: string, url: string): Question => ({
  operation,
  method: "GET",
  url,
  headers: HEADERS,
  repeatable: true,
});

export const about = (base: string): Question => probe(`${base}/about`);
export const requestByName = (base: string, name: string): Question =>
  get("request.read", `${base}/request/${encodeURIComponent(name)}`);

/** Keys of different names are joined by "and", the same key twice by "or". */
export function namesLike(base: string, { status, team, campaigns }: Parameters<ReqMgr2["names"]>[0]): Question {
  const pairs = [
    ["status", status],
    ...(team === null ? [] : [["team", team]]),
    ...(campaigns ?? []).map((campaign) => ["campaign", campaign]),
    ["detail", "false"],
  ] as [string, string][];
  const query = pairs.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&");
  return get("requests.read", `${base}/request?${query}`);
}

/** Not sent twice: a second one would be refused as no move. Whoever is not sure looks first. */
export const newStatus = (base: string, name: string, status: string): Question => ({
  operation: "status.write",
  method: "PUT",
  url: `${base}/request/${encodeURIComponent(name)}`,
  headers: { ...HEADERS, "content-type": "application/json" },
  body: JSON.stringify({ RequestStatus: status }),
  repeatable: false,
});

/** An attachment of a CouchDB document, as it is. */
export const configFile = (base: string, id: string): Question => ({
  ...get("config.read", `${base}/${encodeURIComponent(id)}/configFile`),
  headers: { accept: "*/*" },
});
