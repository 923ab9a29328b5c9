import type { FastifyReply, FastifyRequest } from "fastify";
import { plainText } from "../../core/base/plain-text.ts";
import type { Api } from "./api-types.ts";
import { BASE } from "./api-types.ts";

/** Text for who asks for text and not for JSON as well. */
export const wantsText = (accept: string | undefined): boolean =>
  accept?.includes("text/plain") === true && !accept.includes("json");

/**
 * Every answer that is a page for people is also text, made from the very same answer: what is not in one is not in the
 * other. Lists are tables; which columns, where all would be too many, is said here once.
 */
export function textTwins(app: Api): void {
  app.addHook("preSerialization", async (request: FastifyRequest, reply: FastifyReply, payload: unknown) => {
    const isPage = request.method === "GET" && reply.statusCode === 200 && wantsText(request.headers.accept);
    if (!isPage || typeof payload !== "object" || payload === null) return payload;
    reply.header("content-type", "text/plain; charset=utf-8").serializer(String);
    const path = (request.routeOptions.url ?? "").replace(BASE, "");
    return plainText(textOf(payload as Fields, { noun: nounOf(path), columns: COLUMNS[path] }));
  });
}

/** Paths of fields; a list that is not named here shows all that says something. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  "/requests": ["request_name", "status", "progress.done", "progress.total", "failing", "priority", "eta.at", "reason"],
  "/causes": ["name", "category", "site", "file", "requests", "held", "failures", "retrying", "suggestion.reason"],
  "/feed": ["at", "kind", "subject", "what", "actor", "text"],
  "/requests/:name/actions": ["action", "allowed", "effect", "why_not"],
  "/audit": ["at", "actor", "action", "subject", "outcome", "reason"],
  "/alerts": ["id", "severity", "subject", "count", "first_at", "acknowledged_by", "message"],
  "/sites": ["name", "status", "cores", "note"],
  "/requests/:name/attempts": ["unit", "node", "cluster", "site", "exit_code", "decision", "wall_sec", "reason"],
};

/** What a list counts, in its own word: the page's last name, unless that is no noun for them. */
const NOUNS: Readonly<Record<string, string>> = {
  feed: "events",
  search: "matches",
  queue: "requests",
  audit: "actions",
};
function nounOf(path: string): string {
  const last = path.split("/").findLast((part) => part !== "" && !part.startsWith(":")) ?? "lines";
  return words(NOUNS[last] ?? last);
}
interface Page {
  readonly noun: string;
  readonly columns: readonly string[] | undefined;
}
const PLAIN: Page = { noun: "lines", columns: undefined };

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isNothing = (value: unknown): boolean =>
  value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
const words = (key: string): string => (key === "request_name" ? "request" : key.replaceAll("_", " "));

/** What is small first, then whatever is a list or has parts of its own. */
export function textOf(fields: Fields, page: Page = PLAIN): string {
  const { next_cursor: next, ...rest } = fields;
  const all = Object.entries(rest).filter(([, value]) => !isNothing(value));
  const small = all.filter(([, value]) => isSmall(value));
  const width = Math.max(0, ...small.map(([key]) => words(key).length));
  const lines = small.map(([key, value]) => `${words(key).padEnd(width)}  ${smallText(value)}`);
  const parts = all.filter(([, value]) => !isSmall(value)).map(([key, value]) => partText(key, value, page));
  const more = typeof next === "string" ? [`more: add ?cursor=${next}`] : [];
  const nothing = parts.length === 0 && (lines.length === 0 || "items" in fields) ? [`no ${page.noun}`] : [];
  return `${[...(lines.length > 0 ? [lines.join("\n")] : []), ...parts, ...more, ...nothing].join("\n\n")}\n`;
}

const isSmall = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.every((one) => typeof one !== "object" && String(one).length < 60) && value.length <= 10
    : !isFields(value) && !String(value).includes("\n");

const smallText = (value: unknown): string => (Array.isArray(value) ? value.join(", ") : String(value));

function partText(key: string, value: unknown, { noun, columns }: Page): string {
  const isList = key === "items" || key === "entries";
  const head = (isList ? noun : words(key)).toUpperCase();
  if (typeof value === "string") return `${head}\n${indented(value)}`;
  if (isFields(value)) return `${head}\n${indented(textOf(value).trimEnd())}`;
  const items = value as readonly unknown[];
  if (!items.every(isFields)) return `${head} (${items.length})\n${indented(items.map(cell).join("\n"))}`;
  return `${head} (${items.length})\n${tableText(items, isList ? columns : undefined)}`;
}

const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, "  ");

const LONGEST_CELL = 100;
function cell(value: unknown): string {
  if (isNothing(value)) return "";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.every((one) => typeof one !== "object") ? value.join(",") : `${value.length}`;
  if (isFields(value))
    return Object.values(value)
      .filter((one) => !isNothing(one))
      .map(cell)
      .join(" ");
  return String(value).replaceAll(/\s*\n\s*/g, " ⏎ ");
}

const at = (item: Fields, path: string): unknown =>
  path.split(".").reduce<unknown>((value, key) => (isFields(value) ? value[key] : undefined), item);

/** Columns that say nothing anywhere are left out; the last may be long, it has the words. */
function tableText(items: readonly Fields[], named?: readonly string[]): string {
  const columns = named ?? [...new Set(items.flatMap((item) => Object.keys(item)))];
  const shown = columns.filter((path) => items.some((item) => cell(at(item, path)) !== ""));
  const rows = [
    shown.map((path) => words(path.split(".").at(-1) ?? path).toUpperCase()),
    ...items.map((item) => shown.map((path) => cell(at(item, path)))),
  ];
  const cut = (text: string, place: number) =>
    place === shown.length - 1 || text.length <= LONGEST_CELL ? text : `${text.slice(0, LONGEST_CELL - 1)}…`;
  const widths = shown.map((_, place) => Math.max(...rows.map((row) => cut(row[place] ?? "", place).length)));
  return rows
    .map((row) =>
      row
        .map((text, place) => cut(text, place).padEnd(widths[place] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
