import { REQUEST_STATUSES, type RequestStatus } from "../../../src/core/request-status.ts";
import type { Answer, Input } from "../../api/client.ts";
import { quoted } from "../../words.ts";

/** Which requests are shown: one value for the address, the list, the bulk filter and the CLI line. */
export interface Filter {
  readonly status?: RequestStatus[];
  readonly hold?: string[];
  readonly wait?: string[];
  readonly needs?: "person";
  readonly text?: string;
  readonly name?: string;
  readonly campaign?: string;
  readonly requestor?: string;
  readonly kind?: string;
  readonly site?: string;
  readonly file?: string;
  readonly code?: number;
}
type Sort = NonNullable<Input<"requests.list">["sort"]>;

interface Url {
  readonly get: (key: string) => string | undefined;
  readonly all: (key: string) => readonly string[];
}

const TEXTS = ["text", "name", "campaign", "requestor", "kind", "site", "file"] as const;
const LISTS = ["hold", "wait"] as const;
const SORTS: readonly string[] = ["oldest", "name", "updated", "waiting", "priority", "progress", "failing"];
const isStatus = (word: string): word is RequestStatus => (REQUEST_STATUSES as readonly string[]).includes(word);

/** What the address says; what nobody knows is left out. */
export function readFilter(url: Url): Filter {
  const status = url.all("status").filter(isStatus);
  const lists = LISTS.flatMap((key) => (url.all(key).length > 0 ? [[key, [...url.all(key)]]] : []));
  const code = url.get("code");
  const texts = TEXTS.flatMap((key) => (url.get(key) ? [[key, url.get(key)]] : []));
  return {
    ...(status.length > 0 && { status }),
    ...Object.fromEntries([...lists, ...texts]),
    ...(url.get("needs") === "person" && { needs: "person" as const }),
    ...(code !== undefined && /^-?\d+$/.test(code) && { code: Number(code) }),
  };
}

interface Told {
  readonly request_name: string;
  readonly requestor: string;
  readonly campaign: string;
  readonly reason: string;
}

/** What the server looks for a text in, as far as a row shows it. */
export const isLike = ({ request_name, requestor, campaign, reason }: Told, text: string): boolean =>
  [request_name, requestor, campaign, reason].join(" ").toLowerCase().includes(text.trim().toLowerCase());

export const readSort = (url: Url): Sort => {
  const word = url.get("sort");
  return word !== undefined && SORTS.includes(word) ? (word as Sort) : "newest";
};

export const isFiltered = (filter: Filter): boolean => Object.keys(filter).length > 0;

const pairs = (filter: Filter): (readonly [key: string, value: string])[] =>
  Object.entries(filter).flatMap(([key, value]) => [value].flat().map((item) => [key, String(item)] as const));

export const cliFilter = (filter: Filter): string =>
  ["--filter", ...pairs(filter).map(([key, value]) => `${key}=${quoted(value)}`)].join(" ");

export const cliList = (filter: Filter): string => `wms2 list${isFiltered(filter) ? ` ${cliFilter(filter)}` : ""}`;

/** The list with this filter, as a link of the pages. */
export const requestsHref = (filter: Answer<"desk.causes">["items"][number]["filter"]): string =>
  `/requests?${new URLSearchParams(pairs(filter as Filter).map(([key, value]) => [key, value]))}`;
