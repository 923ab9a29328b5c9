import { ERROR_TABLE } from "../../core/base/errors.ts";
import { parseJson } from "../../core/base/json.ts";
import { AGENT_HEADER } from "../http-parts.ts";
import type { Operation, ProblemView } from "../operation.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** What an operation answered, good or bad. */
export interface Answered {
  readonly status: number;
  readonly etag: string | null;
  /** Parsed JSON, or the text of an answer that is text. */
  readonly body: unknown;
}

/**
 * How an operation is asked: over HTTP from `wms2 mcp`, within the server for /mcp. Both go through the same routes,
 * so roles, checks and audit are those of the API. Throws WorldError when nobody answers.
 */
export type Ask = (operation: Operation, input: Fields, how?: AskHow) => Promise<Answered>;
interface AskHow {
  /** The ETag that was looked at: refused when it moved on. */
  readonly seen?: string;
  readonly asText?: boolean;
}

/** The headers and the answer of one that is asked by HTTP, with a socket or without. */
export const askHeaders = (agent: string, { seen, asText = false }: AskHow): Record<string, string> => ({
  accept: asText ? "text/plain" : "application/json",
  [AGENT_HEADER]: agent,
  ...(seen !== undefined && { "if-match": `"${seen}"` }),
});
export function answered(
  sent: { status: number; etag: string | null; text: string },
  { asText = false }: AskHow,
): Answered {
  const { status, etag, text } = sent;
  const json = asText && status < 300 ? null : parseJson(text);
  return { status, etag, body: json?.ok ? json.value : text };
}

export const isGood = ({ status }: Answered): boolean => status < 300;

export const whatHappened = (body: unknown): string =>
  ((body ?? {}) as Partial<ProblemView>).detail ?? "the server gave no reason";

/** A refusal in words for an agent: what happened, to what, what to try. */
export function refusalText(body: unknown): string {
  const { code = "bug", hint, problems = [] } = (body ?? {}) as Partial<ProblemView>;
  const places = problems.map(
    ({ path, message, allowed }) => `- ${path || "it"}: ${message}${allowed === null ? "" : ` (allowed: ${allowed})`}`,
  );
  const words = Object.hasOwn(AGENT_HINTS, code) ? AGENT_HINTS[code] : (hint ?? ERROR_TABLE.bug.hint);
  return [whatHappened(body), ...places, `try: ${words}`].join("\n");
}

/** Where the API speaks of commands and paths, an agent is told of tools. */
const AGENT_HINTS: Readonly<Record<string, string | undefined>> = {
  "bad-usage": "compare the arguments with the input schema of this tool",
  "not-found": "take names from list, sites, alerts, attempts or unclassified",
  unauthenticated: "ask the person who set up this connection for one with an operator token; reading may go on",
};
