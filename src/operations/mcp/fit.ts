import { parseJson } from "../../core/base/json.ts";
import type { Fields } from "./ask.ts";

/** No answer is longer: about 5,000 tokens of somebody's context. */
export const ANSWER_CHARS = 20_000;

/** Where the rest of an answer begins: on which page of the operation, after how many of its items and characters. */
export interface Place {
  readonly page: string | null;
  readonly items: number;
  readonly chars: number;
}
export const START: Place = { page: null, items: 0, chars: 0 };

export const sealPlace = ({ page, items, chars }: Place): string =>
  Buffer.from(JSON.stringify([page, items, chars])).toString("base64url");

/** null: it is no cursor of ours. */
export function openPlace(cursor: string): Place | null {
  const json = parseJson(Buffer.from(cursor, "base64url").toString("utf8"));
  const [page, items, chars] = json.ok && Array.isArray(json.value) ? json.value : [];
  const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
  const isPage = page === null || typeof page === "string";
  return isPage && isCount(items) && isCount(chars) ? { page, items, chars } : null;
}

interface Fitted {
  readonly text: string;
  /** null: this is the last of it. */
  readonly rest: Place | null;
  /** The text is cut within: it is JSON only together with what follows. */
  readonly isCut: boolean;
}

/**
 * As much of an answer as fits, from a place on. A list is cut between its items, and every part is whole JSON; what
 * has no list, or an item that alone is too large, is cut as text. Joined, the parts are the whole answer.
 */
export function fit(answer: unknown, list: string, from: Place, most = ANSWER_CHARS): Fitted {
  const { [list]: all, next_cursor: next = null, ...head } = (isFields(answer) ? answer : {}) as Fields;
  if (!Array.isArray(all)) {
    const { text, end } = cut(JSON.stringify(answer), from.chars, most);
    return { text, rest: end === null ? null : { ...from, chars: end }, isCut: end !== null || from.chars > 0 };
  }
  const left = all.slice(from.items);
  const whole = (items: readonly unknown[]) => JSON.stringify({ ...head, [list]: items });
  const room = most - whole([]).length;
  const count = from.chars > 0 ? 0 : howManyFit(left, room);
  const nextPage: Place | null = typeof next === "string" ? { page: next, items: 0, chars: 0 } : null;
  const after = (shown: number): Place | null =>
    shown < all.length ? { page: from.page, items: shown, chars: 0 } : nextPage;
  if (count > 0 || (left.length === 0 && from.chars === 0 && room >= 0))
    return { text: whole(left.slice(0, count)), rest: after(from.items + count), isCut: false };
  const { text, end } = cut(whole(left.slice(0, 1)), from.chars, most);
  return { text, rest: end === null ? after(from.items + 1) : { ...from, chars: end }, isCut: true };
}

function howManyFit(items: readonly unknown[], room: number): number {
  let used = 0;
  for (const [at, item] of items.entries()) {
    used += JSON.stringify(item).length + 1;
    if (used > room) return at;
  }
  return items.length;
}

/** At most so many characters from there on; a pair that makes one sign is not parted. `end` null: nothing is left. */
function cut(text: string, from: number, most: number): { text: string; end: number | null } {
  const isPair = /[\ud800-\udbff]/.test(text.charAt(from + most - 1));
  const end = from + most - (isPair ? 1 : 0);
  return { text: text.slice(from, end), end: end < text.length ? end : null };
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
