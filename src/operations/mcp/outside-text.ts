import { plainText } from "../../core/base/plain-text.ts";

/**
 * Characters that a person does not see and a model reads: what Unicode says may be ignored (joiners, fillers, tags, variation
 * selectors), annotations, and signs that are drawn as nothing.
 */
const HIDDEN = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u2800\u{1d159}\u{16fe4}]/gu;

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
