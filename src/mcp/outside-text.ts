import { plainText } from "../base/plain-text.ts";

/** Characters that a person does not see and a model reads: zero-width ones, tags, supplementary variation selectors. */
const HIDDEN = /[\u00ad\u200b\u2060-\u2064\ufeff\u{e0000}-\u{e01ef}]/gu;

/** What others wrote (logs, names, reasons), as an agent may read it. */
export const outsideText = (text: string): string => plainText(text).replaceAll(HIDDEN, "");

/** The same for every text of an answer. What is null says nothing and is left out. */
export function outsideValue(value: unknown): unknown {
  if (typeof value === "string") return outsideText(value);
  if (Array.isArray(value)) return value.map(outsideValue);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(fields.map(([key, field]) => [outsideText(key), outsideValue(field)]));
}
