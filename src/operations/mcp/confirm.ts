import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { Fields } from "./ask.ts";

/**
 * A confirm token says: this change, with these arguments, was previewed against this state by whoever has this
 * operator token. Nothing is kept: it is signed with a key made of the caller's own operator token, so any server can
 * check it, nobody else can use it, and it ends with the token it was made with.
 */
const VALID_SEC = 15 * 60;
/** Clocks of two servers may differ by so much. */
const SKEW_SEC = 60;

export interface Previewed {
  readonly tool: string;
  readonly input: Fields;
  /** The operator token of the caller. */
  readonly secret: string;
}

export function makeConfirm(previewed: Previewed, state: string, now: Date): string {
  const until = (Math.floor(now.getTime() / 1000) + VALID_SEC).toString(36);
  return `${state}.${until}.${signature(previewed, state, until)}`;
}

type Confirmed = { readonly ok: true; readonly state: string } | { readonly ok: false; readonly why: string };

export function readConfirm(confirm: string, previewed: Previewed, now: Date): Confirmed {
  const [state = "", until = "", signed = ""] = confirm.split(".");
  const right = Buffer.from(signature(previewed, state, until));
  const given = Buffer.from(signed);
  if (given.length !== right.length || !timingSafeEqual(given, right))
    return {
      ok: false,
      why: "this confirm token is not for this call: the tool, an argument or the connection differs",
    };
  const leftSec = Number.parseInt(until, 36) - now.getTime() / 1000;
  if (leftSec > VALID_SEC + SKEW_SEC)
    return { ok: false, why: "this confirm token was made by a clock that has been set back since: preview it again" };
  if (leftSec < 0) return { ok: false, why: `this confirm token is older than ${VALID_SEC / 60} minutes` };
  return { ok: true, state };
}

function signature({ tool, input, secret }: Previewed, state: string, until: string): string {
  const key = createHmac("sha256", "wms2 mcp confirm").update(secret).digest();
  const text = JSON.stringify([tool, sorted(input), state, until]);
  return createHmac("sha256", key).update(text).digest("base64url").slice(0, 22);
}

/** As a field, or within a sentence. */
const TIME = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d[\d:.]*(?:Z| UTC)?/g;

/** The state behind a preview that has no version: what it says, but for times, which move with the clock. */
export const fingerprint = (preview: unknown): string => {
  const text = JSON.stringify(sorted(preview), (_, value) =>
    typeof value === "string" ? value.replace(TIME, "time") : value,
  );
  return createHash("sha256").update(text).digest("base64url").slice(0, 12);
};

/** The same value, however its fields were ordered. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([key, field]) => [key, sorted(field)]));
}
